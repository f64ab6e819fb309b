"""Dependency parsers: gold clauses in, of which a parser sees the tokens only, trees out.

    spacy:NAME           a spaCy pipeline by name or folder, such as spacy:de_core_news_sm (TIGER
                         labels; install it with `python -m spacy download de_core_news_sm`)
    stanza:LANGUAGE      a Stanza pipeline by language, or language and package: stanza:de,
                         stanza:de/hdt
    udpipe:FILE          a model of UDPipe 1
    file:PATH            the output of any other parser for the same clauses: CoNLL-U, CoNLL-X or
                         CoNLL-2009, or JSON, perhaps gzipped; matched by `sent_id`, text or order
    python:package.module:function   your own: a list of clauses, each a list of tokens, in; for
                         each a pair (heads, deprels) out, heads 1-based, 0 the root

Models are loaded from this machine and never fetched. Which annotation scheme a parser has is told
from its labels.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from builders.columns import Columns
from garden_path.models.checkpoints import output_version
from garden_path.models.system import Function, Loader, Settings, System, as_list, each_checked
from garden_path.readers.predictions import labels_of, read_trees
from ground.hashes import fingerprint
from metrics._shared.trees import scheme_of

Trees = dict[str, list[Any]]
Pairs = list[tuple[int, str]]
"""Head, 1-based, 0 the root, and label of every word of a clause."""
BATCH_SIZE = 1024


@dataclass(frozen=True)
class Parser(System):
    """A dependency parser; `predict` takes columns of config `conll` of SORTS, gives `Trees`.

    `scheme` is a key of `ANNOTATION_SCHEMES`.
    """

    predict: Callable[[Columns], Trees]
    scheme: str = field(default="ud", kw_only=True)


SETTINGS = Settings


def make_parser(
    name: str, version: str, parse: Callable[[Sequence[Any]], Iterable[Pairs]], **more: Any
) -> Parser:
    """A parser of what gives the pairs of each clause, a list of tokens."""

    def predict(clauses: Columns) -> Trees:
        pairs = list(parse(clauses["tokens"]))
        heads, deprels = ([[pair[i] for pair in words] for words in pairs] for i in (0, 1))
        return {"tokens": list(clauses["tokens"]), "heads": heads, "deprels": deprels}

    return Parser(name, version, predict, batch_size=BATCH_SIZE, **more)


def of_function(name: str, version: str, function: Function, settings: Settings) -> Parser:
    """A parser of a user's function, in UD labels, or of the scheme in its attribute `scheme`."""
    parse = each_checked(name, "trees", function, _pairs, list)
    return make_parser(name, version, parse, scheme=getattr(function, "scheme", "ud"))


def _pairs(name: str, words: Sequence[str], tree: object) -> Pairs:
    place = f"of {' '.join(words)}"
    parts = as_list(name, f"pair (heads, deprels) {place}", tree, 2)
    heads, deprels = (
        as_list(name, f"{part} {place}", values, len(words))
        for part, values in zip(("heads", "deprels"), parts, strict=True)
    )
    return list(zip(heads, deprels, strict=True))


def load_output(name: str, argument: str, settings: Settings) -> Parser:
    """Reads a parser's output from a file, which belongs to the clauses that come in."""

    def predict(clauses: Columns) -> Trees:
        ids = [str(one) for one in clauses["id"]] if "id" in clauses else None
        tokens = [list(words) for words in clauses["tokens"]]
        found = zip(tokens, read_trees(argument, tokens, ids).told(), strict=True)
        trees = [{"tokens": words, **tree} for words, tree in found]
        return {part: [tree[part] for tree in trees] for part in ("tokens", "heads", "deprels")}

    version = output_version(argument)
    return Parser(name, version, predict, scheme=scheme_of(labels_of(argument)))


def load_spacy(name: str, argument: str, settings: Settings) -> Parser:
    """Loads a spaCy pipeline; its tokenizer is passed over."""
    pipeline, version = load_pipeline(f"parser {name}", argument)
    scheme = scheme_of(pipeline.get_pipe("parser").labels)
    return make_parser(name, version, partial(spacy_trees, pipeline), scheme=scheme)


def load_pipeline(name: str, argument: str) -> tuple[Any, str]:
    """An installed pipeline or one in a folder, with a parser; and its version."""
    import spacy

    try:
        pipeline = spacy.load(argument)
    except OSError as error:
        raise ValueError(
            f"{name}: model, got {error}; expected a spaCy pipeline on this machine:"
            f" python -m spacy download {argument}"
        ) from error
    if "parser" not in pipeline.pipe_names:
        raise ValueError(
            f"{name}: pipeline, got {', '.join(pipeline.pipe_names) or 'no component'};"
            " expected one with a parser"
        )
    meta = pipeline.meta
    version = f"spacy {spacy.__version__}, {meta['lang']}_{meta['name']} {meta['version']}"
    return pipeline, f"{version} {fingerprint(Path(pipeline.path))}"


def spacy_trees(pipeline: Any, clauses: Iterable[Sequence[str]]) -> Iterator[Pairs]:
    """Trees of clauses by a spaCy pipeline; its label ROOT of any scheme is UD's `root`."""
    from spacy.tokens import Doc

    is_ud = scheme_of(pipeline.get_pipe("parser").labels) == "ud"
    root = "root" if is_ud else "ROOT"
    for document in pipeline.pipe(Doc(pipeline.vocab, words=list(words)) for words in clauses):
        heads = [0 if token.head.i == token.i else token.head.i + 1 for token in document]
        labels = [root if token.dep_ == "ROOT" else str(token.dep_) for token in document]
        yield list(zip(heads, labels, strict=True))


def load_stanza(name: str, argument: str, settings: Settings) -> Parser:
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

    def parse(clauses: Sequence[Any]) -> Iterator[Pairs]:
        for sentence in pipeline([list(tokens) for tokens in clauses]).sentences:
            yield [(word.head, word.deprel) for word in sentence.words]

    network = pipeline.processors["depparse"]
    files = fingerprint(Path(network.config["model_path"]))
    version = f"stanza {stanza.__version__}, {argument} {files}"
    n = sum(weights.numel() for weights in network.trainer.model.parameters())
    scheme = scheme_of(network.get_known_relations())
    return make_parser(name, version, parse, n_parameters=n, scheme=scheme)


def load_udpipe(name: str, argument: str, settings: Settings) -> Parser:
    """Loads a UDPipe 1 model from its file; its tokenizer is passed over."""
    path = Path(argument)
    if not path.is_file():
        raise ValueError(f"parser {name}: model, got no such file; expected one of UDPipe 1")
    version, model = f"{path.name} {fingerprint(path)}", load_udpipe_model(path)
    return make_parser(name, version, partial(udpipe_trees, model))


def load_udpipe_model(path: Path) -> Any:
    """A model of UDPipe 1; a ValueError for a file that is none."""
    import ufal.udpipe

    model = ufal.udpipe.Model.load(str(path))
    if model is None:
        raise ValueError(f"{path}: model, got no UDPipe model; expected a file that UDPipe 1 wrote")
    return model


def udpipe_trees(model: Any, clauses: Iterable[Sequence[str]]) -> Iterator[Pairs]:
    """Trees of clauses by a model of UDPipe 1, which tags them first."""
    import ufal.udpipe

    for words in clauses:
        sentence = ufal.udpipe.Sentence()
        for word in words:
            sentence.addWord(word)
        model.tag(sentence, model.DEFAULT)
        model.parse(sentence, model.DEFAULT)
        yield [(word.head, word.deprel) for word in list(sentence.words)[1:]]


LOADERS: Mapping[str, Loader] = {
    "spacy": Loader(load_spacy, "NAME", install="'.[models]'"),
    "stanza": Loader(load_stanza, "LANGUAGE[/PACKAGE]", install="'.[models]'"),
    "udpipe": Loader(load_udpipe, "FILE", install="ufal.udpipe"),
    "file": Loader(load_output, "PATH"),
}
