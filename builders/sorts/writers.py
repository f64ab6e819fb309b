"""Writes clauses as files: CoNLL-U, and CoNLL and TSV byte by byte as the authors write them.

Columns as in config `conll` come in, text comes out. The paper's CoNLL labels three words of a
clause: subject (`nsubj`), object (`obj`) and main verb (`verb`, HEAD 0); CoNLL-U has the whole tree
and says order, properties and ids in comments.

Source: Fischer et al. (2020), appendix A; https://universaldependencies.org/format.html.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from builders.sorts.columns import ClauseColumns
from builders.sorts.labels import FINAL, scheme_labels

TSV_HEADER = "Word Order\tOther Properties\tSubject Position\tObject Position\tSentence"
UNLABELLED = "_\t_"
SLASH = ":"
NO_SPACE_BEFORE = frozenset(".?")
COMMENTS = ("word_order", "properties", "item_id", "base_item_id", "triple_id", "resolved_by")
WORD_COLUMNS = ("lemmas", "upos", "xpos", "feats")


@dataclass(frozen=True)
class Layout:
    """How one version of the authors' files is written.

    Attributes:
        scheme: Names of orders and properties, see `builders.sorts.labels`.
        equals: What joins a feature's name and value: ":" or, in the `_u` files, "=".
        line_end: Of the TSV; the CoNLL always has LF.
        ends_with_blank_line: Whether the last clause of the CoNLL is followed by a blank line, as
            the others are.
        ends_with_line_end: Whether the last line of the TSV has a line end.
    """

    scheme: str = FINAL
    equals: str = ":"
    line_end: str = "\n"
    ends_with_blank_line: bool = True
    ends_with_line_end: bool = True


FINAL_LAYOUT = Layout()


def paper_conll(columns: ClauseColumns, layout: Layout = FINAL_LAYOUT) -> str:
    """The paper's CoNLL: ten columns, labels on subject, object and main verb.

    Args:
        columns: `word_order`, `properties` (the two tags, such as ["base", "acc"]), `tokens`,
            `subject`, `verb`, `object` (0-based).
        layout: How to write it.

    Returns:
        Ten tab-separated columns a word, a blank line after each clause.
    """
    clauses = (
        _paper_clause(
            tokens,
            feature,
            {subject: f"{verb + 1}\tnsubj", verb: "0\tverb", object_: f"{verb + 1}\tobj"},
        )
        for tokens, feature, subject, verb, object_ in zip(
            columns["tokens"],
            _features(columns, layout),
            columns["subject"],
            columns["verb"],
            columns["object"],
            strict=True,
        )
    )
    return "\n".join(clauses) + ("\n" if layout.ends_with_blank_line else "")


def paper_tsv(columns: ClauseColumns, layout: Layout = FINAL_LAYOUT) -> str:
    """The paper's sentence format as text.

    Args:
        columns: `word_order`, `properties`, `subject_position`, `object_position` (1-based),
            `sentence` (tokens joined by blanks).
        layout: How to write it.
    """
    orders, tags = _names(columns, layout)
    rows = zip(
        orders,
        tags,
        columns["subject_position"],
        columns["object_position"],
        columns["sentence"],
        strict=True,
    )
    lines = [TSV_HEADER, *("\t".join(map(str, row)) for row in rows)]
    return layout.line_end.join(lines) + (layout.line_end if layout.ends_with_line_end else "")


def sentence_columns(columns: ClauseColumns) -> dict[str, list[Any]]:
    """Columns of config `sentence`, from those of config `conll`."""
    copied = {
        name: list(columns[name]) for name in ("id", "word_order", "properties") if name in columns
    }
    return copied | {
        "subject_position": [subject + 1 for subject in columns["subject"]],
        "object_position": [object_ + 1 for object_ in columns["object"]],
        "sentence": [" ".join(tokens) for tokens in columns["tokens"]],
    }


def conllu(columns: ClauseColumns, comments: Sequence[str] = COMMENTS) -> str:
    """CoNLL-U with full trees; comments hold id, order, properties, what the clause belongs to.

    Args:
        columns: Columns of config `conll`, or of the view `parsing`, which has no such comments.
        comments: The columns that are written as comments, where there are such.
    """
    rows = zip(
        *(columns[name] for name in ("tokens", *WORD_COLUMNS, "heads", "deprels")), strict=True
    )
    return "".join(
        f"{lines}\n{_tree(*row)}\n\n"
        for lines, row in zip(_comments(columns, comments), rows, strict=True)
    )


def sentence_id(identifier: str) -> str:
    """CoNLL-U `sent_id` of a clause: its id without slashes, which UD reserves for other uses."""
    return identifier.replace("/", SLASH)


def identifier(sent_id: str) -> str:
    """Id of a clause from its `sent_id`: the inverse of `sentence_id`."""
    return sent_id.replace(SLASH, "/")


def _names(columns: ClauseColumns, layout: Layout) -> tuple[list[str], list[str]]:
    orders, names = (
        scheme_labels(layout.scheme, "word_order"),
        scheme_labels(layout.scheme, "property"),
    )
    return [orders[order] for order in columns["word_order"]], [
        "-".join(names[tag] for tag in tags) for tags in columns["properties"]
    ]


def _features(columns: ClauseColumns, layout: Layout) -> list[str]:
    return [
        f"order{layout.equals}{order}|props{layout.equals}{tags}"
        for order, tags in zip(*_names(columns, layout), strict=True)
    ]


def _paper_clause(tokens: Sequence[str], feature: str, labels: Mapping[int, str]) -> str:
    return "".join(
        f"{i + 1}\t{token}\t_\t_\t_\t{feature}\t{labels.get(i, UNLABELLED)}\t_\t_\n"
        for i, token in enumerate(tokens)
    )


def _comments(columns: ClauseColumns, comments: Sequence[str]) -> Iterator[str]:
    """Comment lines of each clause: id, text, and what else the columns say of it."""
    known = [name for name in comments if name in columns]
    rows = zip(columns["id"], columns["tokens"], *(columns[name] for name in known), strict=True)
    for identifier, tokens, *values in rows:
        lines = [f"# sent_id = {sentence_id(identifier)}", f"# text = {plain_text(tokens)}"]
        lines += [
            f"# {name} = {'-'.join(value) if name == 'properties' else value}"
            for name, value in zip(known, values, strict=True)
            if value is not None
        ]
        yield "\n".join(lines)


def plain_text(tokens: Sequence[str]) -> str:
    """A clause as it is written, without blanks before its punctuation."""
    return "".join(
        token if i == 0 or token in NO_SPACE_BEFORE else f" {token}"
        for i, token in enumerate(tokens)
    )


def _tree(
    tokens: Sequence[str],
    lemmas: Sequence[str],
    upos: Sequence[str],
    xpos: Sequence[str],
    feats: Sequence[str],
    heads: Sequence[int | None],
    deprels: Sequence[str],
) -> str:
    words = zip(tokens, lemmas, upos, xpos, feats, heads, deprels, strict=True)
    lines = []
    for i, (token, lemma, pos, tag, morph, head, deprel) in enumerate(words, 1):
        governor = "_" if head is None else str(head)
        cells = (str(i), token, lemma, pos, tag, morph, governor, deprel, "_", _misc(tokens, i))
        lines.append("\t".join(cells))
    return "\n".join(lines)


def _misc(tokens: Sequence[str], i: int) -> str:
    return "SpaceAfter=No" if i < len(tokens) and tokens[i] in NO_SPACE_BEFORE else "_"


def _tsv(columns: ClauseColumns) -> str:
    """The paper's sentence format: order, properties, places of subject and object, sentence."""
    has_sentences = "sentence" in columns
    return paper_tsv(columns if has_sentences else sentence_columns(columns))


FORMATS: Mapping[str, Callable[[ClauseColumns], str]] = {
    "conllu": conllu,
    "conll": paper_conll,
    "tsv": _tsv,
}
