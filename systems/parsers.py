"""Dependency parsers of German behind one small interface: gold clauses in, of which a parser sees the tokens only, trees out.

A parser is named on the command line:

    subject-first        the paper's baseline: the first of the two arguments is the subject, heads
    are right animacy-first, inflection-first, inflection-then-animacy
                         readers that go by other cues (`systems/cue_readers.py`)
    spacy:NAME           a spaCy pipeline by name or path, such as spacy:de_core_news_sm (TIGER
    labels) stanza:LANGUAGE      a Stanza pipeline by language or language and package, such as
    stanza:de or stanza:de/hdt
    FILE                 the output of any other parser for the same clauses, in the same order:
        CoNLL-U or 10-column CoNLL, perhaps gzipped

Models are loaded from this machine and never fetched. Which annotation scheme a parser has is told
from its labels.

Source: Fischer et al. (2020), section 4, Table 6 for Subject-first.
"""

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from metrics.subject_object_las.annotation import scheme_of
from metrics.subject_object_las.conll import read_conll
from systems.cue_readers import CUE_READERS, read_clauses

Columns = Mapping[str, Sequence[Any]]
Trees = dict[str, list[Any]]
Parse = Callable[[Columns], Trees]
FILE_ENDINGS = (".conll", ".conllu", ".conll.gz", ".conllu.gz")


@dataclass(frozen=True)
class Parser:
    """A parser ready to run.

    Attributes:
        name: As on the command line.
        version: Of the package and model, or of nothing for a file, for the record of a study.
        scheme: Its annotation scheme, a key of `ANNOTATION_SCHEMES`.
        parse: Gives `tokens`, `heads` (1-based, 0 the root) and `deprels` of each clause.
        batch_size: Clauses to hand over at once; None for all.
    """

    name: str
    version: str
    scheme: str
    parse: Parse
    batch_size: int | None = None


def load_parser(name: str) -> Parser:
    """Loads a parser by its name on the command line.

    Raises:
        ValueError: There is no such parser, or its model is not on this machine.
        ModuleNotFoundError: Its package is not installed; the message says which.
    """
    kind, _, argument = name.partition(":")
    if name.endswith(FILE_ENDINGS):
        return load_output(name)
    if name in CUE_READERS:
        return Parser(name, "", "ud", functools.partial(read_clauses, cues=CUE_READERS[name]))
    if kind not in LOADERS or not argument:
        readers, endings = ", ".join(CUE_READERS), ", ".join(FILE_ENDINGS)
        raise ValueError(
            f"parser, got {name!r}; expected {readers}, spacy:NAME, stanza:LANGUAGE or a file ending in {endings}"
        )
    try:
        return LOADERS[kind](name, argument)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"parser {name}: package {error.name} is not installed; pip install {error.name}"
        ) from error


def load_output(name: str) -> Parser:
    """Reads a parser's output from a file; `parse` gives it for the clauses that it belongs to."""
    treebank = read_conll(name)
    columns = {field: lists.to_pylist() for field, lists in treebank.trees().items()}

    def parse(clauses: Columns) -> Trees:
        if len(clauses["tokens"]) != treebank.n_sentences:
            raise ValueError(
                f"{name}: got {treebank.n_sentences} sentences; expected {len(clauses['tokens'])}, one per gold clause"
            )
        return columns

    return Parser(
        name, "", scheme_of(label for labels in columns["deprels"] for label in labels), parse
    )


def load_spacy(name: str, argument: str) -> Parser:
    """Loads a spaCy pipeline; its tokenizer is passed over."""
    import spacy
    from spacy.tokens import Doc

    try:
        pipeline = spacy.load(argument)
    except OSError as error:
        raise ValueError(
            f"parser {name}: model, got {error}; expected a spaCy pipeline on this machine"
        ) from error
    if "parser" not in pipeline.pipe_names:
        raise ValueError(
            f"parser {name}: pipeline, got {', '.join(pipeline.pipe_names) or 'no component'}; expected one with a parser"
        )

    def parse(clauses: Columns) -> Trees:
        documents = pipeline.pipe(
            Doc(pipeline.vocab, words=list(tokens)) for tokens in clauses["tokens"]
        )
        return _trees(
            clauses,
            ([(_spacy_head(token), token.dep_) for token in document] for document in documents),
        )

    version = f"spacy {spacy.__version__}, {pipeline.meta['lang']}_{pipeline.meta['name']} {pipeline.meta['version']}"
    return Parser(
        name, version, scheme_of(pipeline.get_pipe("parser").labels), parse, batch_size=1024
    )


def load_stanza(name: str, argument: str) -> Parser:
    """Loads a Stanza pipeline; its tokenizer is passed over."""
    import stanza

    language, _, package = argument.partition("/")
    try:
        pipeline = stanza.Pipeline(
            language,
            package=package or "default",
            processors="tokenize,pos,lemma,depparse",
            tokenize_pretokenized=True,
            download_method=None,
            verbose=False,
        )
    except Exception as error:  # Stanza raises a dozen types, each where it happens to miss a file
        raise ValueError(
            f"parser {name}: model, got {error}; expected a Stanza pipeline on this machine"
        ) from error

    def parse(clauses: Columns) -> Trees:
        document = pipeline([list(tokens) for tokens in clauses["tokens"]])
        return _trees(
            clauses,
            (
                [(word.head, word.deprel) for word in sentence.words]
                for sentence in document.sentences
            ),
        )

    relations = pipeline.processors["depparse"].get_known_relations()
    return Parser(
        name,
        f"stanza {stanza.__version__}, {argument}",
        scheme_of(relations),
        parse,
        batch_size=1024,
    )


def _spacy_head(token: Any) -> int:
    return 0 if token.head.i == token.i else token.head.i + 1


def _trees(clauses: Columns, parsed: Iterable[list[tuple[int, str]]]) -> Trees:
    pairs = list(parsed)
    heads, deprels = ([[pair[i] for pair in words] for words in pairs] for i in (0, 1))
    return {"tokens": list(clauses["tokens"]), "heads": heads, "deprels": deprels}


LOADERS: dict[str, Callable[[str, str], Parser]] = {"spacy": load_spacy, "stanza": load_stanza}
