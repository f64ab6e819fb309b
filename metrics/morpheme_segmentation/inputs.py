"""What morpheme segmentation takes: a segmentation and one or more golds for each word."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Literal

from .._shared.columns import Values, field_names, read_columns, shown, to_list
from .._shared.module import Inputs
from .matching import Segmentation

# --- What tools write at morphemes that is no letter of the word, recognised by the word itself
#
#     un@@ do@@ ing   un ##do ##ing   ▁un do ing   un-do-ing   un + do + ing   un/PRE do/V ing/SUF
#
# A mark is taken off only where that makes the morphemes spell their word, so that a hyphen, a plus
# or a full stop that belongs to a word stays.

HYPHENS = "\\-\u2010\u2011\u2012\u2013\u2212\u00ad"
ARROW = re.compile(r"\s*(?:→|⇒|⟶|->|=>|:=)\s*")
FENCE = re.compile(r"^```\w*\s*|\s*```$")
QUOTES = "`\"'*“”„«»‘’ \t"
TAG = re.compile(r"(?<=.)[/_:|\\][A-Za-z0-9.:]+$")
NAMED = {".": "a full stop", "。": "a full stop", "!": "an exclamation mark", ",": "a comma"}
NAMED[";"] = "a semicolon"
STOPS = "".join(NAMED)
Split = Callable[[str], Sequence[str]]

MARKS: dict[str, Split] = {
    "blanks": str.split,
    "</w>": lambda morph: [re.sub("</?w>", "", morph)],
    "@@": lambda morph: morph.replace("@@", " ").split(),
    "##": lambda morph: [morph.removeprefix("##")],
    "▁": lambda morph: morph.replace("▁", " ").split(),
    "Ġ": lambda morph: [morph.removeprefix("Ġ")],
    "tags": lambda morph: [TAG.sub("", morph)],
    "hyphens": lambda morph: re.split(f"[{HYPHENS}]", morph),
    "+": lambda morph: morph.split("+"),
    "| / = · ~ _": lambda morph: re.split(r"[|/=·‧~_]", morph),
    "stops": lambda morph: [morph.rstrip(STOPS)],
}


def without_marks(morphemes: Sequence[str], word: str) -> tuple[list[str], list[str]] | None:
    """Morphemes of a tool that spell a word, and the names of the marks that were taken off.

    Both are in one Unicode form; None where they spell another word, with or without marks.

    Example:
        >>> without_marks(["un@@", "do"], "undo"), without_marks(["re", "do"], "undo")
        ((['un', 'do'], ['@@']), None)
    """
    for skipped in ("", "tags"):  # `boat/s.` has no tag
        found, names = list(morphemes), list[str]()
        for name, split in MARKS.items():
            if "".join(found) == word:
                break
            parts = [part for morph in found for part in split(morph) if part]
            if parts != found and name != skipped:
                found, names = parts, [*names, *_marks_lost(name, found, parts)]
        if "".join(found) == word:
            return found, names
    return None


def _marks_lost(name: str, before: Sequence[str], after: Sequence[str]) -> list[str]:
    """What was taken off by a way of `MARKS` that is for several marks; else its name."""
    if name != "stops" and " " not in name:
        return [name]
    lost = Counter("".join(before)) - Counter("".join(after))
    return list(dict.fromkeys(NAMED.get(mark, mark) for mark in lost))


def morphemes_of(text: str, word: str) -> tuple[list[str], list[str]] | None:
    """Morphemes that a line gives for a word, and what was taken off around and between them.

    Example:
        >>> morphemes_of("boats → `boat-s`.", "boats")
        (['boat', 's'], ['an arrow', 'quotes', 'a full stop', 'hyphens'])
    """
    names: list[str] = []
    form: Literal["NFC", "NFD"] = "NFC" if unicodedata.is_normalized("NFC", word) else "NFD"
    line = unicodedata.normalize(form, text).strip()
    if (plain := FENCE.sub("", line)) != line:
        line, names = plain.strip(), [*names, "a code fence"]
    if len(parts := ARROW.split(line)) > 1:
        line, names = parts[-1], [*names, "an arrow"]
    for _ in range(2):  # a full stop stands inside the quotes or behind them
        bare = line.strip(QUOTES) if word == word.strip(QUOTES) else line
        if bare != line:
            line, names = bare, [*names, "quotes"]
        if line[-1:] in STOPS and not word.endswith(line[-1:]) and line.strip(STOPS)[-1:] in QUOTES:
            names += _marks_lost("stops", line, bare := line.rstrip(STOPS))
            line = bare
    found = without_marks(line.split(), word)
    return None if found is None else (found[0], list(dict.fromkeys([*names, *found[1]])))


# --- Columns

METRIC = "morpheme_segmentation"
MORPHEME_SEPARATOR = " "
ANALYSIS_SEPARATOR = " | "  # between the segmentations of a word
SYSTEMATIC = 0.1  # share of the words from which on a mark is a tool's, not an error of a model
ALIKE = 0.3  # the same of what models do as well, such as capitals
FEW = 8  # words, of which fewer may be alike, or those of another row, by chance


def split_segmentations(text: str) -> list[list[str]]:
    """Segmentations of a word out of the column `alternatives` of `morphseg`: `a bout | about`."""
    return [part.split(MORPHEME_SEPARATOR) for part in text.split(ANALYSIS_SEPARATOR)]


def as_lists(where: str, given: Any) -> Any:
    """One list of golds per word, where a single gold may stand for the list of it; or rows."""
    if "morphemes" in (names := field_names(given)):
        has_all = "alternatives" in names
        fields = ("morphemes", "alternatives") if has_all else ("morphemes",)
        columns = [to_list(one, where) for one in read_columns(where, given, fields).values()]
        return [
            split_segmentations(row[1]) if has_all else [_plain(row[0])]
            for row in zip(*columns, strict=True)
        ]
    return [
        [gold] if isinstance(gold, list | tuple) and any(isinstance(m, str) for m in gold) else gold
        for gold in map(_plain, to_list(given, where))
    ]


def _plain(value: Any) -> Any:
    """An array of golds as a list; what is no array as it is."""
    return value.tolist() if hasattr(value, "tolist") else value


INPUTS = Inputs(
    METRIC,
    {
        "predictions": Values("text", "the morphemes of the word", depth=1),
        "references": Values("text", "the golds of the word", depth=2, adapt=as_lists),
        "category": Values(
            "text", "the word's class, such as 110", is_optional=True, has_none=True
        ),
    },
)


def check_words(predicted: Sequence[Segmentation], golds: Sequence[Sequence[Segmentation]]) -> None:
    """Raises a ValueError for what no word can have, or where one word seems to be another.

    Golds are those of one word; morphemes are not empty; a prediction that is its word in another
    Unicode form (NFD for NFC), with marks of a tool or in another order than the words would be
    wrong throughout.
    """
    for i, (prediction, analyses) in enumerate(zip(predicted, golds, strict=True)):
        _check_golds(f"{METRIC}: references[{i}]", analyses)
        _check_morphemes(f"{METRIC}: predictions[{i}]", prediction)
        word, found = "".join(analyses[0]), "".join(prediction)
        if found != word and not found.isascii():
            _check_form(f"{METRIC}: predictions[{i}]", found, word)
    words = ["".join(analyses[0]) for analyses in golds]
    _check_marks(predicted, words)
    said, rows = alike(predicted, words)
    if rows:
        raise _unlike(predicted[rows[0]], rows[0], words, len(rows), said)
    _check_order(predicted, words)


def _check_marks(predicted: Sequence[Segmentation], words: Sequence[str]) -> None:
    """Raises a ValueError where a share of predictions spells its word but for the same marks."""
    marked = [
        (i, found[1])
        for i, (prediction, word) in enumerate(zip(predicted, words, strict=True))
        if "".join(prediction) != word and (found := without_marks(prediction, word))
    ]
    if len(marked) >= SYSTEMATIC * len(words) and marked:
        i, names = marked[0]
        said = f"morphemes alone: take off {' and '.join(names)}"
        raise _unlike(predicted[i], i, words, len(marked), said)


def _unlike(
    prediction: Segmentation, i: int, words: Sequence[str], n: int, expected: str
) -> ValueError:
    got = f"{shown(list(prediction))} for {words[i]!r}, {n} of {len(words)} alike"
    return ValueError(f"{METRIC}: predictions[{i}]: got {got}; expected {expected}")


def alike(predicted: Sequence[Segmentation], words: Sequence[str]) -> tuple[str, list[int]]:
    """What many predictions need to spell their words, and their rows; nothing where few do."""
    rows = defaultdict[str, list[int]](list)
    for i, (prediction, word) in enumerate(zip(predicted, words, strict=True)):
        rows[_difference(prediction, word)].append(i)
    rows.pop("", None)
    letters = {letter for prediction in predicted for morph in prediction for letter in morph}
    if letters and letters.isdisjoint("".join(words)):
        rows["letters of the word"] = [i for i, one in enumerate(predicted) if one]
    said, most = max(rows.items(), key=lambda one: len(one[1]), default=("", list[int]()))
    is_told = len(most) >= ALIKE * len(words) and len({words[i] for i in most}) >= FEW
    return (said, most) if is_told else ("", [])


def _difference(prediction: Segmentation, word: str) -> str:
    """What a prediction would need to spell its word; "" where it does, or needs more."""
    found = "".join(prediction)
    if found == word:
        return ""
    if found.casefold() == word.casefold():
        return "letters in the case of the word"
    if _unaccented(found) == _unaccented(word):
        return "the accents of the word"
    for piece in dict.fromkeys(prediction):
        if "".join(morph for morph in prediction if morph != piece) == word:
            return f"morphemes without {'the word itself' if piece == word else repr(piece)}"
    return ""


def _unaccented(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def _check_order(predicted: Sequence[Segmentation], words: Sequence[str]) -> None:
    """Raises a ValueError where the predictions are of the same words in another order."""
    found = ["".join(prediction) for prediction in predicted]
    if odd := moved(found, words):
        i = odd[0]
        got = f"{found[i]!r} for the word {words[i]!r}, and {len(odd)} of {len(words)} that are of"
        where, expected = f"{METRIC}: predictions[{i}]", "the order of the references"
        raise ValueError(f"{where}: got {got} another row; expected {expected}")


def moved(found: Sequence[str | None], words: Sequence[str]) -> list[int]:
    """Rows that have the word of another row, if all words are there, or most are moved; or none.

    Example:
        >>> moved(["b", "c", "a", "d"], ["a", "b", "c", "d"]), moved(["b", "x"], ["a", "b"])
        ([0, 1, 2], [])
    """
    known = set(words)
    odd = [i for i, one in enumerate(found) if one != words[i] and one in known]
    are_all = len(odd) > 2 and len(known) > 2 and Counter(found) == Counter(words)
    are_most = 2 * len(odd) > len(words) and len({words[i] for i in odd}) >= FEW
    return odd if are_all or are_most else []


def _check_golds(where: str, golds: Sequence[Segmentation]) -> None:
    if not golds or not all(golds):
        expected = "at least one gold, none of them empty"
        raise ValueError(f"{where}: got {shown(golds)}; expected {expected}")
    for gold in golds:
        _check_morphemes(where, gold)
    if len(words := list(dict.fromkeys("".join(gold) for gold in golds))) > 1:
        got = f"golds of {shown(words[0])} and {shown(words[1])}"
        raise ValueError(f"{where}: got {got}; expected those of one word")


def _check_morphemes(where: str, morphemes: Segmentation) -> None:
    for morpheme in morphemes:
        if not morpheme or morpheme.isspace():
            got = f"got the morpheme {morpheme!r} in {shown(morphemes)}"
            raise ValueError(f"{where}: {got}; expected none that is empty or blank")


def _check_form(where: str, found: str, word: str) -> None:
    for form in ("NFC", "NFD"):
        if unicodedata.normalize(form, found) == word:
            got = f"{shown(found)} in another Unicode form than its word {shown(word)}"
            expected = f"the same form: normalize predictions by {form}"
            raise ValueError(f"{where}: got {got}; expected {expected}")
