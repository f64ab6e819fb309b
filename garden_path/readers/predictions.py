"""One function per kind of prediction: a user's file in, values aligned with the rows out.

    read_words              segmented sentences: words between blanks, word/TAG or word_TAG, lists
    read_trees              dependency trees: CoNLL of any kind, or columns heads and deprels
    read_probabilities      P(positive) of sentences
    read_token_scores       log-probabilities of the tokens of texts, or of whole texts, in nats

Each takes the texts of the rows, and their ids where they have some, and returns `Predictions`. A
row without a prediction is None and counted: nothing is guessed.
"""

import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from garden_path.models.system import as_list
from garden_path.readers.files import (
    Records,
    given_lists,
    list_of,
    read_records,
    value_of,
    with_one_column,
)
from garden_path.readers.matching import (
    IDS,
    TEXTS,
    Matched,
    check_in_order,
    check_texts,
    key_of,
    match,
    texts_of,
    with_ids,
)
from metrics._shared.language_models import TokenScores, token_scores
from metrics._shared.plain_text import TextError, cut

WORDS = (
    "words",
    "segmentation",
    "segmented",
    "tokens",
    "prediction",
    "predictions",
    "output",
    "cut",
)
SURPRISALS = ("surprisal", "nll", "loss", "perplexity", "ppl", "bits", "neg_logprob")
NEGATIVE = ("negative", "neg", "label_0", "0", "负面", "消极")
POSITIVE = ("positive", "pos", "label_1", "1", "正面", "积极")
ROUNDING = 1e-6  # by which a softmax may leave [0, 1]
ROUNDING_OF_SUMS = 0.01  # of a sum, or in nats, by which tokens that are rounded may differ
BMES = frozenset("BMEISO")
PROBABILITIES = (
    "p",
    "p_positive",
    "positive",
    "probability",
    "prob",
    "score",
    "prediction",
    "p(positive)",
)
LOGARITHMS = ("log_probability", "logprob", "log_prob", "logp")
SUMS = (*LOGARITHMS, "score", "sum", "prediction")
TREES = ("heads", "head")
LABELS = ("deprels", "deprel", "labels")
TAGS = {
    "word/TAG": re.compile(r"(?<=.)/[A-Za-z]+[0-9]?$"),
    "word_TAG": re.compile(r"(?<=.)_[A-Za-z]+[0-9]?$"),
}
NO_SURPRISAL = (
    "negate surprisals, and take minus the logarithm of a perplexity times the number of tokens"
)
TAGGED_SHARE = 0.9  # of the words that have a tag in tagged text
THOUSANDS = re.compile(r"[-+\u2212]?[1-9][0-9]{0,2},[0-9]{3}")
FOREIGN_POINT = re.compile(r"[-+]?[0-9]*,[0-9]+")


@dataclass(frozen=True)
class Predictions:
    """Values of a file, one for each row.

    Attributes:
        values: As the kind has them; None for a row without one.
        matched: Which record each row has, and how that was told.
        where: The file.
        kind: Its format.
        said: What was changed or taken off in reading.
        ids: Ids of the rows, where they have some.
        id_column: The column that they were found in, where it is called otherwise than usual.
    """

    values: list[Any]
    matched: Matched
    where: str
    kind: str
    said: tuple[str, ...] = ()
    ids: Sequence[str] = ()
    id_column: str = ""

    def report(self) -> str:
        """One line that says how the file was read.

        Such as `x.txt: lines; 998 of 1,000 rows matched by text, 2 missing; 1 left over`.
        """
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
        """The values, where no row is missing.

        Raises:
            ValueError: Some are; the message says how many and which is the first.
        """
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
    records: Records, matched: Matched, texts: Sequence[str | None], read: Read, is_of_text: bool
) -> None:
    """Refuses two predictions of one text that differ, where one of them would be lost.

    Of what is said of the text alone, such as its probability, no two may differ at all.
    """
    used = {place for place in matched.places if place is not None}
    if matched.by != "text" or not (matched.n_left or is_of_text):
        return
    of_text: dict[str, int] = {}
    for place in sorted(used):
        of_text.setdefault(key_of(texts[place] or ""), place)
    for i, text in enumerate(texts):
        is_free = text is not None and (is_of_text or i not in used)
        first = of_text.get(key_of(text or "")) if is_free else None
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
    expected: str = "one of them",
    *,
    is_of_text: bool = False,
    told: Sequence[str | None] | None = None,
) -> Predictions:
    """Values of the records that the rows have; only those are read.

    `told` are texts that stand beside predictions, where `texts` may be made of predictions.
    """
    matched = match(records.where, texts_of(records, IDS), texts, row_ids, row_texts)
    if matched.by == "order":
        check_in_order(records, row_texts)
    if matched.by == "id":
        check_texts(records, matched, texts if told is None else told, row_texts or ())
    values = [None if place is None else read(records, place) for place in matched.places]
    _check_second(records, matched, texts, read, is_of_text)
    is_blank = [
        place is not None and value is None
        for place, value in zip(matched.places, values, strict=True)
    ]
    if records.rows and all(is_blank):
        named = ", ".join(map(str, records.rows[0]))
        turned = [name for name in map(str, records.rows[0]) if name.lower() in SURPRISALS]
        raise TextError(
            f"{records.where}: predictions, got none in the columns {named}; expected {expected}"
            + (f", which {turned[0]} is not: {NO_SURPRISAL}" if turned else "")
        )
    if any(is_blank):  # a cell that is empty is a row without a prediction
        places = [None if b else p for p, b in zip(matched.places, is_blank, strict=True)]
        matched = replace(matched, places=places)
    column = records.id_column if matched.by == "id" else ""
    said, ids = records.said, row_ids or ()
    return Predictions(values, matched, records.where, records.kind, said, ids, column)


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

    Args:
        path: Words between blanks, a sentence a line, with or without tags; or a table or JSON with
            `words` (a list, or words between blanks) and `id` or `text`.
        sentences: The sentences.
        ids: Their ids.

    Raises:
        ValueError: The file is none of these, or belongs to other sentences.
    """
    records = with_one_column(read_records(path, (*WORDS, *TEXTS, *IDS)), WORDS)
    records = _with_columns_refused(with_ids(records, ids))
    raw = given_lists(records, ("line", *WORDS), "words")
    lists = [_list_at(records, i, value) for i, value in enumerate(raw)]
    name = _tags_of([word for words in lists for word in words or ()])
    if name:
        lists, said = _without_tags(lists, TAGS[name])
        records = replace(records, said=(*records.said, f"{name} read as {said}"))
    given = texts_of(records, TEXTS)
    texts = [
        text if text is not None else "".join(words) if words else None
        for text, words in zip(given, lists, strict=True)
    ]
    found = aligned(records, texts, sentences, ids, lambda _, place: lists[place])
    for place, words, sentence in zip(found.matched.places, found.values, sentences, strict=True):
        if place is not None and words and key_of("".join(words)) != key_of(sentence):
            raise TextError(
                f"{records.place(place)}: words, got those of {cut(''.join(words))!r}; expected"
                f" those of {cut(sentence)!r}"
            )
    check_cut(records, found, raw, "words")
    return found


def _list_at(records: Records, i: int, value: Any) -> list[str] | None:
    try:
        return list_of(value)
    except TextError as error:
        raise TextError(f"{records.place(i)}: {error}") from None


def _without_tags(
    lists: Sequence[list[str] | None], pattern: re.Pattern[str]
) -> tuple[list[list[str] | None], str]:
    """Words without their tags; characters with B, M, E and S joined to words; what was read."""
    tags = [[(pattern.search(w) or [""])[0][1:].upper() for w in words or ()] for words in lists]
    bare = [[pattern.sub("", w) for w in words] if words else words for words in lists]
    used = {tag for row in tags for tag in row}
    is_long = any(len(w) > 1 for words in bare for w in words or ())
    if is_long or "B" not in used or not used <= BMES:
        return bare, "a word and its tag"
    joined: list[list[str] | None] = []
    for words, row in zip(bare, tags, strict=True):
        found: list[str] = []
        for word, tag in zip(words or (), row, strict=True):
            if tag in "BSO" or not found:
                found.append(word)
            else:
                found[-1] += word
        joined.append(found if words else words)
    return joined, "a character and its place in a word"


def _tags_of(words: Sequence[str]) -> str:
    """Name of the kind of tags that nearly all words have; "" without tags."""
    for name, pattern in TAGS.items():
        if words and sum(map(bool, map(pattern.search, words))) >= TAGGED_SHARE * len(words):
            return name
    return ""


def _with_columns_refused(records: Records) -> Records:
    """The records, if lines are no columns of words and labels."""
    cells = [row["line"].split("\t") for row in records.rows if "line" in row]
    widths = set(map(len, cells))
    is_narrow = all(len(cell.split()) <= 1 for row in cells for cell in row)
    if len(cells) > 1 and len(widths) == 1 and min(widths) > 1 and is_narrow:
        raise TextError(
            f"{records.where}: words, got {min(widths)} columns between tabs in every line;"
            " expected one sentence a line, its words between blanks"
        )
    return records


def read_trees(
    path: str | Path, tokens: Sequence[Sequence[str]], ids: Sequence[str] | None = None
) -> Predictions:
    """A tree of each sentence, a dict of `tokens`, `heads` and `deprels`.

    Of multiword tokens what is written is a word where the sentence has it so: the first of its
    words whose head is outside stands for it.

    Args:
        path: CoNLL, or a table or JSON with lists `heads` and `deprels`.
        tokens: Words of each sentence.
        ids: Their ids, which `# sent_id` may name; `:` and `/` are alike in them.

    Raises:
        ValueError: The file is none of these, or belongs to other sentences.
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
    texts = [_written(row) for row in records.rows]
    sentences = [" ".join(words) for words in tokens]
    made = aligned(records, texts, sentences, known, _tree)
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
    odd = Counter(_oddity(tree["heads"]) for tree in values if tree is not None)
    said = [
        f"{odd[what]:,} trees with {what}" for what in ("a cycle", "several roots") if odd[what]
    ]
    return replace(made, values=values, said=(*made.said, *said))


def _oddity(heads: Sequence[int | None]) -> str:
    """What a graph has that a tree has not: `a cycle`, `several roots`, or ""."""
    for start in range(len(heads)):
        place, n_steps = start, 0
        while n_steps <= len(heads) and (head := heads[place]) and head <= len(heads):
            place, n_steps = head - 1, n_steps + 1
        if n_steps > len(heads):
            return "a cycle"
    return "several roots" if sum(head == 0 for head in heads) > 1 else ""


def labels_of(path: str | Path) -> list[str]:
    """All labels of a file of trees, by which its annotation scheme is told."""
    records = read_records(path, (*TREES, *LABELS, *TEXTS, *IDS))
    return [label for row in records.rows for label in list_of(value_of(row, LABELS)) or ()]


def _written(row: dict[str, Any]) -> str | None:
    """The text of a parsed sentence: what is written, else its tokens, else its text."""
    for name in ("surfaces", "tokens", "words"):
        if (words := list_of(row.get(name))) is not None:
            return " ".join(words)
    text = value_of(row, TEXTS)
    return None if text is None else str(text)


def _tree(records: Records, place: int) -> dict[str, Any] | None:
    row = records.rows[place]
    heads, labels = list_of(value_of(row, TREES)), list_of(value_of(row, LABELS))
    if heads is None or labels is None:
        return None
    try:
        numbers = [None if head in ("None", "_") else int(head) for head in heads]
    except ValueError:
        where = records.place(place)
        raise TextError(f"{where}: heads, got {cut(str(heads))}; expected whole numbers") from None
    tree: dict[str, Any] = {"heads": numbers, "deprels": labels}
    return tree | {name: list_of(row[name]) for name in ("tokens", "surfaces") if row.get(name)}


def fitted(tree: dict[str, Any], tokens: list[str]) -> dict[str, Any]:
    """A tree over the words of a sentence, where what is written of its own words are those.

    Example:
        >>> tree = {"tokens": ["an", "dem", "Ufer"], "surfaces": ["am", "", "Ufer"]}
        >>> tree |= {"heads": [3, 3, 0], "deprels": ["case", "det", "root"]}
        >>> fitted(tree, ["am", "Ufer"])
        {'tokens': ['am', 'Ufer'], 'heads': [2, 0], 'deprels': ['case', 'root']}
    """
    surfaces = tree.get("surfaces")
    own = tree.get("tokens")
    bare: dict[str, Any] = {
        name: tree[name] for name in ("tokens", "heads", "deprels") if name in tree
    }
    if not surfaces or own == tokens or [word for word in surfaces if word] != tokens:
        return bare if own == tokens or not surfaces else tree
    units = [sum(map(bool, surfaces[: i + 1])) for i in range(len(surfaces))]  # 1-based
    standing: dict[int, int] = {}
    for i, unit in enumerate(units):
        head = tree["heads"][i]
        is_outside = head is None or head == 0 or units[head - 1] != unit
        if unit not in standing and is_outside:
            standing[unit] = i
    chosen = [standing.get(unit, units.index(unit)) for unit in range(1, len(tokens) + 1)]
    heads = [tree["heads"][i] for i in chosen]
    return {
        "tokens": tokens,
        "heads": [units[head - 1] if head else head for head in heads],
        "deprels": [tree["deprels"][i] for i in chosen],
    }


def read_probabilities(
    path: str | Path, sentences: Sequence[str], ids: Sequence[str] | None = None
) -> Predictions:
    """P(positive) of each sentence: a number a line, or `id` or `text` beside a number.

    Raises:
        ValueError: A value is no number from 0 to 1, or the file belongs to other sentences.
    """
    found = _numbers(path, sentences, ids, PROBABILITIES, _probability)
    values = [None if value is None else min(1.0, max(0.0, value)) for value in found.values]
    return replace(found, values=values)


def _of_positive(records: Records) -> Records:
    """Records whose score is that of the label beside it, with P(positive) in its place.

    Raises:
        ValueError: What the score is of cannot be told.
    """
    names = ("score", "prob", "probability")
    if not any(value_of(row, ("label",)) is not None for row in records.rows) or any(
        value_of(row, PROBABILITIES[:3]) is not None for row in records.rows
    ):
        return records
    rows = []
    for i, row in enumerate(records.rows):
        label = str(value_of(row, ("label",))).strip().casefold()
        score = _number(value_of(row, names))
        if score is None:
            return records
        if label not in (*NEGATIVE, *POSITIVE) or not 0.5 - ROUNDING <= score <= 1 + ROUNDING:
            raise TextError(
                f"{records.place(i)}: score, got {score:g} beside the label {cut(label)!r};"
                " expected that of a label negative or positive, at least 0.5; or name the column"
                " of P(positive) p_positive"
            )
        rows.append(row | {"p_positive": 1 - score if label in NEGATIVE else score})
    said = "score read as that of its label"
    return replace(records, rows=rows, said=(*records.said, said))


def _numbers(
    path: str | Path,
    sentences: Sequence[str],
    ids: Sequence[str] | None,
    names: Sequence[str],
    check: Callable[[float], str],
) -> Predictions:
    records = with_one_column(read_records(path, (*names, *TEXTS, *IDS)), names, _as_number)
    records = _of_positive(records) if names is PROBABILITIES else _of_likelihood(records)
    records = with_ids(records, ids)
    if any("line" in row for row in records.rows):
        records = _numbered_lines(records)

    records = _with_one_mark(records, names)

    def read(records: Records, place: int) -> float | None:
        value = value_of(records.rows[place], names)
        if value is None:
            return None
        number = _number(value)
        if number is None or (wrong := check(number)):
            expected = "a number" if number is None else wrong
            got = cut(repr(value))
            raise TextError(f"{records.place(place)}: value, got {got}; expected {expected}")
        return number

    texts = texts_of(records, TEXTS)
    expected = f"{names[0]} or {names[1]}"
    is_of_text = names is SUMS
    found = aligned(records, texts, sentences, ids, read, expected, is_of_text=is_of_text)
    return _with_equal_said(found, found.values)


def _as_number(value: Any) -> float | str | None:
    number = _number(value)
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


def _with_one_mark(records: Records, names: Sequence[str]) -> Records:
    """The records, if their numbers have one decimal mark; a comma is said."""
    seen: dict[str, int] = {}
    for i, row in enumerate(records.rows):
        text = value_of(row, names)
        if isinstance(text, str):
            seen.setdefault(
                "," if FOREIGN_POINT.fullmatch(text.strip()) else "." * ("." in text), i
            )
    if "," in seen and "." in seen:
        (a, b) = (records.place(seen[mark]) for mark in ",.")
        got = cut(str(value_of(records.rows[seen[","]], names)))
        raise TextError(f"{a}: value, got {got!r}, but a point in {b}; expected one decimal mark")
    every = [str(value_of(row, names)).strip() for row in records.rows] if "," in seen else []
    if every and all(THOUSANDS.fullmatch(text) for text in every if "," in text):
        place, got = records.place(seen[","]), every[seen[","]]
        raise TextError(
            f"{place}: value, got {got!r}, where the comma may be a thousands or a decimal mark;"
            " expected a point as the decimal mark"
        )
    if "," in seen:
        return replace(records, said=(*records.said, "a comma read as the decimal mark"))
    return records


def _numbered_lines(records: Records) -> Records:
    """Lines of a number, or of a text, a tab and a number."""
    rows: list[dict[str, Any]] = []
    for row in records.rows:
        text, tab, value = row["line"].rpartition("\t")
        if not tab or _number(text) is not None:
            text, value = "", row["line"]
        found = {"prediction": value.strip(), **({"text": text} if text else {})}
        rows.append(found | ({"id": row["id"]} if "id" in row else {}))
    return replace(records, rows=rows)


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    text = str(value).strip().replace("\u2212", "-")
    if "_" in text:  # Python's own
        return None
    try:
        number = float(text.replace(",", ".") if FOREIGN_POINT.fullmatch(text) else text)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _probability(value: float) -> str:
    return "" if -ROUNDING <= value <= 1 + ROUNDING else "a number from 0 to 1"


def _log_probability(value: float) -> str:
    return "" if value <= 0 else (f"a log-probability, at most 0: {NO_SURPRISAL}")


def read_token_scores(path: str | Path, texts: Sequence[str]) -> Predictions:
    """Tokens of each text, (start, end, log-probability), of `tokens` or of a sum over the text.

    Args:
        path: JSON lines with `text` and `tokens`, a list of [start, end, log-probability]; or a
            number a line or beside `text`, of which the text is one token.
        texts: The texts.

    Raises:
        ValueError: The file is none of these or belongs to other texts, or a value is above 0: a
            surprisal is to be negated.
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
        found = aligned(records, own, texts, None, read, is_of_text=True)
    else:
        sums = _numbers(path, texts, None, SUMS, _log_probability)
        said = "a sum over the text, which says nothing of its parts"
        whole = [
            None if value is None else [(0, len(text), value)]
            for text, value in zip(texts, sums.values, strict=True)
        ]
        found = replace(sums, values=whole, said=(*sums.said, said))
    values: list[TokenScores | None] = []
    for text, tokens, place in zip(texts, found.values, found.matched.places, strict=True):
        where = records.place(place or 0)
        values.append(None if tokens is None else checked_tokens(where, text, tokens))
        if tokens is not None:
            _check_sum(where, values[-1], records.rows[place or 0])
    totals = [None if one is None else float(one.log_probabilities.sum()) for one in values]
    found = found if "all values are equal" in found.said else _with_equal_said(found, totals)
    return replace(found, values=values)


def _check_sum(where: str, tokens: TokenScores | None, row: dict[str, Any]) -> None:
    """Refuses tokens beside a sum that is not theirs."""
    name = next((name for name in SUMS if value_of(row, (name,)) is not None), "")
    given = _number(value_of(row, (name,)))
    if tokens is None or given is None:
        return
    total = float(tokens.log_probabilities.sum())
    if not math.isclose(total, given, rel_tol=ROUNDING_OF_SUMS, abs_tol=ROUNDING_OF_SUMS):
        raise TextError(
            f"{where}: {name}, got {given:g} beside tokens of {total:.4g} together; expected one"
            " of them, or their sum"
        )


def checked_tokens(where: str, text: str, tokens: object) -> TokenScores:
    """Scores of the tokens of a text, given as they are or as (start, end, log-probability) each.

    Raises:
        ValueError: A token is something else, or lies outside of the text.
    """
    if isinstance(tokens, TokenScores):
        return tokens
    found = [
        as_list(where, "(start, end, log-probability)", token, 3)
        for token in as_list(where, "tokens", tokens)
    ]
    for token in found:
        start, end, score = (math.nan if one is None else one for one in map(_number, token))
        is_whole = all(math.isfinite(one) and one == int(one) for one in (start, end))
        if not (is_whole and 0 <= start <= end <= len(text) and score <= 0):
            raise TextError(
                f"{where}: token, got {tuple(token)}; expected (start, end, log-probability)"
                f" within {text!r}, the last at most 0"
            )
    _check_cover(where, text, [(int(start), int(end)) for start, end, _ in found])
    return token_scores([token[:2] for token in found], [token[2] for token in found])


def _check_cover(where: str, text: str, spans: Sequence[tuple[int, int]]) -> None:
    """Refuses tokens that leave out a part of the text, or have a part twice.

    Two tokens may share a character, as bytes do.
    """
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
