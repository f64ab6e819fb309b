"""From what a model wrote to what it says: the one reader of replies, for all suites."""

import ast
import html
import json
import re
from collections.abc import Mapping
from itertools import chain, islice
from typing import Any, NamedTuple

# --- Chunks, reasoning, special tokens and turns of a reply: what a server or a log leaves in it


class SplitReply(NamedTuple):
    """A reply in its two parts."""

    text: str  # what is said, without marks of any family; "" where reasoning never ended
    reasoning: str  # its blocks one a line; "" if none


# --- chunks

# what the type of a chunk says, whoever names it: `reasoning_text`, `text-delta`, `output_text`
_IS_THINKING = re.compile(r"think|thought|reason|summary", re.IGNORECASE)
_IS_TEXT = re.compile(
    r"|(?!input).*(?:text|message|content|response|answer|final|markdown).*", re.IGNORECASE
)
_TEXT_FIELDS = ("text", "content", "output_text", "value", "output", "response", "parts")
_THINKING_FIELDS = (
    *("thinking", "reasoning", "reasoning_text", "reasoning_content", "summary"),
    *("reasoning_details", "thinking_blocks", "reasoningContent", "reasoningText", "think"),
)


def content_texts(content: Any) -> tuple[str, str]:
    """Text and reasoning of a message's content: a text, chunks, a chunk, or None.

    Source: the content of Mistral's, OpenAI's, Anthropic's and Google's messages.

    Raises:
        TypeError: It is none of these.
    """
    if content is None:
        return "", ""
    if isinstance(content, str):
        return content, ""
    if isinstance(content, Mapping):
        return _chunk_texts(content)
    if isinstance(content, list | tuple):
        parts = [content_texts(part) for part in content]
        return "".join(text for text, _ in parts), "\n".join(why for _, why in parts if why)
    raise TypeError(f"reply: content, got {type(content).__name__}; expected a text or chunks")


def _chunk_texts(chunk: Mapping[str, Any]) -> tuple[str, str]:
    kind = str(chunk.get("type") or "")
    if _IS_THINKING.search(kind) or chunk.get("thought") is True:
        fields = (*_THINKING_FIELDS, *_TEXT_FIELDS)
        found = next((chunk[name] for name in fields if chunk.get(name)), None)
        return "", "\n".join(filter(None, content_texts(found)))
    if not _IS_TEXT.fullmatch(kind):
        return "", ""  # a picture, a call of a tool
    text, inner = content_texts(next((chunk[n] for n in _TEXT_FIELDS if chunk.get(n)), None))
    thoughts = ["".join(content_texts(chunk[n])) for n in _THINKING_FIELDS if chunk.get(n)]
    return text, "\n".join(filter(None, (*thoughts, inner)))


def _written_chunks(text: str) -> Any:
    """The chunks of a log that keeps their list as text, as JSON or as Python writes it."""
    is_any = re.match(r"\[?\{\s*['\"](?:type|text|role|content|parts)['\"]", text)
    found: Any = literal(text) if is_any else None
    chunks = [found] if isinstance(found, Mapping) and "role" in found else found
    is_list = isinstance(chunks, list) and all(isinstance(one, Mapping) for one in chunks)
    return chunks if is_list and any({"type", "role"} & one.keys() for one in chunks) else text


def literal(text: str) -> Any:
    """The value that a text is in JSON or in Python; None if it is neither."""
    for read in (json.loads, ast.literal_eval):
        try:
            return read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return None


# --- marks

OPEN, CLOSE, ANSWER, END, HEAD, OTHER, FILLER, ASKED, ASKED_END = range(9)
_MARK = re.compile(
    r"<<?/?[|｜]?[^<>\n]{1,60}?[|｜]?>>?|\[/?\|?\w{1,30}(?: \w{2,30}){0,2}\|?\]"
    r"|◁/?\s*\w+\s*▷|\]~!?b[\[\]]|\[e~\["
)
_THOUGHT_WORDS = (
    r"(?:think(?:ing)?|thoughts?|reason(?:ing)?(?:_content)?|analysis|analyse|scratch_?pad"
    r"|reflect(?:ion)?|rationale|deliberat\w*|cot|chain_of_thought|monologue|planning|gedanken"
    r"|denken|overweging|思考|推理)"
)
_TAG_OF_THOUGHT = re.compile(
    rf"[<\[◁]\s*(/|(?:end|stop)[ _])?\s*(?:\w+:)?(?:(?:begin|start)[ _])?[a-z_]{{0,12}}?"
    rf"({_THOUGHT_WORDS})(?:_?[a-z]{{1,8}})?(?:\s[^<>]*)?\s*[>\]▷]"
)
_TAG_OF_ANSWER = re.compile(
    r"[<\[]\s*(/|end )?\s*(?:begin )?(?:final[_ ]?|the_)?(?:answer|ans|response|output|solution"
    r"|result"
    r"|reply|conclusion|antwort|antwoord|答案|final|segmentation|morphemes|分词)(?:\s[^<>]*)?\s*[>\]]"
)
_TAG_OF_QUESTION = re.compile(
    r"[<\[]\s*(/?)\s*(?:question|input|sentence|user|human|example|problem|prompt|frage|satz"
    r"|vraag|zin|问题|句子)(?:[\s_]\d+)?\s*[>\]]"
)
_TAG_OF_END = re.compile(
    r"[<\[](?:end(?:_?of_?\w+)?|eo[smtcdiaf](?:_token)?|eot_id|/(?:s|assistant|model|bot)|stop|sep"
    r"|done"
    r"|/?turn\|)[>\]]|<turn\|>"
)
_TAG_OF_START = re.compile(
    r"<s>|[<\[](?:(?:begin(?:ning)?|start)_?of_?\w+|bo[smtcdiaf](?:_token)?|pad|unk|/role)[>\]]"
)
_OPENERS = (
    "<|im_start|> <|start_header_id|> <|header_start|> <|start_of_role|> <|role_start|> <|start|>"
    " <start_of_turn> <|turn> <|begin|> ]~b] <seed:bos> <special_11> <extra_id_1> <role> <s>"
    " <beginning_of_sentence> <|im_assistant|> <|im_user|> <|im_system|> [unused9] <|bom|>"
    " [unused_token_146]"
)
_IS_OPENER = frozenset(_OPENERS.split())
_ROLES = {
    HEAD: "assistant model ai bot chatbot gpt answer final 助手",
    OPEN: "think thinking thought analysis reasoning",
    OTHER: "user human system tool observation developer ipython function environment 用户",
}
_ROLE_KINDS = {role: kind for kind, roles in _ROLES.items() for role in roles.split()}
_ROLE = re.compile(
    r"\s*([^\W\d_]+)[ \t]*(?=[\n:：<\[]|name=)(?:name=[^\n<]*)?[:：]?", re.IGNORECASE
)
_CHANNEL = re.compile(r"\s*([a-z]*)[^<\n]*(?:<\|constrain\|>\w*)?", re.IGNORECASE)
_STRIPPED_CHANNEL = re.compile(
    r"^(.*)\bassistant(?:commentary)?\s?final(?=\S)|^(.*)(?<=\S)assistantfinal", re.DOTALL
)
_ROLE_BEFORE = re.compile(r"\b(assistant|user|system)<\|role_sep\|>")  # GigaChat's
_PHRASES = re.compile(
    r"^\W*here(?:'s| is) my (?:thought|thinking|reasoning)(?: process)?:(.*?)"
    r"(?:here(?:'s| is) my (?:final )?(?:response|answer)\W*:(.*))?$",
    re.DOTALL | re.IGNORECASE,
)
_WRITTEN_OUT = re.compile(  # as `ollama run` shows a reasoning
    r"^\W*thinking\.\.\.[ \t]*\n(.*?)\n?[ \t]*\.\.\.done thinking\.?(.*)$",
    re.DOTALL | re.IGNORECASE,
)
_FOLDED = re.compile(  # as web pages fold away a reasoning
    r"<details[^<>]*>\s*<summary>[^<]*(?:think|thought|reason|gedanken|denk|思考|推理)[^<]*</summary>"
    r"(.*?)</details>|<!--(.*?)-->"
    r"|<(?:plan|explanation|justification|erklärung|begründung|uitleg|解释)>(.*?)"
    r"</(?:plan|explanation|justification|erklärung|begründung|uitleg|解释)>",
    re.DOTALL | re.IGNORECASE,
)
_STRUCK_TAG = re.compile(r"<(s|del|strike)>[^<\n]*</\1>(?=[ \t]*[^\s<])|<(del|strike)>[^<]*</\2>")


# Marks of families of models whose form does not say what they do, as `_key` has them; the form of
# all others says it: `<|im_ende|>`, `<deep_think>`, `[/THOUGHT]`. The families with their sources
# are in research/studies/data/reply_families.toml.
_MARKS = {
    OPEN: "<unused94> [unused16] <ctrl94>",
    CLOSE: "<channel|> <unused95> [unused17] <ctrl95>",
    ANSWER: "<|start_text|>",
    END: "<|endofresponse|> <|message_sep|> <|hy_place_holder_no_2|> [unused_token_145] <|eom_id|>"
    " </longcat_s> [e~[ <special_12> [unused10] <sep> <seed:eos>",
    HEAD: "<reserved_107> <|response|> [/inst] <ai>",
    OTHER: "<reserved_106> <|start_action|> <|start_tool_result|> <|role_sep|> [inst] <<sys>>"
    " <用户> [system_prompt] [tool_calls] <extra_id_0>",
    FILLER: "<|end_text|> [gmask] <sop> <|end_of_role|> <|bot|> <eoh> <</sys>> <|end_header_id|>"
    " <|header_end|> <longcat_s> ]~!b[",
}
_KINDS = {mark: kind for kind, marks in _MARKS.items() for mark in marks.split()}


def _key(mark: str) -> str:
    """A mark as the table is looked up: in lower case, its bars and blanks those of ASCII."""
    return mark.lower().replace("｜", "|").replace("▁", "_")


def _kind(mark: str) -> int | None:
    """What a mark does, by the table or by its form; None for a text that is no mark."""
    key = _key(mark)
    if key in _KINDS:
        return _KINDS[key]
    if match := _TAG_OF_THOUGHT.fullmatch(key):
        return CLOSE if match[1] else OPEN
    if match := _TAG_OF_ANSWER.fullmatch(key):
        return FILLER if match[1] else ANSWER
    if match := _TAG_OF_QUESTION.fullmatch(key):
        return ASKED_END if match[1] else ASKED
    if _TAG_OF_END.fullmatch(key):
        return END
    if key in _IS_OPENER or _TAG_OF_START.fullmatch(key):
        return FILLER
    return _kind_of_words(key) if "|" in key or "◁" in key else None


def _kind_of_words(key: str) -> int:
    """What a special token does that stands in no table, by the words in it."""
    is_end = bool(re.search(r"end|close|suffix|stop|fin\b|/", key))
    if re.search(r"text|sentence|turn|message|document|file", key) and is_end:
        return END
    if re.search(rf"{_THOUGHT_WORDS}|inner|thought", key):
        return CLOSE if is_end else OPEN
    if re.search(r"answer|response|solution|box|result|output|final", key):
        return FILLER if is_end else ANSWER
    if re.search(r"user|human|system|tool|observation|prompt|inst|developer|function", key):
        return FILLER if is_end else OTHER
    if re.search(r"assistant|bot|model|gpt|\bai\b", key):
        return END if is_end else HEAD
    return END if is_end or re.search(r"eo[a-z]\b|eot|return|call", key) else FILLER


class _Turns:
    """Walks over the marks of a text and sorts what stands between them."""

    def __init__(self) -> None:
        self.parts = [""]  # what was said so far, the last of which is under way
        self.thoughts: list[str] = []
        self.open: list[str] = []
        self.closed: set[str] = set()
        self.asked = ""  # what tags give to another question; it counts where nothing else is said
        self.is_asked = self.is_other = self.is_over = self.was_opened = False

    def take(self, piece: str) -> None:
        """Puts the text before a mark where it belongs."""
        if self.open:
            self.thoughts.append(piece)
        elif self.is_asked:
            self.asked += piece
        elif not self.is_other:
            self.parts[-1] += piece

    def turn(self, kind: int, name: str) -> None:
        """Follows a mark."""
        has_said = any(part.strip() for part in self.parts)
        if kind == OPEN:
            self.parts += [] if self.open else [""]
            self.open += [] if name in self.open else [name]
            self.is_other, self.was_opened = False, True
        elif kind == CLOSE:
            self._close(name)
            self.closed, self.is_asked = set(), False  # so far it was reasoning
        elif kind == ANSWER:
            self.open = []
            self.is_asked = name in self.closed  # a second one is to another question
            self.parts.append("")
        elif kind == FILLER and not self.open and _said_lines(self.parts[-1]):
            self.closed.add(name)
        elif kind in (ASKED, ASKED_END) and not self.open:
            self.is_asked = kind == ASKED
            self.is_over = self.is_asked and any(map(_said_lines, self.parts))
        elif kind == END and (self.open or self.is_other):
            self.open, self.is_other = [], False
        elif kind in (END, HEAD, OTHER) and has_said and not self.open:
            self.is_over = True
        elif kind in (HEAD, OTHER):
            self.open, self.is_other = [], kind == OTHER

    def _close(self, name: str) -> None:
        if self.open:
            self.open = self.open[: self.open.index(name)] if name in self.open else []
        elif self.was_opened:  # once more: it separates, and takes nothing back
            self.parts.append("")
        else:  # the template opened it: all so far is reasoning
            self.thoughts += self.parts
            self.parts = [""]

    def said(self) -> str:
        """The last part that says anything."""
        parts = (self.asked, *self.parts)
        return next((part for part in reversed(parts) if part.strip()), "").strip()


def split_reply(content: Any) -> SplitReply:
    r"""What a reply says, and its reasoning, without any mark of a family.

    `content` is a text, a list of chunks as APIs send them, a chunk, or None; a TypeError for
    others. A block that is never closed leaves what stood before it; a closing mark without an
    opening one makes all before it reasoning. The model's first turn counts.

    Example:
        >>> split_reply("[THINK]The dog? No.[/THINK]the cat</s>\n<s>[INST]Next")
        SplitReply(text='the cat', reasoning='The dog? No.')
        >>> split_reply([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "x"}])
        SplitReply(text='x', reasoning='hm')
    """
    if isinstance(content, str):
        content = _written_chunks(content.strip())
    text, sent = content_texts(content)
    written: list[str] = [sent]
    if "final" in text and (match := _STRIPPED_CHANNEL.match(text)):
        # gpt-oss where the server has dropped its tokens and kept their words
        thought = (match[1] or match[2] or "").strip()
        written.append(re.sub(r"^(?:assistant)?(?:analysis|commentary)", "", thought))
        text = text[match.end() :]
    for mark, phrases in (("ere", _PHRASES), ("done thinking", _WRITTEN_OUT)):
        if mark in text and (match := phrases.match(text)):
            written.append(match[1])
            text = match[2] or ""
    if "<" in text:
        written += ["".join(filter(None, match.groups())) for match in _FOLDED.finditer(text)]
        text = _FOLDED.sub("", text)
    if "<" in text or "[" in text or "◁" in text or "]~" in text:
        turns = _turns(_STRUCK_TAG.sub("", _ROLE_BEFORE.sub(r"<|\1|>", text)))
        written += turns.thoughts
        text = turns.said()
    return SplitReply(text.strip(), "\n".join(filter(None, map(str.strip, written))))


def _turns(text: str) -> _Turns:
    turns, place = _Turns(), 0
    for match in _MARK.finditer(text):
        if match.start() < place or (kind := _kind(match[0])) is None:
            continue
        turns.take(text[place : match.start()])
        place, key = match.end(), _key(match[0])
        name = re.sub(r"[\W_]|start|begin|end|of|\bs$", "", key)
        if key in ("<|channel|>", "<|channel>"):
            channel = _CHANNEL.match(text, place)
            kind = ANSWER if channel and channel[1].lower() == "final" else OPEN
            place = channel.end() if channel else place
        elif key in _IS_OPENER and (role := _ROLE.match(text, place)):
            kind = _ROLE_KINDS.get(role[1].lower(), kind)
            place = role.end() if role[1].lower() in _ROLE_KINDS else place
        turns.turn(kind, name)
        if turns.is_over:
            return turns
    turns.take(text[place:])
    return turns


# --- The reader: chunks become text; reasoning, marks of the turn and other speakers' turns go, by
# the table above and by the form of what stands in no table; what follows a question that the model
# asks itself goes, and what is struck out or crossed; JSON, boxes and answer tags are unwrapped;
# what stands behind the last "Answer:" of several languages is left. Each suite reads the rest.

# --- the next question, which a base model asks itself

# what a turn that is not the answer, and what an answer is called: a row for each language
_TURN_NAMES = (
    (r"(?:(?:next|new|another|follow-?up|second) )?"
     r"(?:question|q|sentence|passage|context|problem|task|exercise|example|instruction|input|text"
     r"|prompt|user|human|system|word|student|customer)|gpt4 correct user",
     r"(?:the |my )?(?:(?:final|short|correct|best|direct) )?(?:answer|ans|response|reply|result"
     r"|output|solution|conclusion|choice|prediction|guess)"),
    (r"(?:nächste )?frage|satz|aufgabe|beispiel|nutzer|benutzer|eingabe|wort",
     r"(?:(?:die|meine) )?(?:(?:endgültige|finale|kurze|richtige|korrekte) )?(?:antwort|endantwort"
     r"|lösung|ergebnis|fazit|ausgabe)"),
    (r"(?:volgende )?vraag|zin|opdracht|voorbeeld|gebruiker|invoer|woord",
     r"(?:het |mijn )?(?:(?:definitieve|uiteindelijke|juiste|korte) )?(?:antwoord|eindantwoord"
     r"|oplossing|resultaat|conclusie|uitvoer)"),
    (r"(?:下一个|下一個)?(?:问题|問題|问|問)|句子|原句|原文|例子|例句|例|用户|用戶|题目|題目|输入|輸入",
     r"(?:最终|最終|正确|正確|最后|我)?的?(?:答案|回答|答复|结果|結果|结论|結論|输出|輸出|答"
     r"|分词|分詞|切分|分割)(?:结果|結果|如下)?"),
    (r"pregunta|pergunta|domanda|oración|frase|énoncé|ejemplo|exemplo|exemple|esempio",
     r"(?:réponse|respuesta|resposta|risposta)(?: finale?)?"),
    (r"вопрос|предложение|пример", r"ответ"),
    (r"質問|例文|문장|질문|문제|예문", r"答え|정답|답변?|대답"),
)  # fmt: skip
_OTHER_NAMES, _ANSWER_NAMES = (f"(?:{'|'.join(names)})" for names in zip(*_TURN_NAMES, strict=True))
_DECOR = r"[ \t>*_#`\-–—=|.\d)(]{0,10}"
_TURN_LABEL = re.compile(
    rf"^{_DECOR}(?:"
    rf"(?P<other>{_OTHER_NAMES})"
    r"|(?P<model>(?:assistant[:：]\s*)*"  # a template's and a model's own
    r"(?:assistant|ai|bot|chatbot|model|gpt4 correct assistant|falcon|assistent|助手))"
    rf"|(?P<answer>{_ANSWER_NAMES}|a))[*_`]*\s{{0,2}}"
    r"(?:#?\d{1,3}|[ivx]{1,4}|\([a-h\d]\))?[.)]?[*_`]*[ \t]*"
    r"[:：][*_`]*"
    r"|^#+[ \t]*(?:(?P<other_head>(?:next )?(?:question|sentence|problem|example|frage|satz"
    r"|beispiel|vraag|zin|voorbeeld|问题|句子|例子)(?:[ \t]\d+)?)"
    r"|(?P<answer_head>(?:final )?answer|antwort|antwoord|答案))[ \t]*$"
    r"|^(?P<other_next>(?:next|(?:example|question|sentence)[ \t]\d+)[:.]?|now you try\W*)[ \t]*$"
    r"|^(?:(?P<other_alone>user|human)|(?P<model_alone>assistant|model))[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_GLUED = re.compile(r"(?<=[^\s\w])(?:assistant|user)\n\n|(?<=[a-z.])(?:assistant|user)\n\n(?=\S)")
_ANSWERED_QUESTION = re.compile(
    rf"[?？][\"'*_)\]]*\s*{_DECOR}(?:{_ANSWER_NAMES}|a)[*_`]*[ \t]*(?:#?\d{{1,3}})?"
    r"[*_`]*[ \t]*(?:[:：]|$)",
    re.IGNORECASE | re.MULTILINE,
)
_QUESTION_START = re.compile(
    rf"[.!。！][\"'*_)]*\s+|(?<!the)(?<!this)[ \t]+(?=(?:{_OTHER_NAMES})[ \t]*[:：])", re.IGNORECASE
)
_ASKS = re.compile(r"\b(?:who[ms]?e?|what|which|how|many|when|where|why|did|does|the)\b")
SHORT = 6  # words of a line that may be an answer; more of them are a sentence or a thought
_LABEL_ALONE = re.compile(rf"\W*(?:{_OTHER_NAMES})\W*\d{{0,3}}\W*", re.IGNORECASE)
_UNNAMED_QUESTION = re.compile(
    r"\s*([^\n]{1,90}[^\n?？:：])\n\s*(?:[-=*_]{3,}[ \t]*)?\n[^\n]{3,300}[?？][ \t]*\n\s*\S"
)
PREFACE = re.compile(
    r"^\W*(?:(?:(?:sure|okay|ok|certainly|of course|great|absolutely|natürlich|gerne?|klar|sicher"
    r"|gut|zeker|natuurlijk|prima|goed|好的?|当然|當然|没问题|沒問題)(?:\W+|$))?"
    r"(?:(?:let(?:'s| me| us)|first|to answer|to find|to determine|step \d|we need|i need|i will"
    r"|i'll|lass(?:en|t)?|zuerst|laten we|eerst|ik zal|ich werde|以下|首先|让我|讓我|我来|下面).*)?"
    r"|[^\n]*[:：])\W*$",
    re.IGNORECASE,
)


def _said_lines(piece: str) -> list[str]:
    """The lines of a piece that say more than that an answer will come."""
    lines = [line for line in piece.split("\n") if any(map(str.isalnum, line))]
    return [line for line in lines if not (PREFACE.match(line) or _LABEL_ALONE.fullmatch(line))]


def first_turn(text: str) -> str:
    r"""A text up to the first turn after its answer: a question of its own, or another speaker.

    A question that is only said again before a labelled answer goes.

    Example:
        >>> first_turn("the dog\n\nQuestion: Who barked?\nAnswer: the cat")
        'the dog'
        >>> first_turn("Question: Who barked?\nAnswer: the cat")
        'Answer: the cat'
    """
    if (glued := _GLUED.search(text)) and _said_lines(text[: glued.start()]):
        text = text[: glued.start()]
    if (unnamed := _UNNAMED_QUESTION.match(text)) and _said_lines(unnamed[1]):
        text = unnamed[1]
    return _before_next_question(_labelled_turn(text))


def _before_next_question(text: str) -> str:
    """A text up to a question that it asks itself behind an answer, and answers behind a label.

    The asked question said again has its words in what stands before it: the sentence, a thought on
    it, but no short answer.
    """
    for match in _ANSWERED_QUESTION.finditer(text):
        line = text.rfind("\n", 0, match.start()) + 1
        starts = _QUESTION_START.finditer(text[line : match.start()])
        start = max((line + found.end() for found in starts), default=line)
        before, question = text[:start].strip(), text[start : match.start()].lower()
        words = set(re.findall(r"\w{3,}", _ASKS.sub("", question)))
        lines = [re.findall(r"\w+", line.lower()) for line in _said_lines(before)]
        seen = lines if lines and len(lines[0]) > SHORT else lines[:1]
        is_again = "the question" in question or (words and words <= set(chain(*seen)))
        if lines and not is_again:
            return before
    return text


def _labelled_turn(text: str) -> str:
    """A text up to the label of a turn after its answer, without a question that leads to it."""
    start, asked = 0, ""
    for match in _TURN_LABEL.finditer(text):
        piece, kind = text[start : match.start()], match.lastgroup or ""
        if kind.startswith("other"):
            label = re.sub(r"\W|\d", "", match[0].lower())
            if (not asked and _said_lines(piece)) or label == asked:
                return text[start : match.start()].rstrip()
            asked = asked or label
        elif asked and kind.startswith("answer"):
            start, asked = match.start(), ""
        elif kind.startswith("model"):
            if not asked and _said_lines(piece):
                return piece.rstrip()
            start, asked = match.end(), ""
    return text[start:] if start else text


# --- polarity

CROSSES, TICKS = "❌✗✘✖☒❎✕🚫⛔👎", "✅✔✓☑👍"
_NO_TICKS = dict.fromkeys([*map(ord, TICKS), 0xFE0F])
_STRUCK = re.compile(
    r"~~[^~]+~~|<(del|strike)>.*?</\1>|(?:[^\s][\u0335-\u0338])+(?:\s(?:[^\s][\u0335-\u0338])+)*"
    r"|\\(?:cancel|xcancel|bcancel|sout|st)\s*\{[^{}]*\}",
    re.DOTALL,
)
_SIGNS = re.compile(f"([{CROSSES}{TICKS}])")
_WRONG_LINE = re.compile(
    r"^\W*(?:(?:in|un)correct|wrong|false|rejected|falsche?|inkorrekt|foute?|onjuiste?|错误的?|錯誤的?"
    r"|不正确的?|不正確的?|不是)(?: (?:answer|option|choice|antwort|antwoord))?"
    r"(?:答案|分词|分詞|切分|示例|结果|結果)?\W{0,3}[:：].*$",
    re.IGNORECASE | re.MULTILINE,
)
_UNCHECKED = re.compile(r"^[ \t]*[-*+]?[ \t]*(?:\[ ?\]|\( \)|[☐○◯⬜]).*$", re.MULTILINE)
_CHECKED = re.compile(r"^([ \t]*[-*+]?[ \t]*)(?:[\[(][xX✓✔•●][\])]|[●◉⦿])", re.MULTILINE)


def affirmed_lines(text: str) -> str:
    """A text without what is struck out, crossed, or said to be wrong.

    Example:
        >>> affirmed_lines("~~the dog~~ the cat"), affirmed_lines("❌ the dog")
        (' the cat', '')
    """
    text = _STRUCK.sub("", text)
    if any(sign in text for sign in CROSSES):
        text = "\n".join(map(_affirmed, text.split("\n")))
    text = text.translate(_NO_TICKS)
    text = _CHECKED.sub(r"\1", _UNCHECKED.sub("", text))
    return _WRONG_LINE.sub("", text) if ":" in text or "：" in text else text


def _affirmed(line: str) -> str:
    """The parts of a line that no cross stands before, or after where the line begins with none."""
    parts = _SIGNS.split(line.replace("\ufe0f", ""))
    if len(parts) == 1:
        return line
    if any(map(str.isalnum, parts[0])):  # the sign follows
        pairs = [(parts[i], parts[i + 1]) for i in range(0, len(parts) - 1, 2)] + [(parts[-1], "")]
    else:
        pairs = [(parts[i + 1], parts[i]) for i in range(1, len(parts) - 1, 2)]
    return " ".join(text.strip() for text, sign in pairs if not sign or sign in TICKS).strip()


_NOT_BUT = re.compile(
    r"^(?P<head>(?:(?:no|nein|nee),? )?"
    r"(?:(?:it|this|that|the answer|es|das|dies|het|dat|die antwort|het antwoord)"
    r"(?:'s|’s| is| was| ist| war| will be)?,? )?)"
    r"(?:(?:is|was|ist|war)?n't|not|nicht|niet) (?!only|just|nur|alleen|slechts)(?P<no>.{1,90}?)"
    r"(?:,? (?:but(?: rather)?|rather|sondern|maar(?: wel)?) "
    r"|[,;.] (?:it|that|this)(?:'s| is| was) |[,;.] (?:es|das) (?:ist|war) "
    r"|[,;.] (?:het|dat) (?:is|was) |; (?=\w+ \w+\W*$)"
    r"|(?:[,.:]| [-–—]) (?=(?:the|der|die|das|de|het) \w+\W*$))(?P<yes>[^,;].*)$"
    r"|^(?:rather than|instead of|statt|anstatt|anstelle von|in plaats van) (?P<no2>[^,]{1,90}), "
    r"(?P<yes2>.+)$"
    r"|^(?:(?:one|you|many|some|people|man|viele|manche|je|men) (?:\w+ )?"
    r"(?:might|may|could|would|könnte|koennte|zou) |(?:it|that|es|het) (?:may|might|mag) "
    r"|at first glance|auf den ersten blick|op het eerste gezicht)[^.;]{1,90}?,? "
    r"(?:but|aber|doch|jedoch|maar),? (?:it(?:'s| is)|es ist|het is|actually|in fact)?(?P<yes4>.+)$"
    r"|^.{0,12}?(?:不是|并非|並非|并不是)(?P<no3>.{1,60}?)[，,；;]?\s*(?:而是|是)(?P<yes3>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_NOT_AFTER = re.compile(
    r"^(?P<yes>.+?)"
    r"(?:,? (?:rather than|instead of|as opposed to|and not|but not|und nicht|statt|anstatt"
    r"|anstelle von|en niet|maar niet|in plaats van) (?!(?:\w+ )?(?:sure|certain|sicher)\b)"
    r"|(?:,|;| [-–—]| [(\[]) ?(?:not|nicht|niet) "
    r"(?!only|just|nur|alleen|(?:\w+ )?(?:sure|certain|sicher|gewiss|zeker)\b)"
    r"|[，,；;（(]\s*(?:而不是|而非|不是|并非))(?P<no>.{1,90}?)[)）\].。]*$",
    re.IGNORECASE | re.DOTALL,
)
_WRONG = (
    r"\b(?:wrong|incorrect|false|rejected|falsche?[rns]?|unrichtig|inkorrekt|foute?|onjuiste?)\b"
    r"|[:=–—-]\s*(?:no|nein|nee)\W*$|[错錯]"
)  # of an answer, before it or behind it
_NEGATION = re.compile(
    r"\b(?:not|cannot|never|n't|hardly|unlikely|impossible|without(?! (?:a )?(?:doubt|question))"
    r"|(?<!no )(?<!out )(?<!beyond )doubt|unclear|except|(?:any|every)(?:thing|one|body) but"
    r"|all but"
    r"|no evidence|(?:one|you|many|some|people|man|viele|manche|je|men) (?:\w+ )?(?:might|may|could"
    r"|would|könnte|koennte|zou)|at first glance|auf den ersten blick|op het eerste gezicht"
    r"|nicht|nie|niemals|mitnichten|allenfalls|kaum|kein\w*|weder|außer|ausser|ohne(?! zweifel"
    r"| frage)|scheidet"
    r"|unmöglich|unmoeglich|ausgeschlossen|neither|nor"
    r"|niet|geen|nooit|behalve|onmogelijk|zonder(?! twijfel)"
    rf")\b|{_WRONG}|n't\b|不|没|沒|非|別|别|无法|無法|除|乍一看|看似",
    re.IGNORECASE,
)


def affirmed(unit: str) -> str:
    """What a sentence affirms where it sets it against what is not so; else the sentence.

    Example:
        >>> affirmed("Nicht der Hund, sondern die Katze."), affirmed("the cat rather than the dog")
        ('die Katze.', 'the cat')
    """
    if match := _NOT_BUT.match(unit):
        return next(match[name] for name in ("yes", "yes2", "yes3", "yes4") if match[name])
    if match := _NOT_AFTER.match(unit):
        bare = re.sub(r"\W+", " ", match["no"]).strip()
        if bare and not re.search(rf"\b{re.escape(bare)}\b", re.sub(r"\W+", " ", match["yes"])):
            return match["yes"]
    return unit


def is_denied(unit: str) -> bool:
    """Whether a sentence has a word of negation, in English, German, Dutch or Chinese."""
    return bool(_NEGATION.search(unit))


def is_wrong(text: str) -> bool:
    """Whether a text calls what it is about wrong, or asks no more of it than a no."""
    return bool(_WRONG_TEXT.search(text))


# what follows takes back what was said, a row for each language; words are as they are or in ASCII
CORRECTION = (
    r"(?:(?:no|nope|wait|actually|in fact|sorry|apologies|oops|correction|scratch that|hold on"
    r"|(?:on )?second thoughts?|on (?:reflection|closer inspection)|strictly speaking|but wait"
    r"|but actually|(?:update|edit)(?=\s*:)|i mean(?:t)?|or rather|rather|i (?:was wrong"
    r"|made a mistake)"
    r"|that's wrong|that is wrong|my (?:mistake|apologies)|let me (?:correct (?:that|myself)"
    r"|re-?(?:check|read|consider)\w*(?: (?:that|it))?)|strike that|i take that back|h+m+"
    r"|nein|halt|moment|warte|korrektur|doch|entschuldigung|pardon|tats(?:ä|ae)chlich"
    r"|in wirklichkeit|oder vielmehr|besser gesagt"
    r"|corrected|nee|wacht|correctie|in feite|of eerder)\b|不对|等等|更正|改正|修正后?|抱歉)"
)


_WRONG_TEXT = re.compile(_WRONG, re.IGNORECASE)

# --- wrappings and markers

_KEYS = (
    "final_answer finalanswer answer antwort antwoord 答案 final response reply result output"
    " solution prediction label choice count number total n segmentation segmented words tokens"
    " morphemes segments 分词 分词结果 events sequence value text content conclusion word morpheme"
)
_TAG = re.compile(r"[A-Za-z]{1,4}\d?")  # of a part of speech
_STEPS = re.compile(r"(?:step|event)?_?\d{1,2}")
_NO_ANSWER_KEY = re.compile(
    r"\bnot\b|error|reject|reason|think|thought|question|wrong|incorrect|false|explanation|analysis"
    r"|alternative|distractor|option|rationale|unsure|maybe|note|input|prompt|sentence|begründung"
    r"|denk|frage|vraag"
)
_OBJECT = re.compile(r"[{\[]\s*[\"']|\[\s*[\[({]")
MOST_OBJECTS, MOST_CLOSED = 8, 64  # objects, and brackets at which one may end, that are tried
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[\w+-]*[ \t]*$", re.MULTILINE)
_LATEX_TEXT = re.compile(
    r"\\(?:text(?:bf|it|rm|sf|tt|normal)?|math(?:rm|bf|it|sf)|mbox|emph|underline)\s*\{([^{}]*)\}"
)
_BOX = re.compile(r"\\f?(?:boxed|box)\s*(?=\{)|\\framebox\s*(?=\{)")
# an answer of others, or none: what follows is not said
_OF_OTHERS = "your their other previous alternative wrong incorrect falsche onjuiste foute"
_NOT_ITS = "".join(f"(?<!{word} )" for word in _OF_OTHERS.split())
_MARKER = re.compile(
    rf"\A\W*your answer[*_]*\s*[:：]\s*"
    rf"|(?<!\w){_NOT_ITS}(?:{_ANSWER_NAMES}|tl;?dr)(?: ?#?1)?[\"'*_`]*\s*[:：=]\s*"
    rf"|^\W*[【(]{_ANSWER_NAMES}[】)]\s*[:：]?\s*"
    r"|^[\s#>*_]*final[*_]*[:：]\s*"
    rf"|^[\s#>*_]*(?:{_ANSWER_NAMES})[*_]*[ \t]+(?:[-–—=>]|=>|->|→)[ \t]*"
    r"|(?:^\W*|(?<!\w)(?:the|my) )(?:(?:final|short|correct|right|best) )?"
    r"(?:answer|(?<=correct )(?:option|choice))"
    r"(?: (?:to|for) [^.:\n]{1,60}?)? (?:is|was|would be|should be|must be|will be)\b"
    r"(?: that\b)?\s*:?\s*"
    r"|(?<!\w)(?:die|meine) (?:(?:richtige|endgültige|korrekte) )?(?:antwort|lösung)"
    r"(?: auf [^.:\n]{1,60}?)? (?:ist|lautet|wäre|muss)\b\s*:?\s*"
    r"|(?<!\w)(?:het|mijn) (?:(?:juiste|definitieve|correcte) )?antwoord(?: op [^.:\n]{1,60}?)?"
    r" (?:is|luidt|zou)\b\s*:?\s*"
    r"|(?<!\w)(?:la réponse est|la respuesta es|a resposta é|la risposta è)\b\s*:?\s*"
    r"|(?:答案|回答|分词结果|分詞結果|切分结果)(?:应该|應該)?(?:是|为|為)\s*[:：]?\s*"
    rf"|^[\s#*]*(?:{_ANSWER_NAMES})[*_]*[ \t]*$\n"
    r"|^[\s#>*_]*ans\.[ \t]+"
    r"|^[\s#>*_]*(?:correct|richtig|korrekt|juist|正确|正確)\s*[:：]\s*|^\s*a\s*[:：]\s*",
    re.IGNORECASE | re.MULTILINE,
)
_WHOLE_TAG = re.compile(r"<(\w+)(?:\s[^<>]*)?>(.*)</\1>", re.DOTALL)
_COLUMN = re.compile(
    rf"(?:{_ANSWER_NAMES}|words?|tokens?|morphemes?|segments?|词语?|詞語?|单词|语素|morpheem)",
    re.IGNORECASE,
)
_ANSWER_CELL = re.compile(_ANSWER_NAMES, re.IGNORECASE)
_MAY_BE_MARKED = re.compile(
    r"(?i)ans(?:wer)?\b|answer|response|reply|result|output|solution|conclusion|antwo|lösung"
    r"|ergebnis|fazit"
    r"|ausgabe|oplossing|resulta|conclusie|uitvoer|choice|predict|guess|tl;?dr|final|correct"
    r"|richtig|korrekt|juist|r[ée]ponse|respuesta|r[ei]sposta|ответ|정답|[答结結输輸分切正]|^\s*a\s*[:：]",
    re.MULTILINE,
)
MARKUP = re.compile(
    r"[*`]|~(?!\d)|^[ \t]*#+(?![#\d])[ \t]*|(?<!\w)_+|_+(?!\w)|^\s*>+(?![>\d])"
    r"|</?(?:b|i|u|em|strong|p|br|div|span|font|code|pre|mark|li|ul|ol|h[1-6]|sub"
    r"|sup)(?:\s[^<>]*)?/?>"
    r"|^[ \t]*(?:[-=#_*]{3,})[ \t]*$|#{2,}$",
    re.MULTILINE,
)
# as web pages, byte tokens and printed strings write a mark or the end of a line
_ESCAPED = re.compile(r"&(?:[a-zA-Z]{2,6}|#x?[\da-fA-F]{2,5});|<0x0[aA]>|(?:\\n)+\s*$")
_CITED = re.compile(r"(?<=[^\W\d_])(?:\s?\[\d{1,2}\]|[¹²³⁴⁵])(?=\W*$)", re.MULTILINE)
_PLAIN_REPLY = re.compile(r"[A-Za-z0-9 ,.'\n]*")
# as _MAY_BE_MARKED in ASCII, and what marks a turn in words; quicker to look for
_MARKER_STEM = re.compile(
    r"\b(?:ans|antwo|assistant|respons|reply|result|output|solution|conclusi|ergebnis|fazit|ausgabe"
    r"|oplossing|uitvoer|tldr|choice|predict|guess|correct|richtig|korrekt|juist|final|user|model"
    r"|human|done thinking"
    r"|respuesta|resposta|risposta)"
)


def said(reply: Any, *, has_markers: bool = True) -> str:
    r"""The answer in a reply, in its own letters: what stands behind the last marker, unwrapped.

    Without reasoning, marks, later turns, what is struck out, JSON, boxes and most markup; "" where
    there is no answer. Markers and markup stay where they may be letters of the answer, without
    `has_markers`.

    Example:
        >>> said("<think>The dog... no.</think>**Antwort:** die Katze<|im_end|>")
        'die Katze'
        >>> said('```json\n{"answer": "the cat"}\n```')
        'the cat'
    """
    if isinstance(reply, str) and is_plain(reply):
        return reply.strip()
    if isinstance(reply, str):
        is_escaped = '\\"' in reply and '"' not in reply.replace('\\"', "")
        reply = reply.replace('\\"', '"') if is_escaped else reply
        reply = _ESCAPED.sub(lambda m: html.unescape(m[0]) if m[0][0] == "&" else "\n", reply)
    text = _CITED.sub("", affirmed_lines(first_turn(split_reply(reply).text)))
    if "\u2581" in text or "\u0120" in text:  # pieces of a tokenizer
        text = text.replace("\u010a", "\n").replace("\u2581", " ").replace("\u0120", " ")
    if "{" in text or "[" in text:
        text = _with_json_read(text)
    if "\\" in text:
        text = _unboxed(text)
    while (match := _WHOLE_TAG.fullmatch(text.strip())) and f"<{match[1]}" not in match[2]:
        text = "" if _NO_ANSWER_KEY.search(match[1].lower()) else match[2]
    if "|" in text:
        text = _with_table_read(text)
    if "```" in text:
        text = _FENCE.sub("", text)
    if not has_markers:
        return text.strip()
    return _after_last_marker(MARKUP.sub("", text)).strip()


def _with_table_read(text: str) -> str:
    """A text with a Markdown table's column of answers or words, or its row of an answer, alone."""
    table = [line.strip().strip("|").split("|") for line in text.split("\n") if "|" in line]
    rows = [[MARKUP.sub("", cell).strip() for cell in row] for row in table]
    rows = [row for row in rows if any(cell.strip("-: ") for cell in row)]
    if not rows or len({*map(len, rows)}) > 1:
        return text
    told = [row[1] for row in rows if len(row) == 2 and _ANSWER_CELL.fullmatch(row[0])]
    if len(told) == 1 and not _ANSWER_CELL.fullmatch(told[0]) and "" not in rows[0]:
        return f"Answer: {told[0]}"
    place = next((i for i, cell in enumerate(rows[0]) if _COLUMN.fullmatch(cell)), None)
    if place is None or len(rows) < 2:
        return text
    cells = "\n".join(row[place] for row in rows[1:])
    rest = [line for line in text.split("\n") if "|" not in line]
    return "\n".join([*rest, f"Answer: {cells}"])


def is_plain(reply: str) -> bool:
    """Whether a reply is words, blanks and full stops, without marker: all of it is the answer."""
    return bool(_PLAIN_REPLY.fullmatch(reply)) and not _MARKER_STEM.search(reply.lower())


def _with_json_read(text: str) -> str:
    """A text whose first JSON object or list with an answer is replaced by it, marked as one.

    A further object, which answers another question, goes with what follows; one of reasoning goes.
    """
    bare, place = _FENCE.sub("", text).strip(), 0
    for _ in range(MOST_OBJECTS):
        if not (match := _OBJECT.search(bare, place)):
            break
        found, place = _value_at(bare, match.start())
        answer, further = _json_answer(found), _OBJECT.search(bare, place)
        if answer or (answer == "" and not further):
            rest = bare[place : further.start() if further else None]
            return f"{bare[: match.start()]}\n{answer and f'Answer: {answer}'}\n{rest}"
    return text


def _value_at(text: str, start: int) -> tuple[Any, int]:
    """The JSON or Python value that begins at a place, None for none, and where to look on."""
    for match in islice(re.finditer(r"[}\]]", text[start:]), MOST_CLOSED):
        if (found := literal(text[start : start + match.end()])) is not None:
            return found, start + match.end()
    return None, start + 1


def _json_answer(found: Any) -> str | None:
    if isinstance(found, str | int | float) and not isinstance(found, bool):
        return str(found)
    if isinstance(found, list | tuple) and found:
        if len(found) == 1:
            return _json_answer(found[0])
        if all(isinstance(one, list | tuple) and len(one) == 2 for one in found):
            found = [one[0] if _TAG.fullmatch(str(one[1])) else one for one in found]
        parts = [_json_answer(one) for one in found]
        has_blanks = any(" " in str(part) for part in parts)  # events, not the words of one
        return None if None in parts else ("\n" if has_blanks else " ").join(map(str, parts))
    if isinstance(found, Mapping):
        lower = {str(key).lower().replace(" ", "_"): value for key, value in found.items()}
        for key in _KEYS.split():
            if key in lower and lower[key] in (None, False, "", []):
                return ""
            if key in lower and (answer := _json_answer(lower[key])) is not None:
                return answer
        if len(lower) > 1 and all(map(_STEPS.fullmatch, lower)):
            return _json_answer(list(lower.values()))
        if len(lower) == 1:
            ((key, value),) = lower.items()
            return "" if _NO_ANSWER_KEY.search(key) else _json_answer(value)
    return None


def _unboxed(text: str) -> str:
    """A text whose boxes stand alone behind a marker, without LaTeX around words."""
    while _LATEX_TEXT.search(text):
        text = _LATEX_TEXT.sub(r"\1", text)
    while match := _BOX.search(text):
        depth, end = 0, match.end()
        for end in range(match.end(), len(text)):
            depth += (text[end] == "{") - (text[end] == "}")
            if depth == 0:
                break
        inner = text[match.end() + 1 : end]
        text = f"{text[: match.start()]}\nAnswer: {inner}\n{text[end + 1 :]}"
    return re.sub(r"\\[()\[\]]|\\[,;!]|\$", "", text).replace("\\ ", " ").replace("\\_", "_")


def _after_last_marker(text: str) -> str:
    parts = _MARKER.split(text) if _MAY_BE_MARKED.search(text) else [text]
    if len(parts) == 1:
        return text
    last = next((part for part in reversed(parts[1:]) if part.strip(" \n.}$\"'")), "")
    return last.strip(" \n}$")
