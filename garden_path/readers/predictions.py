"""One function per kind of prediction: a user's file in, values aligned with the rows out.

Each takes the texts of the rows, and their ids where they have some, and raises a ValueError for a
file that is none of its formats or belongs to other rows. A row without a prediction is None and
counted: nothing is guessed.
"""

import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from builders.notations import (
    NEGATIVE,
    ROUNDING,
    check_whole,
    fitted,
    list_at,
    oddities,
    of_positive,
    segmented,
)
from garden_path.models.system import as_list
from garden_path.readers.files import (
    IDS,
    OBJECTS,
    OF_MODELS,
    OF_PROGRAMS,
    TEXTS,
    check_in_order,
    given_lists,
    match,
    read_records,
    reply_of,
    texts_of,
    with_id_of_item,
    with_ids,
    with_one_column,
)
from ground.matching import Matched, check_texts, key_for, key_of
from ground.records import (
    Records,
    fields_of,
    number_of,
    numbered_lines,
    value_of,
    with_one_mark,
    without_counter,
)
from metrics._shared.language_models import TokenScores, check_firsts, token_scores
from metrics._shared.plain_text import TextError, cut

WORDS = (
    *("words", "segmentation", "segmented", "tokens"),
    *("prediction", "predictions", "output", "cut"),
)
ANSWERS = (*OF_MODELS, "answer")  # the last is also what golds are called
REPLIES = re.compile(
    r"(?i)(?:output|response|reply|generation|prediction|completion)s?$"
    r"|^(?:model|llm|system|predicted|generated|pred)_(?:answer|text)$|^pred$"
)
ENDS = ("finish_reason", "stop_reason")
CUT_OFF = ("length", "max_tokens", "content_filter")
NO_ERRORS = ("", "none", "null", "nan", "false")
SURPRISALS = ("surprisal", "nll", "loss", "perplexity", "ppl", "bits", "neg_logprob")
ROUNDING_OF_SUMS = 0.01  # of a sum, or in nats, by which tokens that are rounded may differ
PROBABILITIES = (
    *("p", "p_positive", "positive", "probability"),
    *("prob", "score", "prediction", "p(positive)"),
)
LOGARITHMS = ("log_probability", "logprob", "log_prob", "logp")
SUMS = (*LOGARITHMS, "score", "sum", "prediction")
TREES = ("heads", "head")
LABELS = ("deprels", "deprel", "labels")
NO_SURPRISAL = (
    "negate surprisals, and take minus the logarithm of a perplexity times the number of tokens,"
    " and the logarithm of a probability"
)


@dataclass(frozen=True)
class Predictions:
    """Values of a file, one for each row, None for a row without one; and how it was read.

    `ids` are those of the rows, `id_column` where they were found if it is called otherwise than
    usual, `beside` columns of texts or lists that are not understood.
    """

    values: list[Any]
    matched: Matched
    where: str
    kind: str
    said: tuple[str, ...] = ()
    ids: Sequence[str] = ()
    id_column: str = ""
    beside: Sequence[str] = ()

    def report(self) -> str:
        """One line that says how the file was read, what is missing and what is left over."""
        n, missing = len(self.values), self.matched.n_missing
        parts = [f"{n - missing:,} of {n:,} rows matched by {self.id_column or self.matched.by}"]
        parts[0] += f", {missing:,} missing" if missing else ""
        if self.matched.n_left:
            things = "prediction" if self.matched.n_left == 1 else "predictions"
            parts.append(f"{self.matched.n_left:,} {things} of no row left over")
        return f"{self.where}: {'; '.join([self.kind, *parts, *self.said])}"

    def told(self) -> list[Any]:
        """The values, as `whole`, after the report was written to stderr."""
        print(self.report(), file=sys.stderr)
        return self.whole()

    def whole(self) -> list[Any]:
        """The values; a ValueError with how many and the first where some rows are missing."""
        if self.matched.n_missing:
            first = self.matched.places.index(None)
            name = f", {self.ids[first]!r}" if self.ids else ""
            raise TextError(
                f"{self.report()}; expected one for every row, got none for row {first + 1:,}{name}"
                " (`inputs --limit N` and `score --limit N` take the same part of the rows)"
            )
        return self.values


Read = Callable[[Records, int], Any]


def _check_second(
    records: Records,
    matched: Matched,
    texts: Sequence[str | None],
    row_texts: Sequence[str],
    read: Read,
    is_of_text: bool,
) -> None:
    """Refuses two predictions of one text that differ, where one of them would be lost.

    Of what is said of the text alone, such as its probability, no two may differ at all.
    """
    used = {place for place in matched.places if place is not None}
    if matched.by != "text" or not (matched.n_left or is_of_text):
        return
    key, of_text = key_for(row_texts), dict[str, int]()
    for place in sorted(used):
        of_text.setdefault(key(texts[place] or ""), place)
    for i, text in enumerate(texts):
        is_free = text is not None and (is_of_text or i not in used)
        first = of_text.get(key(text or "")) if is_free else None
        if first is not None and read(records, i) != read(records, first):
            raise TextError(
                f"{records.place(i)}: text, got another prediction of {cut(text or '')!r} than in"
                f" {records.place(first)}; expected one"
            )


def aligned(
    records: Records,
    texts: Sequence[str | None],
    row_texts: Sequence[str] | None,
    row_ids: Sequence[str] | None,
    read: Read,
    expected: str,
    *,
    is_of_text: bool = False,
    told: Sequence[str | None] | None = None,
) -> Predictions:
    """Values of the records that the rows have; only those are read.

    `told` are texts beside predictions, where `texts` may be made of predictions.
    """
    matched = match(records.where, texts_of(records, IDS), texts, row_ids, row_texts)
    if matched.by == "order":
        check_in_order(records, row_texts)
    if matched.by == "id":
        check_texts(records, matched, texts if told is None else told, row_texts or ())
    values = [None if place is None else read(records, place) for place in matched.places]
    _check_second(records, matched, texts, row_texts or (), read, is_of_text)
    pairs = zip(matched.places, values, strict=True)
    is_blank = [place is not None and value is None for place, value in pairs]
    if records.rows and all(is_blank):
        own = [str(name) for name in records.rows[0] if name != "id" or not records.id_column]
        named = ", ".join(own)
        turned = [name for name in own if name.lower() in SURPRISALS]
        raise TextError(
            f"{records.where}: predictions, got none in the columns {named}; expected some in"
            f" {expected}" + (f", which {turned[0]} is not: {NO_SURPRISAL}" if turned else "")
        )
    if any(is_blank):  # a cell that is empty is a row without a prediction
        places = [None if b else p for p, b in zip(matched.places, is_blank, strict=True)]
        matched = replace(matched, places=places)
    column = records.id_column if matched.by == "id" else ""
    others = {k: [one for one in of if one is not None] for k, of in records.others().items()}
    beside = [str(k) for k, of in others.items() if None in map(number_of, of)]
    said, ids = records.said, row_ids or ()
    return Predictions(values, matched, records.where, records.kind, said, ids, column, beside)


def check_cut(records: Records, made: Predictions, given: Sequence[Any], what: str) -> None:
    """Refuses a file of texts in which nothing is cut: it is likely what the system was given."""
    places = [place for place in made.matched.places if place is not None]
    parts = [value for value in made.values if value is not None]
    is_text = all(isinstance(given[place], str) for place in places)
    if parts and is_text and all(len(one) == 1 for one in parts):
        raise TextError(
            f"{records.where}: {what}, got none with a blank in any line; expected {what} between"
            " blanks: is this the input?"
        )


def read_words(
    path: str | Path, sentences: Sequence[str], ids: Sequence[str] | None = None
) -> Predictions:
    """Words of each sentence.

    A file has words between blanks, a sentence a line, with or without tags; or it is a table or
    JSON with `words` (a list, or words between blanks) and `id` or `text`.
    """
    records = with_one_column(read_records(path, (*WORDS, *TEXTS, *IDS)), WORDS)
    records = without_counter(with_ids(records, ids))
    raw = given_lists(records, ("line", *WORDS), "words")
    records, lists = segmented(records, raw, sentences)
    pairs = zip(texts_of(records, TEXTS), lists, strict=True)
    texts = ["".join(words) if text is None and words else text for text, words in pairs]
    expected = f"one of {', '.join(WORDS)}"
    found = aligned(records, texts, sentences, ids, lambda _, place: lists[place], expected)
    for place, words, sentence in zip(found.matched.places, found.values, sentences, strict=True):
        if odd := next((word for word in words or () if word.split() != [word]), None):
            where = records.place(place or 0)
            raise TextError(f"{where}: words, got {cut(odd)!r} as one; expected none with a blank")
        if place is not None and words and key_of("".join(words)) != key_of(sentence):
            raise TextError(
                f"{records.place(place)}: words, got those of {cut(''.join(words))!r}; expected"
                f" those of {cut(sentence)!r}"
            )
    check_cut(records, found, raw, "words")
    return found


def read_trees(
    path: str | Path, tokens: Sequence[Sequence[str]], ids: Sequence[str] | None = None
) -> Predictions:
    """A tree of each sentence, a dict of `tokens`, `heads` and `deprels`.

    A file is CoNLL, or a table or JSON with lists `heads` and `deprels`. `# sent_id` may name ids,
    in which `:` and `/` are alike. What is written of multiword tokens is a word where the sentence
    has it so: the first of its words whose head is outside stands for it.
    """
    records = read_records(path, (*TREES, *LABELS, *TEXTS, *IDS))
    records = with_one_column(with_one_column(records, TREES), LABELS)
    if any("line" in row for row in records.rows):
        raise TextError(
            f"{records.where}: trees, got plain lines; expected CoNLL, or heads and deprels"
        )
    for row in records.rows:
        if isinstance(row.get("id"), str):
            row["id"] = row["id"].replace(":", "/")
    known = None if ids is None else [one.replace(":", "/") for one in ids]
    records = with_ids(records, known)
    texts = [_written(records, i) for i in range(len(records.rows))]
    sentences = [" ".join(words) for words in tokens]
    made = aligned(records, texts, sentences, known, _tree, "heads and deprels")
    values = []
    for tree, words, place in zip(made.values, tokens, made.matched.places, strict=True):
        whole = None if tree is None else fitted(tree, list(words))
        values.append(whole)
        if whole is None or place is None:
            continue
        own = whole.get("tokens")
        if own is not None and own != list(words):
            raise TextError(
                f"{records.place(place)}: tokens, got {cut(' '.join(own))!r}; expected"
                f" {cut(' '.join(words))!r}, as `garden-path inputs` cuts them"
            )
        if all(head is None for head in whole["heads"]):
            raise TextError(f"{records.place(place)}: heads, got none; expected numbers of words")
        for name in ("heads", "deprels"):
            if (n := len(whole[name])) != len(words):
                raise TextError(f"{records.place(place)}: {name}, got {n}; expected {len(words)}")
    said = oddities(records.where, [tree["heads"] for tree in values if tree is not None])
    return replace(made, values=values, said=(*made.said, *said))


def labels_of(path: str | Path) -> list[str]:
    """All labels of a file of trees, by which its annotation scheme is told."""
    records = read_records(path, (*TREES, *LABELS, *TEXTS, *IDS))
    cells = enumerate(value_of(row, LABELS) for row in records.rows)
    return [one for i, cell in cells for one in list_at(records, i, cell, "deprels") or ()]


def _written(records: Records, i: int) -> str | None:
    """The text of a parsed sentence: what is written, else its tokens, else its text."""
    row = records.rows[i]
    for name in ("surfaces", "tokens", "words"):
        if (words := list_at(records, i, row.get(name), name)) is not None:
            return " ".join(words)
    text = value_of(row, TEXTS)
    return None if text is None else str(text)


def _tree(records: Records, place: int) -> dict[str, Any] | None:
    row = records.rows[place]
    heads = list_at(records, place, value_of(row, TREES), "heads")
    labels = list_at(records, place, value_of(row, LABELS), "deprels")
    if heads is None or labels is None:
        return None
    try:
        numbers = [None if head in ("None", "_") else int(head) for head in heads]
    except ValueError:
        where = records.place(place)
        raise TextError(f"{where}: heads, got {cut(str(heads))}; expected whole numbers") from None
    tree: dict[str, Any] = {"heads": numbers, "deprels": labels}
    written = [name for name in ("tokens", "surfaces") if row.get(name)]
    tree |= {name: list_at(records, place, row[name], name) for name in written}
    check_whole(records.place(place), tree)
    return tree


def read_probabilities(
    path: str | Path, sentences: Sequence[str], ids: Sequence[str] | None = None
) -> Predictions:
    """P(positive), from 0 to 1, of each sentence: a number a line, or beside `id` or `text`."""

    def check(value: float) -> str:
        return "" if -ROUNDING <= value <= 1 + ROUNDING else "a number from 0 to 1"

    found = _numbers(path, sentences, ids, PROBABILITIES, check)
    values = [None if value is None else min(1.0, max(0.0, value)) for value in found.values]
    return replace(found, values=values)


def _numbers(
    path: str | Path,
    sentences: Sequence[str],
    ids: Sequence[str] | None,
    names: Sequence[str],
    check: Callable[[float], str],
) -> Predictions:
    records = with_one_column(read_records(path, (*names, *TEXTS, *IDS)), names, _as_number)
    is_share = names is PROBABILITIES  # positive and negative make 1
    records = of_positive(records) if is_share else _of_likelihood(records)
    records = with_ids(records, ids)
    if any("line" in row for row in records.rows):
        records = numbered_lines(records)
    records = with_one_mark(records, names)

    def read(records: Records, place: int) -> float | None:
        value = value_of(records.rows[place], names)
        if value is None:
            return None
        number = number_of(value)
        rest = number_of(value_of(records.rows[place], NEGATIVE)) if is_share else None
        if rest is not None and abs((number or 0) + rest - 1) > ROUNDING_OF_SUMS + ROUNDING:
            got = f"{value} of positive and {rest:g} of negative"
            raise TextError(f"{records.place(place)}: value, got {got}; expected a sum of 1")
        if number is None or (wrong := check(number)):
            expected = "a number" if number is None else wrong
            got = cut(repr(value))
            raise TextError(f"{records.place(place)}: value, got {got}; expected {expected}")
        return number

    texts = texts_of(records, TEXTS)
    expected = f"{names[0]} or {names[1]}"
    found = aligned(records, texts, sentences, ids, read, expected, is_of_text=not is_share)
    return _with_equal_said(found, found.values)


def _as_number(value: Any) -> float | str | None:
    number = number_of(value)
    return number if number is not None or value is None else str(value)


def _with_equal_said(found: Predictions, values: Sequence[float | None]) -> Predictions:
    """The predictions; that all are the same is said, since they tell no text from another."""
    if len(values) < 2 or len(set(values)) > 1:
        return found
    return replace(found, said=(*found.said, "all values are equal"))


def _of_likelihood(records: Records) -> Records:
    """The records, if no score may be the surprisal or the perplexity beside it."""
    here = {str(name).lower() for row in records.rows for name in row}
    others = [name for name in SURPRISALS if name in here]
    own = [name for name in SUMS if name in here]
    if not others or not own:
        return records
    if own[0] not in LOGARITHMS:
        raise TextError(
            f"{records.where}: predictions, got the columns {own[0]} and {others[0]}; expected one,"
            " or log_probability beside it"
        )
    return replace(records, said=(*records.said, f"{own[0]} read, not {', '.join(others)}"))


def read_token_scores(path: str | Path, texts: Sequence[str]) -> Predictions:
    """Tokens of each text, (start, end, log-probability), of `tokens` or of a sum over the text.

    A file has JSON lines with `text` and `tokens`; or a number a line or beside `text`, of which
    the text is one token. A value above 0 is refused: a surprisal is to be negated.
    """
    records = read_records(path, ("tokens", *SUMS, *TEXTS, *IDS))
    for i, row in enumerate(records.rows):  # in the order of the file it might be another text's
        if value_of(row, IDS) is not None and value_of(row, TEXTS) is None:
            raise TextError(
                f"{records.place(i)}: score, got an id without its text; expected text beside it:"
                " a row of a suite has more texts than one"
            )
    if any(row.get("tokens") for row in records.rows):
        read: Read = lambda held, place: held.rows[place].get("tokens") or None  # noqa: E731
        own = texts_of(records, TEXTS)
        found = aligned(records, own, texts, None, read, "tokens", is_of_text=True)
    else:
        wrong = f"a log-probability, at most 0: {NO_SURPRISAL}"
        sums = _numbers(path, texts, None, SUMS, lambda value: "" if value <= 0 else wrong)
        said = "a sum over the text, which says nothing of its parts"
        pairs = zip(texts, sums.values, strict=True)
        whole = [None if value is None else [(0, len(text), value)] for text, value in pairs]
        found = replace(sums, values=whole, said=(*sums.said, said))
    values: list[TokenScores | None] = []
    for text, tokens, place in zip(texts, found.values, found.matched.places, strict=True):
        where = records.place(place or 0)
        values.append(None if tokens is None else checked_tokens(where, text, tokens))
        if tokens is not None:
            _check_sum(where, values[-1], records.rows[place or 0])
    check_firsts(records.where, values)
    totals = [None if one is None else float(one.log_probabilities.sum()) for one in values]
    found = found if "all values are equal" in found.said else _with_equal_said(found, totals)
    return replace(found, values=values)


def _check_sum(where: str, tokens: TokenScores | None, row: dict[str, Any]) -> None:
    """Refuses tokens beside a sum that is not theirs."""
    name = next((name for name in SUMS if value_of(row, (name,)) is not None), "")
    given = number_of(value_of(row, (name,)))
    if tokens is None or given is None:
        return
    total = float(tokens.log_probabilities.sum())
    if not math.isclose(total, given, rel_tol=ROUNDING_OF_SUMS, abs_tol=ROUNDING_OF_SUMS):
        raise TextError(
            f"{where}: {name}, got {given:g} beside tokens of {total:.4g} together; expected one"
            " of them, or their sum"
        )


def checked_tokens(where: str, text: str, tokens: object) -> TokenScores:
    """Scores of the tokens of a text, given as such or as (start, end, log-probability) each."""
    if isinstance(tokens, TokenScores):
        return tokens
    found = [
        as_list(where, "(start, end, log-probability)", token, 3)
        for token in as_list(where, "tokens", tokens)
    ]
    for token in found:
        start, end, score = (math.nan if one is None else one for one in map(number_of, token))
        is_whole = all(math.isfinite(one) and one == int(one) for one in (start, end))
        if not (is_whole and 0 <= start <= end <= len(text) and score <= 0):
            raise TextError(
                f"{where}: token, got {tuple(token)}; expected (start, end, log-probability)"
                f" within {text!r}, the last at most 0"
            )
    _check_cover(where, text, [(int(start), int(end)) for start, end, _ in found])
    return token_scores([token[:2] for token in found], [token[2] for token in found])


def _check_cover(where: str, text: str, spans: Sequence[tuple[int, int]]) -> None:
    """Refuses tokens that leave out a part of the text, or have more than a character twice."""
    reached = 0
    for start, end in sorted((*spans, (len(text), len(text)))):
        if start > reached and text[reached:start].strip():
            got = f"none for {cut(text[reached:start])!r}"
            raise TextError(
                f"{where}: tokens, got {got}; expected those of the whole text, the first one after"
                " a start token"
            )
        if min(end, reached) - start > 1:
            got = f"{cut(text[start : min(end, reached)])!r} twice"
            raise TextError(f"{where}: tokens, got {got}; expected it once")
        reached = max(reached, end)


def read_answers(
    path: str | Path, questions: Sequence[str], ids: Sequence[str] | None = None
) -> Predictions:
    """The reply to each question (its sentence and the question, joined by a blank), as given.

    A file has a reply a line; or it is a table or JSON with `answer` (`reply`, `response`,
    `prediction`) and `id`, or `sentence` and `question`.
    """
    records = read_records(path, (*ANSWERS, *TEXTS, "question", *IDS))
    records = replace(records, rows=[with_id_of_item(row) for row in records.rows])
    records = without_counter(with_ids(records, ids))
    texts = [_question(row) for row in records.rows]
    _check_gold(records)
    used = {name for row in records.rows for name in ANSWERS if value_of(row, (name,)) is not None}
    if len(used) > 1:
        first = next(name for name in ANSWERS if name in used)
        said = f"{first} read, not {', '.join(sorted(used - {first}))}"
        records = replace(records, said=(*records.said, said))

    def read(records: Records, place: int) -> str | None:
        _check_request(records, place)
        row = records.rows[place]
        found = value_of(row, (*ANSWERS, *OF_PROGRAMS, "line"))
        if found is None and isinstance(whole := value_of(row, OBJECTS), dict):
            found = whole
        if isinstance(found, bool):
            raise TextError(f"{records.place(place)}: reply, got {found}; expected a text")
        reply = reply_of(found, records.place(place))
        # pandas writes nan for what is missing
        return None if (reply or "").strip().casefold() in ("", "nan") else reply

    made = aligned(records, texts, questions, ids, read, "prediction, response or answer")
    rows = [records.rows[place] for place in {*made.matched.places} if place is not None]
    ends = Counter(str(end).lower() for row in rows for end in fields_of(row, ENDS))
    cut_off = [f"{ends[end]:,} replies cut off ({end})" for end in CUT_OFF if ends[end]]
    return replace(made, said=(*made.said, *cut_off))


def _check_request(records: Records, place: int) -> None:
    """Refuses a reply beside an error, or a status of HTTP that is one: the request failed."""
    row = records.rows[place]
    for one in fields_of(row, ("error", "status_code")):
        status = number_of(one)
        is_fine = str(one).strip().lower() in NO_ERRORS if status is None else status < 400
        if one and not is_fine:
            got = cut(str(one), 60)
            raise TextError(
                f"{records.place(place)}: reply, got a request that failed ({got}); expected one"
                " that was answered: ask it again"
            )


def _check_gold(records: Records) -> None:
    """Refuses `answer`, which is also what golds are called, beside another column of replies."""
    names = [str(name) for name in records.rows[0]] if records.rows else []
    known = {*ANSWERS, *TEXTS, *IDS, *OF_PROGRAMS}
    lowered = {name.lower() for name in names}
    if "answer" not in lowered or lowered & set(OF_MODELS):
        return
    if other := next((n for n in names if n.lower() not in known and REPLIES.search(n)), ""):
        raise TextError(
            f"{records.where}: replies, got the columns answer and {other}; expected one, or the"
            " reply in a column prediction"
        )


def _question(row: dict[str, Any]) -> str | None:
    asked = value_of(row, ("question",))
    if asked is None:
        return None
    return f"{value_of(row, TEXTS) or ''} {asked}"
