"""Writes clauses as files: CoNLL-U, and CoNLL and TSV as the authors write them now.

Columns as in config `conll` come in, text comes out. The paper's CoNLL labels three words of a
clause: subject (`nsubj`), object (`obj`) and main verb (`verb`, HEAD 0); CoNLL-U has the whole tree
and says order, properties and ids in comments.

Source: Fischer et al. (2020), appendix A; https://universaldependencies.org/format.html.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from builders.sorts.columns import ClauseColumns

TSV_HEADER = "Word Order\tOther Properties\tSubject Position\tObject Position\tSentence"
UNLABELLED = "_\t_"
NO_SPACE_BEFORE = frozenset(".?")
COMMENTS = ("word_order", "properties", "item_id", "base_item_id", "triple_id", "resolved_by")
WORD_COLUMNS = ("lemmas", "upos", "xpos", "feats")


def paper_conll(columns: ClauseColumns) -> str:
    """The authors' CoNLL: ten columns a word, labels on subject, object and main verb."""
    names = ("word_order", "properties", "tokens", "subject", "verb", "object")
    rows = zip(*(columns[name] for name in names), strict=True)
    lines = []
    for order, tags, tokens, subject, verb, object_ in rows:
        feature = f"order:{order}|props:{'-'.join(tags)}"
        labels = {subject: f"{verb + 1}\tnsubj", verb: "0\tverb", object_: f"{verb + 1}\tobj"}
        lines += [
            f"{i + 1}\t{token}\t_\t_\t_\t{feature}\t{labels.get(i, UNLABELLED)}\t_\t_"
            for i, token in enumerate(tokens)
        ]
        lines.append("")
    return "".join(f"{line}\n" for line in lines)


def paper_tsv(columns: ClauseColumns) -> str:
    """The authors' sentence format: order, properties, 1-based places of subject and object."""
    shown = columns if "sentence" in columns else sentence_columns(columns)
    tags = ["-".join(of_clause) for of_clause in shown["properties"]]
    names = ("subject_position", "object_position", "sentence")
    rows = zip(shown["word_order"], tags, *(shown[name] for name in names), strict=True)
    return "\n".join([TSV_HEADER, *("\t".join(map(str, row)) for row in rows), ""])


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
    """CoNLL-U with full trees; comments say id, order, properties, what the clause belongs to."""
    names = ("tokens", *WORD_COLUMNS, "heads", "deprels")
    rows = zip(*(columns[name] for name in names), strict=True)
    lines = []
    for told, row in zip(_comments(columns, comments), rows, strict=True):
        lines.append(told)
        for i, (token, *cells, head, deprel) in enumerate(zip(*row, strict=True), 1):
            governor = "_" if head is None else str(head)
            is_joined = i < len(row[0]) and row[0][i] in NO_SPACE_BEFORE
            space = "SpaceAfter=No" if is_joined else "_"
            lines.append("\t".join((str(i), token, *cells, governor, deprel, "_", space)))
        lines.append("")
    return "".join(f"{line}\n" for line in lines)


def _comments(columns: ClauseColumns, comments: Sequence[str]) -> Iterator[str]:
    """Comment lines of each clause: id, text, and what else the columns say of it."""
    known = [name for name in comments if name in columns]
    rows = zip(columns["id"], columns["tokens"], *(columns[name] for name in known), strict=True)
    for identifier, tokens, *values in rows:
        sent_id = identifier.replace("/", ":")  # UD reserves slashes for other uses
        lines = [f"# sent_id = {sent_id}", f"# text = {plain_text(tokens)}"]
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


FORMATS: Mapping[str, Callable[[ClauseColumns], str]] = {
    "conllu": conllu,
    "conll": paper_conll,
    "tsv": paper_tsv,
}
