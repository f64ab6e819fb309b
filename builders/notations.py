"""Words, morphemes and trees as the field's tools write them, read as what they are.

Everywhere a ValueError says where, what was found and what was expected.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

from ground.matching import key_of
from ground.records import Records, number_of, value_of
from metrics._shared.plain_text import TextError, cut
from metrics._shared.replies import literal
from metrics._shared.trees import scheme_of

TAGGED_SHARE = 0.9  # of the words that have a tag in a tagged text, or are one character
TAGS = {
    re.compile(r"(?<=.)[/／][A-Za-z]+[0-9]?$"): "word/TAG",
    re.compile(r"(?<=.)_[A-Za-z]+[0-9]?$"): "word_TAG",
}
PLACES = frozenset("BMEISOULR")  # in a word: BMES, BIO, BILOU, and LMRS with L as the first
TWO_LETTERS = {"LL": "L", "MM": "M", "RR": "R", "LR": "S"}
MOST_PLACES = 6  # tags of places in words are few, classes of words are many
NUMPY = re.compile(r"""\[\s*('[^']*'|"[^"]*")(\s+('[^']*'|"[^"]*"))+\s*\]""")
NEGATIVE = ("negative", "neg", "label_0", "0", "负面", "消极", "p_negative", "p(negative)")
POSITIVE = ("positive", "pos", "label_1", "1", "正面", "积极")
ROUNDING = 1e-6  # by which a softmax may leave [0, 1]


def tag_of(words: Sequence[str], patterns: Iterable[re.Pattern[str]]) -> re.Pattern[str] | None:
    """The first pattern of the tags that nearly all words have; None for words without tags."""
    for pattern in patterns:
        if words and sum(map(bool, map(pattern.search, words))) >= TAGGED_SHARE * len(words):
            return pattern
    return None


def list_at(records: Records, i: int, value: Any, what: str) -> list[str] | None:
    """`list_of` a value of a record; a ValueError says where, in what field."""
    try:
        return list_of(value)
    except TextError as error:
        raise TextError(f"{records.place(i)}: {what}, {error}") from None


def list_of(value: Any) -> list[str] | None:
    """Words of a cell: a list, a list written as JSON, or words between blanks of any kind."""
    if value is None:
        return None
    if isinstance(value, str):
        words = value.split()
        if not value.lstrip().startswith("["):
            return words
        value = value.strip()
        if NUMPY.fullmatch(value):  # to Python, texts without a comma are one
            value = re.sub(r"""(?<=['"])\s+(?=['"])""", ", ", value)
        value = literal(value)
        if not isinstance(value, list | tuple):
            return words
        value = [one[0] if isinstance(one, tuple) and one else one for one in value]
    if not isinstance(value, list | tuple):
        return [str(value)]
    words = [one[0] for one in value] if all(map(_is_tagged, value)) else list(value)
    if odd := [one for one in words if isinstance(one, list | tuple | dict)]:
        raise TextError(f"got {cut(repr(odd[0]))} in a list; expected one value for each word")
    return [str(word) for word in words]


def _is_tagged(one: Any) -> bool:
    """Whether this is a word and its tag."""
    is_pair = isinstance(one, list | tuple) and len(one) == 2
    return is_pair and all(isinstance(part, str) for part in one)


def n_columns_of_labels(lines: Iterable[str]) -> int:
    """Columns between tabs where each line is a word and its labels, as taggers write; or 0."""
    cells = [line.split("\t") for line in lines]
    widths = set(map(len, cells))
    is_narrow = all(len(cell.split()) <= 1 for row in cells for cell in row)
    return max(widths) if len(cells) > 1 and len(widths) == 1 and is_narrow and widths != {1} else 0


def segmented(
    records: Records, raw: Sequence[Any], sentences: Iterable[str]
) -> tuple[Records, list[list[str] | None]]:
    """Words of each record, however they are divided and tagged, which the records say."""
    known = set(map(key_of, sentences))
    _check_lines([row["line"] for row in records.rows if "line" in row], records.where, known)
    raw, said = _divided(raw, known)
    lists = [list_at(records, i, value, "words") for i, value in enumerate(raw)]
    if records.kind == "CoNLL":
        records = replace(records, known=records.known | {"heads", "deprels", "surfaces"})
    _check_columns(records, lists)
    if pattern := tag_of([word for words in lists for word in words or ()], TAGS):
        lists, tags = without_tags(lists, pattern)
        lists, read = joined(records, lists, tags, "words")
        said += [f"{TAGS[pattern]} read as {read}"]
    elif are_characters(lists):
        name, tags = _tags_beside(records, raw, lists)
        read = "nearly every word is one character"
        if tags:
            lists, read = joined(records, lists, tags, "words")
            read = f"{name or 'tags'} read as {read}"
            records = replace(records, known=records.known | {name.lower()})
        said += [read]
    return replace(records, said=(*records.said, *said)), lists


def _check_lines(lines: Sequence[str], where: str, known: set[str]) -> None:
    """Refuses columns between tabs, and a word or a character a line."""
    got = f"{n} columns between tabs in every line" if (n := n_columns_of_labels(lines)) else ""
    firsts = [(line.split() or [""])[0] for line in lines]
    if all(len(line.split()) <= 2 for line in lines) and known.isdisjoint(map(key_of, lines)):
        whole = key_of("".join(firsts))
        if whole and 2 * sum(text in whole for text in known) > len(known):
            got = got or "a word or a character in every line"
    if got:
        expected = "one sentence a line, its words between blanks"
        raise TextError(f"{where}: words, got {got}; expected {expected}")


DIVIDERS = ("/", "|", "｜", "#", "[]", "▁", "Ġ", "·", ",", "-", "\u200b")


def _divided(raw: Sequence[Any], known: Collection[str]) -> tuple[list[Any], list[str]]:
    """Texts with blanks for the one mark that makes most of them texts of the suite; what it is."""

    def are_known(found: Sequence[str | None]) -> bool:
        return 2 * sum(one is not None and key_of(one) in known for one in found) > len(found)

    texts = [value if isinstance(value, str) else "" for value in raw]
    for mark in () if are_known(texts) else ("", *DIVIDERS):
        found = [_cut_at(mark, text) for text in texts]
        if are_known(found):
            said = f"taken off: {mark if mark.isprintable() else ascii(mark)[1:-1]}"
            whole = [one or value for one, value in zip(found, raw, strict=True)]
            return whole, [said if mark else "the text in front left out"]
    return list(raw), []


def _cut_at(mark: str, text: str) -> str | None:
    """The words between a mark, or for "" those behind the text; None where blanks divide too."""
    if not mark:
        whole, *rest = re.split(r"\t|\s*(?:->|→)\s*", text, maxsplit=1)
        return rest[0] if rest and key_of(rest[0]) == whole.strip() else None
    parts = re.split(f"[{re.escape(mark)}]", text.strip().strip(mark))
    is_mixed = len(parts) > 1 and any(len(part.split()) > 1 for part in parts)
    return None if is_mixed else " ".join(parts)


def _listed(value: Any) -> list[str]:
    """`list_of` a value; nothing for what it refuses."""
    try:
        return list_of(value) or []
    except TextError:
        return []


def _check_columns(records: Records, lists: Sequence[list[str] | None]) -> None:
    """Refuses a column that is not understood and has other words of the same sentences."""
    for name, cells in records.others().items():
        pairs = [(_listed(one), own or []) for one, own in zip(cells, lists, strict=True)]
        is_same = [len(a) > 1 and key_of("".join(a)) == key_of("".join(b)) for a, b in pairs]
        odd = [i for i, (one, own) in enumerate(pairs) if is_same[i] and one != own]
        if odd and 2 * sum(is_same) > len(pairs):
            expected = "one column of words, without golds or those of another system"
            got = f"words, got others in the column {name}"
            raise TextError(f"{records.place(odd[0])}: {got}; expected {expected}")


def are_characters(lists: Iterable[Sequence[str] | None]) -> bool:
    """Whether nearly all words are one character."""
    words = [word for words in lists for word in words or ()]
    return len(words) > 1 and sum(len(w) == 1 for w in words) >= TAGGED_SHARE * len(words)


def _tags_beside(
    records: Records, raw: Sequence[Any], lists: Sequence[list[str] | None]
) -> tuple[str, list[list[str]]]:
    """Tags of words: the second of each pair, or a column with as many values; places win."""
    columns = {"": tags_of_pairs(raw)}
    for name in dict.fromkeys(str(name) for row in records.rows for name in row):
        columns[name] = [_listed(row.get(name)) for row in records.rows]
    wanted = [words or [] for words in lists]
    n_wanted = [*map(len, wanted)]
    fitting = {k: c for k, c in columns.items() if [*map(len, c)] == n_wanted and c != wanted}
    told = [(k, c) for k, c in fitting.items() if _places(c)]
    return next(iter([*told, *fitting.items()]), ("", []))


def tags_of_pairs(raw: Iterable[Any]) -> list[list[str]]:
    """The tags of lists of words and their tags; nothing for any other value."""
    found = []
    for value in raw:
        if isinstance(value, str) and value.lstrip()[:1] == "[":
            value = literal(value)
        is_tagged = isinstance(value, list | tuple) and all(map(_is_tagged, value))
        found.append([one[1] for one in value] if is_tagged else [])
    return found


def without_tags(
    lists: Sequence[list[str] | None], pattern: re.Pattern[str]
) -> tuple[list[list[str] | None], list[list[str]]]:
    """Words without their tags, and those."""
    tags = [[(pattern.search(w) or [""])[0][1:] for w in words or ()] for words in lists]
    return [[pattern.sub("", w) for w in words] if words else words for words in lists], tags


def _places(tags: Iterable[Sequence[str]]) -> list[list[str]] | None:
    """Tags as places of characters in words, B and S for the first; None where they are none."""
    bare = [[re.sub(r"(?<=.)\d|-.*", "", tag).upper() for tag in row] for row in tags]
    found = [[TWO_LETTERS.get(tag, tag) for tag in row] for row in bare]
    used = {tag for row in found for tag in row}
    if not used <= PLACES or not ("B" in used or {"L", "R"} <= used):
        return None
    firsts = "BSOU" if "B" in used else "LSOU"  # of BILOU, L is the last
    return [["B" if tag in firsts else "I" for tag in row] for row in found]


def joined(
    records: Records, lists: Sequence[list[str] | None], tags: Sequence[Sequence[str]], what: str
) -> tuple[list[list[str] | None], str]:
    """Characters with their places joined to words, other words as they are; what was read."""
    used = dict.fromkeys(tag for row in tags for tag in row)
    places = _places(tags) if are_characters(lists) else None
    if places is None:
        if are_characters(lists) and len(used) <= MOST_PLACES:
            i = next(i for i, row in enumerate(tags) if row)
            got = f"characters with the tags {', '.join(used)}"
            raise TextError(f"{records.place(i)}: {what}, got {got}; expected B, M, E and S")
        return list(lists), "a word and its tag"
    found: list[list[str] | None] = []
    for words, row in zip(lists, places, strict=True):
        own: list[str] = []
        for word, place in zip(words or (), row, strict=True):
            if place == "B" or not own:
                own.append(word)
            else:
                own[-1] += word
        found.append(own if words else words)
    return found, "a character and its place in a word"


MARKS_OF_WORDS = re.compile(r"</?w>")  # of ends, as BPE writes them
COUNTED = re.compile(r"^ *\d+ +(?=\S+(?: \+ |$))")  # Morfessor's
THIRD_COLUMN = re.compile(r"(?<=\t)([^\t]*)\t\d+\s*$")  # of SIGMORPHON, a class of words
LEFT_OUT = {  # of lines, by what is said of it
    "a third column of digits left out": THIRD_COLUMN,
    "a number in front of a word left out": COUNTED,
    "<w> and </w> left out": MARKS_OF_WORDS,
}
NAMED = re.compile(r"\s*([^\s:]+):\s+(\S.*)")
EQUATED = re.compile(r"\s*([^\s=]+)\s+=\s+(\S.*)")  # of a word with its own letters


def with_words(records: Records) -> Records:
    """Lines as rows, of morphemes alone or of a word and its morphemes; says what is left out."""
    lines = [row.get("line", "") for row in records.rows]
    left_out = [said for said, one in LEFT_OUT.items() if any(map(one.search, lines))]
    rows = [_word_and_morphemes(row, records.place(i)) for i, row in enumerate(records.rows)]
    return replace(records, rows=rows, said=(*records.said, *left_out))


def _word_and_morphemes(row: dict[str, Any], where: str) -> dict[str, Any]:
    if "line" not in row:
        return row
    word, tab, _ = row["line"].partition("\t")
    kept = {"id": row["id"]} if "id" in row else {}
    if tab and len(word.split()) == 1:
        cells = THIRD_COLUMN.sub(r"\1", row["line"].rstrip()).split("\t")[1:]
        is_whole = _letters(cells[0]) == _letters(word) or any(len(c.split()) > 1 for c in cells)
        if len(cells) > 1 and is_whole:
            got = f"{len(cells) + 1} columns"
            raise TextError(f"{where}: morphemes, got {got}; expected a word and its morphemes")
        return kept | {"word": word.strip(), "morphemes": " ".join(cells)}
    line = COUNTED.sub("", MARKS_OF_WORDS.sub(" ", row["line"]))
    named = NAMED.match(line) or EQUATED.match(line)
    if named and named.re is EQUATED and _letters(named[1]) != _letters(named[2]):
        named = None
    return kept | ({"word": named[1], "morphemes": named[2]} if named else {"morphemes": line})


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def rejoined(
    records: Records, given: Sequence[Any], words: Sequence[str]
) -> tuple[Records, list[Any]]:
    """Morphemes out of pairs with tags, or out of characters that stand apart, which is said."""
    tags = tags_of_pairs(given)
    are_pairs = any(tags) and all(tags[i] or value is None for i, value in enumerate(given))
    lists: list[list[str] | None] = [_listed(value) or None for value in given]
    pattern = tag_of([word for own in lists for word in own or ()], TAGS)
    if pattern and not are_pairs:
        lists, tags = without_tags(lists, pattern)
    found: list[Any] = lists
    if (are_pairs or pattern) and are_characters(lists):
        found, said = joined(records, lists, tags, "morphemes")
        said = f"tags read as {said}"
    elif are_pairs:
        said = "pairs read as a morpheme and its tag"
    else:
        found, said = _of_characters(given, set("".join(words)))
    return (replace(records, said=(*records.said, said)) if said else records), found


def _of_characters(given: Sequence[Any], letters: Collection[str]) -> tuple[list[Any], str]:
    """Morphemes of characters between blanks: cut at the one mark, or at two blanks."""
    texts = [
        value if isinstance(value, str) and value.lstrip()[:1] != "[" else " ".join(_listed(value))
        for value in given
    ]
    marks = {one for text in texts for one in text.split() if one not in letters}
    marks = {one for one in marks if not one.isalnum()}
    if not are_characters([[one for one in text.split() if one not in marks] for text in texts]):
        return list(given), ""
    if len(marks) == 1:
        (mark,) = marks
        whole = ["".join(" " if one == mark else one for one in text.split()) for text in texts]
    else:
        mark = "two blanks"
        whole = ["".join(re.sub(r"\s{2,}", "\n", text.strip()).split(" ")) for text in texts]
        if marks or not any("\n" in text for text in whole):
            return list(given), "nearly every morpheme is one character"
    return [text or None for text in whole], f"characters joined, cut at {mark}"


def odd_letters(morphemes: Sequence[str], word: str) -> str:
    """What no morpheme of a word has: digits and marks that the word does not have."""
    odd = (c for c in dict.fromkeys("".join(morphemes)) if not (c.isalpha() or c in word))
    return "".join(c for c in odd if unicodedata.category(c)[0] != "M")


def fitted(tree: dict[str, Any], tokens: list[str]) -> dict[str, Any]:
    """A tree over the words of a sentence, where what is written of its own words are those.

    Example:
        >>> tree = {"tokens": ["an", "dem", "Ufer"], "surfaces": ["am", "", "Ufer"]}
        >>> tree |= {"heads": [3, 3, 0], "deprels": ["case", "det", "root"]}
        >>> fitted(tree, ["am", "Ufer"])
        {'tokens': ['am', 'Ufer'], 'heads': [2, 0], 'deprels': ['case', 'root']}
    """
    surfaces = tree.get("surfaces")
    if not surfaces or tree.get("tokens") == tokens:
        return {name: tree[name] for name in ("tokens", "heads", "deprels") if name in tree}
    if [word for word in surfaces if word] != tokens:
        return tree
    units = [*accumulate(1 if word else 0 for word in surfaces)]  # from 1
    standing: dict[int, int] = {}
    for i, unit in enumerate(units):
        head = tree["heads"][i]
        if not head or units[head - 1] != unit:  # it is outside
            standing.setdefault(unit, i)
    chosen = [standing.get(unit, units.index(unit)) for unit in range(1, len(tokens) + 1)]
    heads = (tree["heads"][i] for i in chosen)
    whole = [units[head - 1] if head else head for head in heads]
    return {"tokens": tokens, "heads": whole, "deprels": [tree["deprels"][i] for i in chosen]}


def of_positive(records: Records) -> Records:
    """Records whose score is that of the label beside it, with P(positive) in its place."""
    column, rows = _label_column(records), records.rows
    if not column or any(value_of(row, ("p_positive", "positive")) is not None for row in rows):
        return records
    scores = [number_of(value_of(row, ("score", "prob", "probability", "p"))) for row in rows]
    labels = [str(value_of(row, (column,))).strip().casefold() for row in rows]
    highs = [one is not None and one >= 0.5 - ROUNDING for one in scores]
    is_told = not all(highs) and highs == [label in POSITIVE for label in labels]
    if None in scores or (is_told and any(value_of(row, ("p",)) is not None for row in rows)):
        return records  # P(positive), with the label that follows from it
    made = []
    for i, (row, label, score) in enumerate(zip(rows, labels, scores, strict=True)):
        if label not in (*NEGATIVE, *POSITIVE) or not highs[i] or (score or 0) > 1 + ROUNDING:
            got = f"score, got {score:g} beside the label {cut(label)!r}"
            expected = "that of a label negative or positive, at least 0.5"
            advice = "or name the column of P(positive) p_positive"
            raise TextError(f"{records.place(i)}: {got}; expected {expected}; {advice}")
        of_positive = 1 - (score or 0) if label in NEGATIVE else score
        made.append(row | {"p": None, "p_positive": of_positive})
    said = "score read as that of its label"
    return replace(records, rows=made, said=(*records.said, said))


def _label_column(records: Records) -> str:
    """The column of labels beside scores, "" for none: `label`, or one in which all are labels."""
    names = list(dict.fromkeys(str(name).lower() for row in records.rows for name in row))
    known = {*NEGATIVE, *POSITIVE} - {"0", "1"}
    for name in names:
        cells = {str(value_of(row, (name,))).strip().casefold() for row in records.rows}
        if name == "label" or cells <= known:
            return name
    return ""


def check_whole(where: str, tree: Mapping[str, Any]) -> None:
    """Refuses heads that are no word of their sentence, and written forms that are not one each."""
    heads, n = tree["heads"], len(tree["heads"])
    if odd := next((head for head in heads if head is not None and not 0 <= head <= n), None):
        raise TextError(f"{where}: heads, got {odd}; expected 0 to {n}, of which 0 is the root")
    if len(tree.get("surfaces", heads)) != n:
        got = len(tree["surfaces"])
        raise TextError(f"{where}: surfaces, got {got}; expected {n}, one for each head")


def oddities(where: str, graphs: Sequence[Sequence[int | None]]) -> list[str]:
    """How many graphs have a cycle or several roots, in words; refuses several without a tree."""
    odd = Counter(map(oddity_of, graphs))
    counts = [(what, odd[what]) for what in ("a cycle", "several roots") if odd[what]]
    said = [f"{n:,} tree{'s' * (n > 1)} with {what}" for what, n in counts]
    if len(graphs) > 1 and not odd[""]:
        raise TextError(f"{where}: heads, got {' and '.join(said)}; expected trees")
    return said


def oddity_of(heads: Sequence[int | None]) -> str:
    """What a graph has that a tree has not: `a cycle`, `several roots`, or ""."""
    for start in range(len(heads)):
        place, n_steps = start, 0
        while n_steps <= len(heads) and (head := heads[place]) and head <= len(heads):
            place, n_steps = head - 1, n_steps + 1
        if n_steps > len(heads):
            return "a cycle"
    return "several roots" if sum(head == 0 for head in heads) > 1 else ""


def with_scheme(trees: list[Any]) -> tuple[list[Any], str]:
    """Trees, None where one is missing, and their scheme: "ud", or another with its small letters.

    TIGER's own labels are in capitals; parsers that were trained on it have them in small letters.
    """
    if not all(isinstance(tree, dict | None) for tree in trees):
        return trees, "ud"  # the metric says what is wrong with them
    lowered = [
        tree and {**tree, "deprels": [str(one).lower() for one in tree.get("deprels") or ()]}
        for tree in trees
    ]
    scheme = scheme_of({label for tree in lowered if tree for label in tree["deprels"]})
    return trees if scheme == "ud" else lowered, scheme
