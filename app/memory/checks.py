"""What is accepted as a summary: a model's word is checked, not trusted.

Empty, cut-off, refusing, erroneous, answering or foreign-language replies are rejected with the
reason. Pure functions of texts that ``cleaning.py`` has cleaned.
"""

from __future__ import annotations

import re

from app.memory.cleaning import clean_reply
from app.memory.language import differs

__all__ = ["clean_reply", "problem"]

SHORT = 400  # characters: a refusal or an error that is longer may be what was talked about
CODE_SHARE = 0.5  # of a reply in code fences: that is an answer, not notes
UNRELATED_WORDS = 40  # words from which on a reply must share some with what it summarises
UNRELATED_SHARE = 0.08

_PLACEHOLDERS = frozenset(
    [
        "none",
        "n/a",
        "na",
        "null",
        "nil",
        "undefined",
        "nothing",
        "empty",
        "nan",
        "todo",
        "tbd",
        "true",
        "false",
        "notes",
        "summary",
        "no_summary",
        "nosummary",
        "placeholder",
        "object_object",
    ]
)
_APOLOGIES = (
    r"i['’]?m (?:so |very |really )?sorry|i am (?:so |very )?sorry|sorry|i apologi[sz]e|"
    r"my apologies|apologies|"
    r"omlouvám se|je mi líto|bohužel|ospravedlňujem sa|es tut mir (?:sehr )?leid|tut mir leid|"
    r"leider kann|entschuldigung|lo siento|lamento|lo lamento|désolée?|je suis (?:vraiment )?"
    r"désolée?|je m['’]excuse|malheureusement,? je|mi dispiace|purtroppo non|desculpe|sinto muito|"
    r"infelizmente,? (?:eu )?não|het spijt me|helaas kan|tyvärr kan|jag är ledsen|beklager|"
    r"przepraszam|niestety nie|przykro mi|sajnálom|îmi pare rău|valitettavasti|üzgünüm|maalesef|"
    r"xin lỗi|maaf|"
    r"извините|простите|к сожалению,? я|вибачте|на жаль,? я|λυπάμαι|συγγνώμη|"
    r"عذر[اًا]|آسف|أنا آسف|أعتذر|מצטער|אני מצטער|סליחה|क्षमा करें|मुझे खेद|ขออภัย|"
    r"申し訳|すみません|ごめん|抱歉|很抱歉|对不起|對不起|죄송"
)
_UNABLE = (
    r"i (?:can(?:no|['’])t|cannot|can not|won['’]t|will not|do not|don['’]t) |"
    r"i['’]?m (?:unable|not able)|"
    r"i am (?:unable|not able)|unfortunately,? i\b|as an ai\b|as a language model|"
    r"nemohu|nemůžu|ich kann (?:das |dies |dir |ihnen )?nicht|no puedo|je ne peux pas|non posso|"
    r"não posso|ik kan (?:dit |dat )?niet|jag kan inte|jeg kan ikke|nie mogę|nem tudok|"
    r"nu pot|en voi|yapamam|tôi không thể|saya tidak (?:bisa|dapat)|"
    r"я не могу|я не можу|δεν μπορώ|لا أستطيع|لا يمكنني|אני לא יכול|איני יכול|मैं नहीं|"
    r"できません|お手伝いできません|我无法|我無法|我不能|할 수 없"
)
_REFUSALS = re.compile(rf"\A\W*(?:{_APOLOGIES}|{_UNABLE})", re.IGNORECASE)
_PLAIN_REFUSAL = re.compile(
    r"\A\W*(?:[^.\n]{0,60}\b(?:sorry|apologi[sz]e|unfortunately)\b[^.\n]{0,40})?"
    r"\bi(?:['’]m| am)? "
    r"?(?:can(?:no|['’])t|cannot|won['’]t|unable to|not able to) (?:\w+ ){0,4}?"
    r"(?:help|assist|summari[sz]e|provide|comply|fulfil+|continue|do that|create|generate|process|"
    r"discuss|engage)\b",
    re.IGNORECASE,
)
_ERRORS = re.compile(
    r"\A\W*(?:error\b|errors?:|\[?error\]?:|\w*error:|internal server error|bad gateway|"
    r"service (?:temporarily )?unavailable|gateway time-?out|upstream (?:error|timeout|connect|"
    r"request)|no healthy upstream|exception\b|traceback\b|panic:|fatal:|"
    r"request (?:failed|timed out)|"
    r"too many requests|rate limit|quota exceeded|you (?:have )?exceeded your|insufficient "
    r"(?:balance|quota|credit)|unauthorized|forbidden|access denied|not found|invalid (?:api )?"
    r"(?:key|token|request)|incorrect api key|"
    r"model .{1,80} (?:not found|does not exist|is overloaded)|"
    r"the model .{1,80} does not exist|this model['’]s maximum context|context_length_exceeded|"
    r"maximum context length|connection (?:refused|reset|error|closed|timed out)|network ?error|"
    r"failed to fetch|fetch failed|econnre|etimedout|timed? ?out\b|overloaded|"
    r"\{\s*\"(?:error|errors|detail|message|status|code|type)\"|<!doctype|<\?xml|<html|<error|"
    r"(?:http )?[45]\d\d\b[ :-]+[a-z])",
    re.IGNORECASE,
)
_ANSWERS = re.compile(
    r"\A\W*(?:sure\b[,!.]|certainly\b[,!.]|of course\b[,!.]|absolutely\b[,!.]|great question|"
    r"good question|happy to help|i['’]?d be (?:happy|glad)|i can help|how can i (?:help|assist)|"
    r"what would you like|hello\b[!,.]|hi\b[!,.]|hey\b[!,.]|you['’]re welcome|"
    r"thank(?:s| you) for (?:sharing|your|the|asking)|"
    r"natürlich[,!.]|gerne?[,!.]|bien sûr[,!.]|avec plaisir|claro[,!.]|por supuesto|"
    r"certo[,!.]|certamente[,!.]|com certeza|jistě[,!.]|samozřejmě[,!.]|oczywiście[,!.]|"
    r"конечно[,!.]|もちろん|承知|当然[,，!！]|好的[,，!！.。]|물론)",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w{4,}")
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


def problem(text: str, given: str, finish: str = "") -> str:
    """Why a cleaned reply is no summary of ``given`` (previous notes and messages); "" if it is."""
    if finish in ("length", "content_filter"):
        return "it was cut off" if finish == "length" else "it was filtered"
    bare = text.strip(" \t\n.,:;!?-–—*#_\"'`()[]{}<>…").lower().replace(" ", "_")
    if not any(char.isalnum() for char in text) or bare in _PLACEHOLDERS:
        return "it was empty"
    lower, known = text[:2000].lower(), given.lower()
    if ("<html" in lower or "<!doctype" in lower) and "<html" not in known:
        return "it was a web page"
    if text[0] in "{[" and re.match(r"[{\[]\s*[\"{\[]", text) and text[:12].lower() not in known:
        return "it was an error text" if _ERRORS.match(text) else "it was data, not notes"
    if len(text) <= SHORT:
        if _ERRORS.match(text) and text[:12].lower() not in known:
            return "it was an error text"
        if _REFUSALS.match(text) and text[:16].lower() not in known:
            return "it was a refusal"
    if _PLAIN_REFUSAL.match(text) and text[:16].lower() not in known:
        return "it was a refusal"
    if _ANSWERS.match(text):
        return "it answered instead of summarising"
    code = sum(len(block) for block in _CODE.findall(text))
    if code > CODE_SHARE * len(text) and not _quoted_code(text, known):
        return "it answered instead of summarising"
    if differs(given, text):
        return "it was in another language than the conversation"
    if _unrelated(text, known):
        return "it had nothing to do with the conversation"
    return ""


def _quoted_code(text: str, known: str) -> bool:
    """Whether most lines of the reply's code stand in the conversation."""
    lines = [
        line.strip().lower()
        for block in _CODE.findall(text)
        for line in block.strip("`").split("\n")[1:]
        if line.strip()
    ]
    return sum(line in known for line in lines) * 2 >= len(lines)


def _unrelated(text: str, known: str) -> bool:
    """Whether a long reply shares next to no words with what it should summarise."""
    words = set(_WORD.findall(text.lower()))
    if len(words) < UNRELATED_WORDS:
        return False
    return sum(word in known for word in words) < UNRELATED_SHARE * len(words)
