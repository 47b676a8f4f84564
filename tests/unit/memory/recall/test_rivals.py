"""What is true now: quoted behind what was true before, and never left out for it."""

from __future__ import annotations

import itertools

import pytest

from app.memory.recall import RecallIndex, passages
from app.memory.recall.pieces import Piece, render
from app.memory.recall.rivals import rivals
from tests.support.words import WordTokenizer

WORDS = WordTokenizer()

FILLER = (
    "The weather was quite grey this week.",
    "I baked some bread with seeds.",
    "I watched a film about whales.",
    "The neighbours painted their fence green.",
)

# The question, and in time order what was said about it.
TOLD = [
    ("Which port do we use?", ["The port is 8080.", "The port is 9090 now."]),
    ("What is the wifi password?", ["The wifi password is tulip22.", "It is now wifi rose77."]),
    (
        "What is my favourite colour?",
        ["My favourite colour is blue.", "Favourite colour is green."],
    ),
    ("When is the deadline?", ["The deadline is 3 May.", "The deadline is 10 May."]),
    ("When is the deadline?", ["Deadline: 3 May.", "Deadline: 10 May.", "Deadline: 17 May."]),
    ("Am I vegetarian?", ["I am vegetarian.", "I am not vegetarian any more."]),
    ("Where do I live?", ["I live in Prague.", "I moved to Brno.", "I moved to Vienna."]),
    ("Where do I live?", ["I live in Prague.", "I live in Brno now.", "I live in Prague again."]),
    ("Which database do we use?", ["We use PostgreSQL.", "We switched our database to SQLite."]),
    ("Tabs or spaces?", ["Use tabs.", "Use spaces instead."]),
    ("Wie ist mein Passwort?", ["Mein Passwort ist tulpe.", "Mein Passwort ist jetzt rose."]),
    ("Jaký je rozpočet?", ["Rozpočet je 300 eur.", "Rozpočet je nově 500 eur."]),
    ("Какой бюджет?", ["Бюджет 300 евро.", "Бюджет теперь 500 евро."]),
    (
        "私はどこに住んでいますか？",
        [
            "私は東京に住んでいます。",
            "私は今は大阪に住んでいます。",
            "私は今は京都に住んでいます。",
        ],
    ),
    # A name behind an article, one that is an empty word elsewhere, another preposition.
    (
        "What is my favourite band?",
        ["My favourite band is Muse.", "My favourite band is the Beatles now."],
    ),
    (
        "What is my favourite band?",
        [
            "My favourite band is Blur.",
            "My favourite band is the Kinks now.",
            "My favourite band is Blur again.",
        ],
    ),
    ("Who is my boss?", ["My boss is Anna.", "My boss is Will now."]),
    ("Who is my boss?", ["My boss is Anna.", "Petra is my boss now."]),
    ("Where do I work?", ["I work for Google.", "I work at Meta now."]),
    ("Where does Ana live?", ["Ana lives in Spain.", "Ana lives in the Netherlands now."]),
    ("Who is my tutor?", ["My tutor is Dana Roth.", "I have a new tutor, Ben Cole."]),
    ("Wo wohne ich?", ["Ich wohne in Berlin.", "Ich wohne jetzt im Allgäu."]),
    ("Wo arbeite ich?", ["Ich arbeite bei Siemens.", "Ich arbeite jetzt bei der Bahn."]),
    ("Wie ist die Wand?", ["Die Wand ist rot.", "Die Wand ist jetzt grün."]),
    ("Où est-ce que j'habite ?", ["J'habite à Lyon.", "J'habite maintenant à Nice."]),
    ("我住在哪里？", ["我住在北京。", "我现在住在上海。"]),
    # What it was is taken back.
    (
        "What am I allergic to?",
        ["I am allergic to peanuts at parties.", "I am allergic to hazelnuts, not peanuts."],
    ),
    (
        "When is the meeting?",
        ["The meeting is on Monday.", "The meeting is on Friday, not Monday."],
    ),
    # A number of another form, and with a day beside it.
    ("When is the meeting?", ["The meeting is at 9.", "The meeting is at 10:30 now, he said."]),
    ("How much is coffee?", ["Coffee is 3 euros.", "Coffee is 3.50 euros now at the station."]),
    ("How much is the rent?", ["The rent is 900 euros.", "The rent is 950 now, starting in May."]),
    ("When is the launch?", ["The launch is in 2031.", "The launch is in March 2032 now."]),
    ("When is dinner?", ["Dinner is at 7 on Friday.", "Dinner is at 8 now because of Tom."]),
    # A thing may be in another place, a person may not be one.
    ("Which gym do I go to?", ["My gym is FitZone.", "My gym is at BigBody now."]),
    ("What is our hosting?", ["Our hosting is Heroku.", "Our hosting is on Hetzner now."]),
    ("What is my phone?", ["My phone is an iPhone 12.", "My phone is an iPhone 15 now."]),
    ("Which chat do we use?", ["We use Slack at work.", "We are using Teams at work now."]),
    (
        "What's the name of our new puppy?",
        [
            "We got a puppy and named him Bruno.",
            "We renamed the puppy Otto because of the neighbour.",
        ],
    ),
    (
        "Which framework did we pick?",
        ["We picked Django for the backend.", "We dropped Django and went with FastAPI."],
    ),
    (
        "What should the API return on error?",
        ["The API should return 400 on error.", "The API must return 422 on error from now on."],
    ),
    (
        "Which city is the conference in?",
        ["The conference is in Vienna.", "The conference has been relocated to Zürich."],
    ),
    (
        "When does my train leave?",
        ["My train leaves at 7:45.", "The train is delayed: it leaves at 8:10."],
    ),
    (
        "What do I use for notes?",
        ["I use Evernote for notes.", "I replaced Evernote by Obsidian for my notes."],
    ),
    ("Kdo je můj zubař?", ["Můj zubař je doktor Malý.", "Můj nový zubař je doktorka Veselá."]),
    ("Jaký máme rozpočet?", ["Rozpočet je 300 tisíc.", "Rozpočet byl navýšen na 350 tisíc."]),
    ("¿Dónde vive mi hermano?", ["Mi hermano vive en Sevilla.", "Mi hermano se mudó a Bilbao."]),
    ("어디에 살아?", ["나는 서울에 살아.", "나는 이제 부산에 살아."]),
    ("Kde bydlím?", ["Bydlím v Praze.", "Přestěhoval jsem se do Brna."]),
    ("Wo wohne ich?", ["Ich wohne in Köln.", "Ich bin nach Bonn umgezogen."]),
    ("Où est-ce que j'habite ?", ["J'habite à Lyon.", "J'ai déménagé à Nantes."]),
    ("¿Dónde vivo?", ["Vivo en Madrid.", "Me mudé a Valencia."]),
    ("Где я живу?", ["Я живу в Москве.", "Я переехал в Казань."]),
    (
        "What's the theme of the party?",
        ["The theme of the party is pirates.", "We changed the theme to space."],
    ),
    (
        "What language is the backend in?",
        ["The backend is in Python.", "We rewrote the backend in Go."],
    ),
    ("Wie heißt unser Trainer?", ["Unser Trainer heißt Karl.", "Unser neuer Trainer heißt Paul."]),
    (
        "Quel est mon code postal ?",
        ["Mon code postal est 69001.", "Mon nouveau code postal est 44000."],
    ),
    ("¿Cómo se llama mi jefe?", ["Mi jefe se llama Pablo.", "Mi nuevo jefe se llama Diego."]),
    (
        "Как зовут моего начальника?",
        ["Моего начальника зовут Павел.", "Моего нового начальника зовут Игорь."],
    ),
    ("テストはいつですか？", ["テストは3日です。", "テストは10日に延期されました。"]),
    ("密码是什么？", ["密码是tiger12。", "密码改成了lion34。"]),
    ("내 비밀번호가 뭐야?", ["내 비밀번호는 tiger12야.", "내 비밀번호를 lion34로 바꿨어."]),
    ("회의는 언제야?", ["회의는 월요일이야.", "회의가 목요일로 변경됐어."]),
]
# That the first is no longer true can only be guessed.
UNSAID = (
    "What is my favourite colour?",
    "Which database do we use?",
    "Où est-ce que j'habite ?",
    "What do I use for notes?",
    "What's the theme of the party?",
    "Which city is the conference in?",
    "Which framework did we pick?",
    "어디에 살아?",
    "密码是什么？",
)


def quoted(question: str, said: list[str], room: int, *, who: str = "User") -> list[str]:
    """The texts that are quoted, without the speaker; filler stands between what was said.

    ``who`` said each of them, or one name for each, parted by spaces.
    """
    index = RecallIndex()
    texts: dict[str, tuple[str, str, str]] = {}
    names = who.split() * len(said)
    for name, each in zip(names, said, strict=False):
        for speaker, line in ((name, each), *(("User", text) for text in FILLER)):
            id = f"m{len(texts)}"
            index.add(id, line, speaker)
            texts[id] = (speaker, line, "")
    found = passages(index, texts, question, (), room, WORDS)
    return [each.text.partition(": ")[2] for each in found]


@pytest.mark.parametrize(("question", "said"), TOLD)
def test_what_is_true_now_stands_last(question: str, said: list[str]) -> None:
    found = quoted(question, said, 300)
    assert [text for text in found if text in said] == said
    assert found[-1] == said[-1]


@pytest.mark.parametrize(("question", "said"), [told for told in TOLD if told[0] not in UNSAID])
@pytest.mark.parametrize("room", range(8, 60, 4))
def test_no_room_is_too_small_for_what_is_true_now(
    question: str, said: list[str], room: int
) -> None:
    known = [text for text in quoted(question, said, room) if text in said]
    assert not known or known[-1] == said[-1]


def test_an_echo_of_an_old_value_is_old_too() -> None:
    said = [
        "The budget for the trip is 300 euros, is that enough?",
        "The budget for the trip, 300 euros, is enough for Lisbon.",
        "The budget for the trip is 500 euros now.",
    ]
    assert (
        quoted("What is the budget for the trip?", said, 300, who="User Bot User")[-1] == said[-1]
    )


def pairs(*texts: str, speakers: str = "", asked: str = "port") -> list[tuple[int, int, bool]]:
    who = list(speakers or "a" * len(texts))
    terms = [frozenset({asked} if asked in text.lower() else ()) for text in texts]
    return rivals(texts, who, terms, [True] * len(texts))


def test_what_has_nothing_to_do_with_the_question_is_left_alone() -> None:
    assert pairs("The host is tulip.", "The host is rose now.") == []
    assert pairs("The port is tulip.", "The host is rose instead.") == []


def test_surely_replaced_is_what_one_speaker_says_of_a_change() -> None:
    assert pairs("The port is tulip.", "The port is rose now.") == [(0, 1, True)]
    assert pairs("The port is tulip.", "The port is tulip again.") == [(0, 1, True)]
    assert pairs("My port: 1.", "My port: 2.") == [(0, 1, True)]
    assert pairs("My big port is tulip.", "My big port is rose.") == [(0, 1, False)]


def test_two_speakers_differ_in_numbers_or_not_at_all() -> None:
    assert pairs("The port is tulip.", "The port is rose now.", speakers="ab") == []
    assert pairs("My port: 1.", "My port: 2.", speakers="ab") == [(0, 1, False)]
    assert pairs("The port is tulip.", "We moved the port.", speakers="ab") == []


def test_a_change_needs_no_other_word_in_common() -> None:
    assert pairs("Our port was Oslo.", "We moved port cranes to Rome.") == [(0, 1, False)]
    assert pairs("Our port was by the sea.", "The port was moved inland.") == [(0, 1, True)]
    assert pairs("Our port was Oslo by the sea.", "A port lies there inland.") == []


def test_a_repetition_and_a_question_replace_nothing() -> None:
    assert pairs("The port is tulip.", "The port is tulip.") == []
    assert pairs("The port is tulip.", "Is the port rose now?") == []
    assert pairs("Is the port tulip?", "The port is rose now.") == []


def test_half_of_the_shorter_ones_words_is_not_enough() -> None:
    assert pairs("Port tulip.", "Port rose.") == []
    assert pairs("Port tulip red.", "Port tulip blue.") == [(0, 1, False)]


# What was said, and then something else with a word of it and a sign of change.
APART = [
    (
        "What is the wifi password?",
        "The wifi password is tulip22.",
        "I moved the wifi router to the hallway.",
    ),
    ("What is my dog called?", "My dog is called Rex.", "My cat is called Mia now."),
    (
        "Who is my landlord?",
        "My landlord is Mr. Brown.",
        "My landlord does not fix things anymore.",
    ),
    ("Where do I work?", "I work at Siemens as an engineer.", "I no longer work on Fridays."),
    (
        "What is the staging server port?",
        "The staging server port is 8080.",
        "The production server port is 9090 now.",
    ),
    ("Where does my sister live?", "My sister lives in Prague.", "My brother lives in Brno now."),
    (
        "Which database do I use for the shop project?",
        "I use Postgres for the shop project.",
        "I switched to SQLite for the blog project.",
    ),
    (
        "What colour is the kitchen wall?",
        "The kitchen wall is red.",
        "The bathroom wall is green now.",
    ),
    ("Where did I meet Peter?", "I met Peter in Lisbon.", "I met Jana again in Porto."),
    (
        "How much metformin do I take in the morning?",
        "I take 500 mg metformin in the morning.",
        "I take 10 mg lisinopril in the morning now.",
    ),
    ("Kde bydlí moje sestra?", "Moje sestra bydlí v Praze.", "Můj bratr teď bydlí v Brně."),
    (
        "Wo wohnt meine Schwester?",
        "Meine Schwester wohnt in Berlin.",
        "Mein Bruder wohnt jetzt in Hamburg.",
    ),
    ("Où habite ma sœur ?", "Ma sœur habite à Lyon.", "Mon frère habite maintenant à Paris."),
    ("Где живёт моя сестра?", "Моя сестра живёт в Москве.", "Мой брат теперь живёт в Казани."),
    ("姉はどこに住んでいますか？", "姉は東京に住んでいます。", "弟は今は大阪に住んでいます。"),
    ("我姐姐住在哪里？", "我姐姐住在北京。", "我弟弟现在住在上海。"),
    (
        "What am I allergic to?",
        "I am allergic to peanuts.",
        "My colleague is allergic to cats now.",
    ),
    ("What am I allergic to?", "I am allergic to peanuts.", "I like peanut colour paint."),
    ("내 생일은 언제야?", "내 생일은 3월 2일이고 파티는 없어.", "내 생일은 3월 2일이야."),
    ("내 생일은 언제야?", "내 생일은 3월 2일이고 파티는 없어.", "엄마 생일은 5월 4일이야."),
    ("When is my birthday?", "My birthday is on 4 May.", "My wife's birthday is on 9 June."),
    (
        "When is my birthday?",
        "My birthday is on 4 May.",
        "My friend celebrated her birthday in Rome.",
    ),
    (
        "What do I like to drink?",
        "I like to drink green tea.",
        "My sister likes to drink red wine.",
    ),
    (
        "What do I like to drink?",
        "I like to drink green tea.",
        "My neighbour drinks a lot of beer now.",
    ),
    (
        "Which doctor do I see for my back?",
        "I see Dr. Lind for my back.",
        "My mother sees Dr. Berg for her back.",
    ),
    ("Kdy mám narozeniny?", "Narozeniny mám 4. května.", "Můj bratr má narozeniny 9. června."),
    (
        "Wann habe ich Geburtstag?",
        "Ich habe am 4. Mai Geburtstag.",
        "Meine Schwester hat am 9. Juni Geburtstag.",
    ),
    (
        "Who is the tenant in flat 2?",
        "Mr. Hill is the tenant in flat 2.",
        "The tenant in flat 3 is now Mrs. Frost.",
    ),
    ("What's in drawer 4?", "Drawer 4 has the cables.", "Drawer 5 has the batteries now."),
    (
        "What happens in chapter 3?",
        "In chapter 3 the captain dies.",
        "In chapter 4 the captain is now a ghost.",
    ),
    ("Kde pracuje moje žena?", "Moje žena pracuje v nemocnici.", "Já teď pracuju v bance."),
    (
        "What's on the menu on Friday?",
        "On Friday the menu is fish.",
        "On Saturday the menu is now soup.",
    ),
]


@pytest.mark.parametrize(("question", "said", "other"), APART)
@pytest.mark.parametrize("room", [*range(12, 60, 4), 90, 300])
def test_what_is_said_of_something_else_takes_nobodys_place(
    question: str, said: str, other: str, room: int
) -> None:
    found = quoted(question, [said, other], room)
    assert other not in found or said in found
    assert found.index(said) > (found.index(other) if other in found else -1)


# A newer value told in fewer words than the question, or with more around it.
TERSE = [
    (
        "When is the concert in Graz?",
        "The concert in Graz is on 5 June.",
        "The concert was moved to 7 July.",
    ),
    (
        "When is the meeting with Anna?",
        "The meeting with Anna is on Monday.",
        "The meeting has moved to Thursday.",
    ),
    (
        "What is the rent of our flat in Brno?",
        "The rent of our flat in Brno is 900 euros.",
        "The rent is 950 euros now.",
    ),
    (
        "When is the deadline for the report?",
        "The deadline for the report is 3 May.",
        "Good news: the deadline is now 10 May.",
    ),
    (
        "Kdy je termín odevzdání projektu?",
        "Termín odevzdání projektu je 3. května.",
        "Termín je teď 10. května.",
    ),
    (
        "Jaký je náš rozpočet na dovolenou?",
        "Náš rozpočet na dovolenou je 300 eur.",
        "Rozpočet jsme změnili na 500 eur.",
    ),
    (
        "Wann ist die Abgabe des Berichts?",
        "Die Abgabe des Berichts ist am 3. Mai.",
        "Die Abgabe ist jetzt am 10. Mai.",
    ),
    (
        "Quel est le mot de passe du wifi ?",
        "Le mot de passe du wifi est tulipe22.",
        "Le mot de passe est maintenant rose33.",
    ),
    ("房租是多少？", "房租是每月900元。", "房租涨到每月950元。"),
    (
        "Wo liegt der Schlüssel?",
        "Der Schlüssel liegt unter der Matte.",
        "Der Schlüssel liegt nicht mehr unter der Matte, sondern im Schuppen.",
    ),
    (
        "What does our cat eat?",
        "Mia is our cat, she eats salmon.",
        "Our cat does not eat salmon anymore, only tuna.",
    ),
]


@pytest.mark.parametrize(("question", "old", "new"), TERSE)
@pytest.mark.parametrize("room", [*range(12, 60, 4), 90, 300])
def test_a_newer_value_needs_fewer_words_than_the_question(
    question: str, old: str, new: str, room: int
) -> None:
    found = quoted(question, [old, new], room)
    assert old not in found or new in found
    assert new not in found or found[-1] == new


# What else changed for the same person, and what is of the question's kind and nothing more.
ELSE = [
    (
        "Where does my brother Tom work?",
        "My brother Tom works at Shell.",
        "My brother Tom moved to Vienna.",
    ),
    (
        "What does my brother Tom drive?",
        "My brother Tom drives a Kia.",
        "My brother Tom switched to Nokia.",
    ),
    (
        "What pet do I have?",
        "My pet is a hamster named Pip.",
        "My neighbour's dog was replaced by two cats.",
    ),
    ("What is my instrument?", "My instrument is the cello.", "Tom switched from drums to bass."),
    ("What do I drink?", "I drink oat milk.", "I switched my coffee machine to a Jura."),
    (
        "Where was my mother born?",
        "My mother was born in Graz.",
        "My mother moved to Linz when she was ten.",
    ),
]


@pytest.mark.parametrize(("question", "said", "other"), ELSE)
@pytest.mark.parametrize("room", [*range(12, 60, 4), 90, 300])
def test_another_change_of_the_same_person_takes_nobodys_place(
    question: str, said: str, other: str, room: int
) -> None:
    assert said in quoted(question, [said, other], room)


# As above, but that it is another matter can only be guessed: both are quoted, and the order of
# time is kept.
GUESSED = [
    ("Which bike do I have?", "My bike is a Trek 520.", "My bike broke again."),
    ("What car do I drive?", "My car is a Skoda.", "I switched my car insurance to Allianz."),
    ("What is my address?", "My address is 12 Mill Road.", "I changed my email address to a@b.cz."),
    (
        "Who is my doctor?",
        "My doctor is Dr. Novak.",
        "I would rather see a doctor near the office.",
    ),
    ("What is the rent?", "The rent is 900 euros.", "The rent is due on the 5th now."),
    ("What is the rent?", "The rent is 900 euros.", "The rent is paid until June now."),
]


@pytest.mark.parametrize(("question", "said", "other"), GUESSED)
@pytest.mark.parametrize("room", [24, 40, 90, 300])
def test_a_guess_changes_no_more_than_an_order(
    question: str, said: str, other: str, room: int
) -> None:
    assert said in quoted(question, [said, other], room)


# What is, and later remarks about it that give it no other value.
REMARKS = [
    (
        "Who is my dentist?",
        "My dentist is Dr. Moss.",
        "My dentist has a lot of work.",
        "My dentist has a new chair.",
    ),
    (
        "Who is my landlord?",
        "My landlord is Mr. Brown.",
        "My landlord raised the rent.",
        "My landlord changed the locks.",
    ),
    ("What is my gym?", "My gym is FitZone.", "My gym is noisy now.", "My gym is crowded now."),
    (
        "Who is my tutor?",
        "My tutor is Dana Roth.",
        "My tutor raised her prices to 30 euros an hour.",
        "My tutor moved all the lessons to the small room.",
    ),
    ("Who is my tutor?", "My tutor is Dana Roth.", "My tutor is in Spain now."),
    ("Who is my tutor?", "My tutor is Dana Roth.", "FYI, my tutor is ill now."),
    ("Who is my boss?", "My boss is Anna.", "Lunch is with my boss now."),
    (
        "Wer ist mein Chef?",
        "Mein Chef ist Herr Vogel.",
        "Mein Chef hat jetzt viel Arbeit.",
        "Mein Chef hat die Pläne verschoben.",
    ),
    (
        "When is the exam?",
        "The exam is on 3 June.",
        "The exam now has 40 questions.",
        "The exam is in hall 7 now.",
    ),
    (
        "私の医者は誰ですか？",
        "私の医者は田中先生です。",
        "私の医者は今はとても忙しいです。",
        "私の医者は今はとても若いです。",
    ),
    ("我的医生是谁？", "我的医生是王大夫。", "我的医生现在很忙。", "我的医生现在很累。"),
]


@pytest.mark.parametrize("said", REMARKS)
@pytest.mark.parametrize("room", [*range(12, 60, 4), 90, 300])
def test_later_remarks_take_nobodys_place(said: tuple[str, ...], room: int) -> None:
    question, answer, *remarks = said
    found = quoted(question, [answer, *remarks], room)
    assert answer in found or not set(remarks) & set(found)


def test_remarks_with_a_word_of_the_question_do_not_come_between() -> None:
    said = [
        "My mate and I are going to try kayaking on Lake Tahoe.",
        "We should try that cake now.",
        "I changed my mind and will try the new recipe again.",
        "Trying new things can be difficult now.",
    ]
    found = quoted("Where did my mate and I plan to try kayaking?", said, 300)
    assert found[-1] == said[0]


def test_only_what_is_newer_moves_and_only_to_what_it_is_newer_than() -> None:
    index = RecallIndex()
    for n in range(4):
        index.add(f"m{n}", "text", "User")
    best, other, old, new = (Piece(f"m{n}", 0, f"{n}", 1.0, 1, {}) for n in (1, 2, 0, 3))
    new.older = ("m0",)
    assert [each.id for each in render(index, [best, other, old, new])] == ["m0", "m3", "m2", "m1"]


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_each_stands_behind_all_that_it_is_newer_than(order: tuple[int, ...]) -> None:
    index = RecallIndex()
    for n in range(4):
        index.add(f"m{n}", "text", "User")
    chosen = [Piece(f"m{n}", 0, f"{n}", 1.0, 1, {}) for n in order]
    for piece in chosen:
        piece.older = tuple(f"m{n}" for n in range(int(piece.text)))
    assert [each.id for each in render(index, chosen)] == ["m0", "m1", "m2", "m3"]


def test_a_question_about_the_past_wants_no_news() -> None:
    said = ["I lived in Prague for ten years.", "I live in Brno now."]
    assert said[0] in quoted("Where did I live before?", said, 12)
    assert said[0] not in quoted("Where do I live?", said, 12)


def test_where_what_is_true_now_has_no_room_what_was_true_is_not_told() -> None:
    said = [
        "The trip budget is 300.",
        "After a very long talk with everyone in the family about flights and hotels and food and "
        "museum tickets and all that we would like to do there the trip budget is now 500 euros.",
        "My trip bag is blue.",
    ]
    for room in range(8, 60, 2):
        found = quoted("What is the trip budget?", said, room)
        assert said[0] not in found or said[1] in found


@pytest.mark.parametrize(
    ("question", "old", "new"),
    [
        (
            "Who is my doctor?",
            "By the way, my doctor is Dr. Hassan, she has a practice near the station.",
            "The practice closed, so my doctor is Dr. Lowe these days.",
        ),
        (
            "How old is my grandma?",
            "My grandma is 84 and lives alone.",
            "My grandma is 85 now, we had a big party.",
        ),
    ],
)
def test_among_other_things_what_is_true_now_stands_last(question: str, old: str, new: str) -> None:
    found = quoted(question, [old, new], 300)
    assert found[-1] == new
    assert len(found) > 1


def test_of_many_equal_statements_the_newest_is_known() -> None:
    said = [f"The budget is {n} euros now." for n in range(100, 140)]
    for room in (12, 40, 280):
        assert quoted("What is the budget?", said, room)[-1] == said[-1]
