"""The authors' edition: their files, told apart by checksum, as rows of the suite's schema.

A folder of files comes in (a clone, or the files on their own, gzipped or not); out come tables per
config and split. `released_paper` has the clauses of the paper (commit a638db3, or 6db9eec with the
same clauses under other names), `released_head` those of the newest commit,
`released_dutch_head` the Dutch ones of that commit. What breaks a format is
mended; what is wrong in a clause stays as published there, is flagged in the column
`irregularities`, and is put right in `released_paper_repaired` and `released_head_repaired`; of the
Dutch clauses no irregularity is listed. A file whose checksum is not known is refused.

The list of what is wrong is `data/irregularities.tsv`, by block and place of the item:

    auxiliary_as_verb   werden is the main verb, and the infinitive moved along with the object
    wrong_properties    the words have another property combination
    two_golds           one sentence is gold with either reading: "Sie sieht sie ."
    repeated_sentence   the same sentence stands under two property combinations
    ungrammatical       nichts as a dative object
    old_placement       the prepositional phrase stands where the version before had it

The first two can be put right from the files alone; the others are only flagged.

Source: https://github.com/DiveFish/SORTS; Fischer et al. (2020).
"""

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from builders.sorts.columns import Columns
from builders.sorts.items import add_ids, find_items
from builders.sorts.writers import sentence_columns
from ground import downloads
from ground.tables import DataFileError, read_settings, read_table
from metrics._shared.treebanks import ConllError, Treebank, parse_conll, read_bytes
from metrics.subject_object_las.inputs import (
    ANNOTATED_COLUMNS,
    ARGUMENTS,
    final_labels,
    gold_arrays,
    gold_ids,
    scheme_of_names,
)

DATA = Path(__file__).parent / "data"
SOURCES = DATA / "released.toml"
CONFIGS = {  # the versions that a config can be read from
    "released_paper": ("paper", "renamed"),
    "released_head": ("head",),
    "released_dutch_head": ("dutch_head",),
}
SPLITS = ("part_amb", "amb")
SCHEMES = {"paper": "paper", "renamed": "renamed", "head": "final", "dutch_head": "final"}
Kind = Literal["gold", "sentences", "trees", "annotated", "output"]
Tables = dict[str, dict[str, Columns]]


@dataclass(frozen=True)
class Source:
    """One file of the authors' repository, with its size, checksum and number of clauses.

    Its kind is gold (CoNLL), sentences (TSV), trees (full heads), annotated (lemmas, no heads) or
    output (of a parser).
    """

    version: Literal["paper", "renamed", "head", "dutch_head"]
    split: Literal["part_amb", "amb"]
    kind: Kind
    commit: str
    path: str
    bytes: int
    sha256: str
    rows: int


class Found(NamedTuple):
    """A known file at hand."""

    source: Source
    path: Path


@functools.cache
def sources() -> tuple[Source, ...]:
    """All known files of the authors' repository."""
    return tuple(Source(**entry) for entry in read_settings(SOURCES)["files"])


def downloadable_files() -> tuple[downloads.SourceFile, ...]:
    """Files that the released configs are made of, each version in a folder of its own."""
    url = str(read_settings(SOURCES)["url"])
    return tuple(
        downloads.SourceFile(
            f"{s.version}/{Path(s.path).name}", url.format(commit=s.commit, path=s.path), s.sha256
        )
        for s in sources()
        if s.version != "renamed" and s.kind in ("gold", "sentences", "trees")
    )


def released_tables(folder: Path) -> Tables:
    """The authors' files in a folder and its subfolders, as columns under config and split.

    They are those of config `conll`, and `irregularities`, a list of what is wrong with a clause.
    `resolved_by` is None, since the authors do not say; words that they left unlabelled have head
    None and deprel `_`; lemmas, tags and full trees are there where the folder has the authors'
    `annotated` and `all-heads` files. A DataFileError where no known gold file is there, one has a
    known name but another content, or files of one version contradict each other.
    """
    files = find_files(folder)
    tables: Tables = {}
    for config, versions in CONFIGS.items():
        gold = [(v, split) for v in versions for split in SPLITS if (v, split, "gold") in files]
        if not gold:
            continue
        parts = {split: _read_split(files, v, split) for v, split in gold if v == gold[0][0]}
        tables[config] = splits = add_ids(parts, str(folder))
        if any(any(columns["irregularities"]) for columns in splits.values()):
            tables[f"{config}_repaired"] = {
                split: repaired(columns) for split, columns in splits.items()
            }
    if not tables:
        names = ", ".join(sorted({source.path for source in sources() if source.kind == "gold"}))
        expected = f"one of {names}, of a commit in {SOURCES.name}"
        raise DataFileError(f"{folder}: got no gold file of the authors; expected {expected}")
    return tables


def configs_in(folder: Path) -> list[str]:
    """Names of the configs that the files of a folder make."""
    versions = {version for version, _, kind in find_files(folder) if kind == "gold"}
    found = [config for config, wanted in CONFIGS.items() if versions.intersection(wanted)]
    known = {(entry.version, f"released_{entry.version}") for entry in irregularities()}
    return found + [f"{config}_repaired" for _, config in sorted(known) if config in found]


def find_files(folder: Path) -> dict[tuple[str, str, Kind], Found]:
    """Finds the authors' files in a folder by checksum, under version, split and kind.

    A DataFileError where a file has the name of a known one and another content.
    """
    known = {source.sha256: source for source in sources()}
    names = {digits: Path(source.path).name for digits, source in known.items()}
    found: dict[tuple[str, str, Kind], Found] = {}
    for digits, path in downloads.known_files(folder, names, (".conll", ".tsv")):
        source = known[digits]
        found.setdefault((source.version, source.split, source.kind), Found(source, path))
    return found


def read_treebank(found: Found) -> Treebank:
    """Reads one of the authors' CoNLL files, known broken lines mended."""
    lines = read_bytes(found.path).split(b"\n")
    for repair in _line_repairs(found.source):
        lines[repair["line"] - 1] += repair["append"].encode()
    is_annotated = found.source.kind == "annotated"
    columns: dict[str, Any] = {"columns": ANNOTATED_COLUMNS} if is_annotated else {}
    try:
        return parse_conll(b"\n".join(lines), str(found.path), **columns)
    except ConllError as error:
        raise DataFileError(str(error)) from error


def _line_repairs(source: Source) -> list[dict[str, Any]]:
    repairs: list[dict[str, Any]] = read_settings(SOURCES)["repairs"]
    wanted = (source.version, source.split, source.kind)
    return [one for one in repairs if (one["version"], one["split"], one["kind"]) == wanted]


def gold_columns(treebank: Treebank, scheme: str | None = None) -> Columns:
    """Columns, as lists, of gold clauses of a file in the authors' layout, or CoNLL-U.

    Order, properties and ids are read from column 6 or from comments. Places are 0-based; a clause
    has one `nsubj`, one `obj` and one main verb (HEAD 0), and all else may be unlabelled (head
    None, deprel `_`). A ConllError where an order or property is unknown, or one of these is
    missing.
    """
    arrays = gold_arrays(treebank, scheme).items()
    columns = {name: c.tolist() if name in ARGUMENTS else c.to_pylist() for name, c in arrays}
    return columns | gold_ids(treebank)


def read_gold_tsv(path: str | Path, scheme: str | None = None) -> Columns:
    """Columns of config `sentence` of the authors' sentence format, a file of known checksum."""
    text = read_bytes(Path(path)).decode().replace("\r\n", "\n").removesuffix("\n")
    _, *rows = (line.split("\t") for line in text.split("\n"))
    order, tags, subject, object_, sentence = map(list, zip(*rows, strict=True))
    scheme = scheme or scheme_of_names(str(path), order, tags)
    orders, names = final_labels(scheme, "word_order"), final_labels(scheme, "property")
    return {
        "word_order": [orders[one] for one in order],
        "properties": [[names[tag] for tag in of_clause.split("-")] for of_clause in tags],
        "subject_position": list(map(int, subject)),
        "object_position": list(map(int, object_)),
        "sentence": sentence,
    }


def _read_split(files: Mapping[tuple[str, str, Kind], Found], version: str, split: str) -> Columns:
    gold = files[version, split, "gold"]
    treebank = read_treebank(gold)
    columns = gold_columns(treebank, SCHEMES[version])
    if (n := len(columns["tokens"])) != gold.source.rows:
        raise DataFileError(f"{gold.path}: got {n} clauses; expected {gold.source.rows}")
    columns |= _empty_columns(columns)
    items = find_items(columns, str(gold.path))
    columns["fields"] = topological_fields(columns, [item.rows for item in items])
    names = [item.name for item in items for _ in item.rows]
    listed = "paper" if version == "renamed" else version
    columns["irregularities"] = flag(columns, names, listed, split)
    first_lines = treebank.lines[treebank.offsets[:-1]]
    for repair in _line_repairs(gold.source):
        row = int((first_lines <= repair["line"]).sum()) - 1
        columns["irregularities"][row].append(f"broken_line: {repair['reason']}")
    if (version, split, "trees") in files:
        _add_trees(columns, files[version, split, "trees"])
    # the paper's has the first token's tags on every token
    if (version, split, "annotated") in files and version == "head":
        _add_annotation(columns, files[version, split, "annotated"])
    if (version, split, "sentences") in files:
        # clauses that the TSV has not in the same words are flagged; the CoNLL is what counts
        found = files[version, split, "sentences"]
        there = set(_sentence_rows(read_gold_tsv(found.path, SCHEMES[found.source.version])))
        for row, sentence in enumerate(_sentence_rows(sentence_columns(columns))):
            if sentence not in there:
                flags = columns["irregularities"][row]
                flags.append("not_in_tsv: the sentence format has other words")
    return columns


def _empty_columns(columns: Columns) -> Columns:
    # what the gold files do not say; the main verb's label `verb` becomes UD's `root`
    blanks = {
        name: [["_"] * len(tokens) for tokens in columns["tokens"]]
        for name in ("lemmas", "upos", "xpos", "feats")
    }
    deprels = [
        ["root" if label == "verb" else label for label in labels] for labels in columns["deprels"]
    ]
    return blanks | {"deprels": deprels, "resolved_by": [None] * len(deprels)}


def _add_trees(columns: Columns, found: Found) -> None:
    # heads and labels of all words; they must agree with the gold file on subject and object
    treebank = read_treebank(found)
    trees = {name: lists.to_pylist() for name, lists in treebank.trees().items()}
    own = (columns["tokens"], columns["heads"])
    rows = zip(*own, trees["tokens"], trees["heads"], trees["deprels"], strict=True)
    for row, (tokens, heads, other_tokens, full_heads, labels) in enumerate(rows):
        is_same = tokens == other_tokens and all(
            head in (None, full) for head, full in zip(heads, full_heads, strict=True)
        )
        if not is_same:
            got = "sentence, got another one than the gold file"
            raise treebank.error(int(treebank.offsets[row]), got, "the same heads")
        if "verb" in labels:
            columns["irregularities"][row].append(
                "label_verb: the main verb of the full tree is labelled verb, not root"
            )
        columns["heads"][row] = full_heads
        columns["deprels"][row] = ["root" if label == "verb" else label for label in labels]


def _add_annotation(columns: Columns, found: Found) -> None:
    # joined by order, properties and words: the annotated file has clauses that gold has lost
    treebank = read_treebank(found)
    lists = {name: treebank.lists(name).to_pylist() for name in ("form", "lemma", "pos", "feats")}
    rows = {}
    for tokens, lemmas, tags, feats in zip(*lists.values(), strict=True):
        labels = dict(feature.partition(":")[::2] for feature in feats[0].split("|"))
        both = [tag.split("-", 1) for tag in tags]
        rows[labels["order"], labels["props"], tuple(tokens)] = lemmas, both
    properties, tokens = map("-".join, columns["properties"]), map(tuple, columns["tokens"])
    for row, key in enumerate(zip(columns["word_order"], properties, tokens, strict=True)):
        if key not in rows:
            columns["irregularities"][row].append(
                "not_annotated: the annotated file lacks this clause"
            )
            continue
        columns["lemmas"][row], tags = rows[key][0], rows[key][1]
        columns["upos"][row], columns["xpos"][row] = ([tag[i] for tag in tags] for i in (0, 1))


def _sentence_rows(columns: Mapping[str, Sequence[Any]]) -> Iterator[tuple[Any, ...]]:
    names = ("word_order", "properties", "subject_position", "object_position", "sentence")
    for order, tags, *rest in zip(*(columns[name] for name in names), strict=True):
        yield order, tuple(tags), *rest


AUXILIARY_AS_VERB, WRONG_PROPERTIES = "auxiliary_as_verb", "wrong_properties"
VERB_LAST = "MF["
NO_FIELD = "_"


@dataclass(frozen=True)
class Irregularity:
    """One kind of irregularity in some items of a block; no `word_orders` means all."""

    version: Literal["paper", "head"]
    split: Literal["part_amb", "amb"]
    block: str
    places: tuple[str, ...]
    word_orders: tuple[str, ...]
    kind: Literal[
        "auxiliary_as_verb", "wrong_properties", "two_golds", "repeated_sentence", "ungrammatical",
        "old_placement",
    ]  # fmt: skip
    correction: str | None


@functools.cache
def irregularities() -> tuple[Irregularity, ...]:
    """List of known irregularities."""
    return tuple(read_table(DATA / "irregularities.tsv", Irregularity))


def flag(columns: Columns, items: Sequence[str], version: str, split: str) -> list[list[str]]:
    """What is wrong with each clause of a file: `<kind>` or `<kind>: <correction>`."""
    known: dict[str, list[Irregularity]] = {}
    for entry in irregularities():
        for place in entry.places if (entry.version, entry.split) == (version, split) else ():
            known.setdefault(f"{entry.block}/{place}", []).append(entry)
    return [
        [
            entry.kind if entry.correction is None else f"{entry.kind}: {entry.correction}"
            for entry in known.get(item, ())
            if not entry.word_orders or order in entry.word_orders
        ]
        for item, order in zip(items, columns["word_order"], strict=True)
    ]


def repaired(columns: Columns) -> Columns:
    """Clauses with what can be put right put right; flags and ids stay."""
    result = {name: list(values) for name, values in columns.items()}
    # the last word of the first clause of each item, where there is an auxiliary
    infinitives: dict[str, str] = {}
    for item, tokens in zip(columns["item_id"], columns["tokens"], strict=True):
        infinitives.setdefault(item, tokens[-2])
    for row, flags in enumerate(columns["irregularities"]):
        for kind, _, correction in (entry.partition(": ") for entry in flags):
            if kind == WRONG_PROPERTIES:
                result["properties"][row] = correction.split("-")
            elif kind == AUXILIARY_AS_VERB:
                _move_infinitive(result, row, infinitives[columns["item_id"][row]])
    return result


def topological_fields(columns: Columns, items: Sequence[Sequence[int]]) -> list[list[str]]:
    """Topological field of each token: VF, LK, MF, VC, C before a verb-last clause, _ at its end.

    The finite verb is what the verb-first clause of an item begins with.
    """
    fields: list[list[str]] = [[] for _ in columns["tokens"]]
    for rows in items:
        verb_first = next(row for row in rows if columns["word_order"][row].startswith("LK["))
        finite = columns["tokens"][verb_first][0].lower()
        for row in rows:
            tokens, order, verb = (columns[name][row] for name in ("tokens", "word_order", "verb"))
            fields[row] = _fields(tokens, order, verb, finite)
    return fields


def _fields(tokens: Sequence[str], order: str, verb: int, finite: str) -> list[str]:
    # Weil die Katze die Maus sehen wird .      Die Katze wird die Maus sehen .
    # C    MF                  VC    VC         VF        LK   MF       VC
    if order.startswith(VERB_LAST):
        # Omdat de kat de muis zal zien .         the auxiliary may stand on either side
        words = [token.lower() for token in tokens[:-1]]
        last = len(words) - 1 - words[::-1].index(finite) if finite in words else len(words) - 1
        start = min(verb, last)
        return ["C", *["MF"] * (start - 1), *["VC"] * (len(tokens) - 1 - start), NO_FIELD]
    place = [token.lower() for token in tokens].index(finite)
    fields = ["VF"] * place + ["LK"] + ["MF"] * (len(tokens) - place - 2) + [NO_FIELD]
    if verb != place:
        fields[verb] = "VC"
    return fields


def _move_infinitive(columns: Columns, row: int, infinitive: str) -> None:
    # Es sehen wird die Katze .   ->   Es wird die Katze sehen .      the object may be labelled on
    # the infinitive after it
    tokens, order = columns["tokens"][row], columns["word_order"][row]
    old = tokens.index(infinitive)
    object_ = columns["object"][row] - (columns["object"][row] == old)
    places = [place for place in range(len(tokens)) if place != old]
    places.insert(-2 if order.startswith(VERB_LAST) else -1, old)
    new = {old_place: place for place, old_place in enumerate(places)}
    subject, verb, object_ = new[columns["subject"][row]], new[old], new[object_]
    columns["tokens"][row] = [tokens[place] for place in places]
    columns["subject"][row], columns["verb"][row], columns["object"][row] = subject, verb, object_
    labels = {subject: (verb + 1, "nsubj"), verb: (0, "root"), object_: (verb + 1, "obj")}
    both = [labels.get(i, (None, "_")) for i in range(len(tokens))]
    columns["heads"][row], columns["deprels"][row] = map(list, zip(*both, strict=True))
    fields = zip(tokens, columns["fields"][row], strict=True)
    finite = next(token for token, field in fields if field in ("LK", "VC"))
    columns["fields"][row] = _fields(columns["tokens"][row], order, verb, finite.lower())
