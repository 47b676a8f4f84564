"""Whether a sentence tells of somebody else what a question asks about oneself.

"My brother lives in Brno" is no answer to "where do I live?", but "my boss raised my pay" may be
one to "what do I earn?": what counts is that the other one does, has or is what is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from app.memory.extractive.words import STOP, runs, stem, word_set
from app.memory.recall.changes import CALENDAR
from app.memory.recall.kinds import kinds

OTHER = 0.6  # what such a sentence counts

_ONESELF = re.compile(
    r"\b(?:i|i'm|my|me|we|our|us|ich|meine?[nmrs]?|mir|mich|wir|unsere?[nmrs]?|já|můj|moje|moji|mé|"
    r"mého|mou|mám|jsem|jsme|máme|náš|naše|\w+[íá]m|\w+uj[iu]|je|j'\w+|mon|ma|mes|nous|notre|nos|"
    r"yo|mi|mis|tengo|soy|nosotros|nuestr[oa]s?|я|мой|моя|моё|мои|меня|мне|мы|наш\w*|у нас|"
    r"내|나|나는|내가|제|저는|제가|우리)\b",
    re.IGNORECASE,
)
_PEOPLE = word_set(
    """
    mother mum mom father dad parents brother sister brothers sisters son daughter kids children
    wife husband partner fiancé fiancée girlfriend boyfriend friend friends colleague colleagues
    coworker boss manager neighbour neighbor neighbours neighbors landlord cousin uncle aunt
    grandmother grandma grandfather grandpa roommate flatmate niece nephew
    matka máma otec táta rodiče bratr sestra syn dcera děti manžel manželka kamarád kamarádka
    přítel přítelkyně kolega kolegyně šéf šéfka soused sousedka babička děda strýc teta
    mutter mama vater papa eltern bruder schwester sohn tochter kinder mann frau freund freundin
    kollege kollegin chef chefin nachbar nachbarin oma opa onkel tante vermieter mitbewohner
    mère maman père parents frère sœur fils fille enfants mari femme ami amie copain copine
    collègue patron patronne voisin voisine cousine oncle
    madre mamá padre papá padres hermano hermana hijo hija hijos marido mujer esposo esposa amigo
    amiga novio novia compañero compañera jefe jefa vecino vecina abuelo abuela tío tía primo prima
    мать мама отец папа родители брат сестра сын дочь дети муж жена друг подруга коллега начальник
    сосед соседка бабушка дедушка дядя тётя
    엄마 어머니 아빠 아버지 동생 형 누나 언니 오빠 친구 남편 아내 부모님
    """
)
# It is they who changed, and not something of one's own that they did: "my boss moved the meeting".
_SWITCHED = re.compile(
    r"^(?:\w+ ){1,4}(?:switched|moved|migrated|changed|upgraded|converted) (?:from|to|into)\b",
    re.IGNORECASE,
)
_HAS = word_set("hat hatte má měl měla mají tiene tenía")  # beside those that are empty in English
_SAME = 4  # letters at its beginning by which a form is known, "bydlím" and "bydlí"
_HEAD = 2  # the first or second word is who it is about: "my brother", "brother of mine"


def tells_of_another(question: str) -> Callable[[str], bool]:
    """The test for texts; always false when the question is about no one, or about another."""
    low = [run.lower().replace("’", "'") for run in runs(question)]
    if _ONESELF.search(question) is None or any(_is_person(word) for word in low):
        return lambda text: False
    asked = frozenset(stem(word) for word in low if not _is_empty(word)) | kinds(low).keys()
    heads = frozenset(word[:_SAME] for word in asked if len(word) >= _SAME)

    def check(text: str) -> bool:
        words = [run.lower().replace("’", "'") for run in runs(text)]
        for place, word in enumerate(words[:_HEAD]):
            if _is_person(word):
                if _SWITCHED.search(text):
                    return True
                told = (stem(each) for each in words[place + 1 :] if not _is_empty(each))
                does = next(told, "")
                return does in asked or does[:_SAME] in heads
        return False

    return check


def is_of_another(text: str) -> bool:
    """Whether ``text`` begins with somebody else: "my brother sold the car"."""
    return any(_is_person(run.lower().replace("’", "'")) for run in runs(text)[:_HEAD])


def _is_empty(word: str) -> bool:
    """Whether it is no word for what somebody does: "is", "on 9 June"."""
    if word[0].isdigit() or word in CALENDAR or word in _HAS:
        return True
    return word in STOP or stem(word) in STOP


def _is_person(word: str) -> bool:
    """Whether a word in lower case is one for somebody, in "my brother's", too."""
    return word.removesuffix("'s").removesuffix("'") in _PEOPLE or stem(word) in _PEOPLE
