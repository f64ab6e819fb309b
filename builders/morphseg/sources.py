"""Readers of the segmented word lists of the study's 11 languages: one parser per file format.

The files are their owners' and stay outside the project. A pool lists every word type once, in file
order. The first analysis is the study's gold; all distinct ones are kept as `alternatives`.

Source: Liu & Prud'hommeaux (2022), section 4 and Table 1.
"""

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ground.downloads import SourceFile, checksum
from ground.tables import DataFileError, read_bytes, read_settings, read_text
from metrics._shared.module import tags_of_words

LANGUAGES = Path(__file__).parent / "data" / "languages.toml"
ZERO_MORPH = "~"


class Word(NamedTuple):
    """A word type with its gold segmentations."""

    word: str
    morphemes: tuple[str, ...]  # the first analysis: surface morphs that concatenate to `word`
    alternatives: tuple[tuple[str, ...], ...]  # every distinct one, the first is `morphemes`
    tags: tuple[str, ...]  # the source's label of each of `morphemes`, "_" where it has none


@dataclass(frozen=True)
class Language:
    """A language of the study: its row of Table 1 and where its words come from."""

    code: str  # ISO 639-3
    name: str
    paper_code: str  # the authors'
    family: str
    morphology: str
    n_types: int
    sizes: tuple[int, ...]
    new_test_sizes: tuple[int, ...]
    format: str
    encoding: str
    licence: str
    is_redistributable: bool
    files: tuple[SourceFile, ...]  # with checksums of uncompressed bytes


Analysis = tuple[str, list[tuple[str, str]]]  # a word and its (morph, tag) pairs


@functools.cache
def languages() -> dict[str, Language]:
    """The 11 languages by code, as `data/languages.toml` describes them."""
    found = {}
    for code, values in read_settings(LANGUAGES).items():
        sizes = {name: tuple(values[name]) for name in ("sizes", "new_test_sizes")}
        files = tuple(SourceFile(**file) for file in values["files"])
        found[code] = Language(code=code, **{**values, **sizes, "files": files})
    return found


def language(code: str) -> Language:
    """One language by its code; a ValueError names the known codes."""
    if code not in languages():
        raise ValueError(f"language, got {code!r}; expected one of {', '.join(languages())}")
    return languages()[code]


def read_language(code: str, folder: Path) -> list[Word]:
    """The pool of a language, in file order; a DataFileError for another number than in Table 1."""
    entry = language(code)
    analyses: list[Analysis] = []
    for file in entry.files:
        analyses += parse_analyses(find_file(folder, file.name), entry.format, entry.encoding)
    pool = merge_analyses(analyses)
    if len(pool) != entry.n_types:
        got, expected = f"{len(pool)} word types", f"{entry.n_types} (Table 1)"
        raise DataFileError(f"{folder}: {entry.name}, got {got}; expected {expected}")
    return pool


def has_files(code: str, folder: Path) -> bool:
    """Whether all files of a language lie in a folder, plain or gzipped."""
    return all(_place(folder, file.name) for file in language(code).files)


def find_file(folder: Path, name: str) -> Path:
    """Path of a source file, plain or gzipped; a DataFileError says what was looked for."""
    if path := _place(folder, name):
        return path
    raise DataFileError(f"{folder}: source file, got no {name}; expected {name} or {name}.gz")


def check_files(code: str, folder: Path) -> None:
    """Compares a language's files with their checksums; a DataFileError names one that differs."""
    for file in language(code).files:
        path = find_file(folder, file.name)
        found = checksum(read_bytes(path))
        if file.sha256 != found:
            raise DataFileError(f"{path}: sha256, got {found}; expected {file.sha256}")


def parse_analyses(path: Path, file_format: str, encoding: str) -> list[Analysis]:
    """Every analysis of a file in order; a DataFileError names a line that does not fit."""
    parse = PARSERS[file_format]
    found = []
    for number, line in enumerate(read_text(path, encoding).split("\n"), 1):
        if not line.strip():
            continue
        expected = "morphs that concatenate to the word"
        try:
            analyses = list(parse(line.strip()))
            forms = [(word, [morph for morph, _ in morphs]) for word, morphs in analyses]
            is_right = all("".join(morphs) == word and "" not in morphs for word, morphs in forms)
        except (IndexError, ValueError):
            is_right, expected = False, "a word and its morphs"
        if not is_right:
            got = f"{file_format} line, got {line.strip()[:80]!r}"
            raise DataFileError(f"{path}:{number}: {got}; expected {expected}")
        found += analyses
    return found


def merge_analyses(analyses: Sequence[Analysis]) -> list[Word]:
    """One record per word type in order of first occurrence; later analyses are alternatives."""
    by_word: dict[str, list[list[tuple[str, str]]]] = {}
    for word, morphs in analyses:
        by_word.setdefault(word, []).append(morphs)
    found = []
    for word, of_word in by_word.items():
        segmentations = dict.fromkeys(tuple(m for m, _ in analysis) for analysis in of_word)
        tags = tuple(tag for _, tag in of_word[0])
        found.append(Word(word, next(iter(segmentations)), tuple(segmentations), tags))
    return found


def bmes(morphemes: Sequence[str]) -> str:
    """One label per character: S for a one-character morpheme, else B, M ..., E.

    Example:
        >>> bmes(["paper", "s"])
        'BMMMES'
    """
    return "".join(tags_of_words(morphemes))


def _place(folder: Path, name: str) -> Path | None:
    return next((p for end in ("", ".gz") if (p := Path(folder) / f"{name}{end}").is_file()), None)


# boats	boat:boat_N s:+PL, boat:boat_V s:+3SG
# "~" is a zero morph, "\:" a colon; a label may be "~" (none)
def _parse_morpho_challenge(line: str) -> Iterator[Analysis]:
    word, analyses = line.split("\t")
    for analysis in analyses.split(","):
        pairs = [part.replace("\\:", "\0").split(":") for part in analysis.split()]
        kept = [(morph, label) for morph, label in pairs if morph != ZERO_MORPH]
        yield word, [(morph.replace("\0", ":"), _tag(label)) for morph, label in kept]


# boats	boat:ROOT|ROOT::NOMINAL s:INFL|INFL::NOUNADJ|SUFFIX
# several analyses stand on several lines
def _parse_chipmunk(line: str) -> Iterator[Analysis]:
    word, analysis = line.split("\t")
    parts = (part.partition(":") for part in analysis.split())
    yield word, [(morph, _tag(label)) for morph, _, label in parts]


# boats	boat:ROOT/s:END
def _parse_tikhonov(line: str) -> Iterator[Analysis]:
    word, analysis = line.split("\t")
    parts = (part.split(":") for part in analysis.split("/"))
    yield word, [(morph, _tag(label)) for morph, label in parts]


# b o a t ! s
def _parse_spaced_characters(line: str) -> Iterator[Analysis]:
    morphs = "".join(line.split()).split("!")
    yield "".join(morphs), [(morph, "_") for morph in morphs]


# boats boat X 0 boat s
# a line whose morphs do not concatenate is left out, as in the study
def _parse_persian_lexicon(line: str) -> Iterator[Analysis]:
    word, _, _, _, first, *rest = line.split()
    if "".join((first, *rest)) == word:
        yield word, [(morph, "_") for morph in (first, *rest)]


def _tag(label: str) -> str:
    return label.replace("\0", ":") if label not in ("", ZERO_MORPH) else "_"


PARSERS: dict[str, Callable[[str], Iterator[Analysis]]] = {
    "morpho_challenge": _parse_morpho_challenge,
    "chipmunk": _parse_chipmunk,
    "tikhonov": _parse_tikhonov,
    "spaced_characters": _parse_spaced_characters,
    "persian_lexicon": _parse_persian_lexicon,
}
