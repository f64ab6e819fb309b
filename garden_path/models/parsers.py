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

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from builders.columns import Columns
from garden_path.models.checkpoints import fingerprint, output_version
from garden_path.models.system import Loader, Settings, System, as_list
from garden_path.readers.predictions import labels_of, read_trees
from metrics._shared.trees import scheme_of

Trees = dict[str, list[Any]]
Parse = Callable[[Columns], Trees]
FILE_ENDINGS = (".conll", ".conllu", ".conll.gz", ".conllu.gz")
BATCH_SIZE = 1024


@dataclass(frozen=True)
class Parser(System):
    """A dependency parser ready to run.

    Attributes:
        predict: `tokens`, `heads` (1-based, 0 the root) and `deprels` of each clause; the clauses
            come as columns, those of config `conll` of SORTS.
        scheme: Its annotation scheme, a key of `ANNOTATION_SCHEMES`.
    """

    predict: Parse
    scheme: str = field(default="ud", kw_only=True)


SETTINGS = Settings


def of_function(
    name: str,
    version: str,
    function: Callable[[list[list[str]]], Sequence[tuple[Sequence[int], Sequence[str]]]],
    settings: Settings,
) -> Parser:
    """A parser of a user's function, in UD labels.

    Clauses go in as lists of tokens; (heads, deprels) of each come out.

    A function of another annotation scheme says so in its attribute `scheme`.

    Raises:
        ValueError: When it runs: there is not a head and a label for every token.
    """

    def predict(clauses: Columns) -> Trees:
        tokens = [list(words) for words in clauses["tokens"]]
        found = as_list(name, "trees", function(tokens), len(tokens))
        trees = [
            _checked_tree(name, words, tree) for words, tree in zip(tokens, found, strict=True)
        ]
        heads, deprels = ([tree[i] for tree in trees] for i in (0, 1))
        return {"tokens": tokens, "heads": heads, "deprels": deprels}

    scheme = getattr(function, "scheme", "ud")
    return Parser(name, version, predict, batch_size=BATCH_SIZE, scheme=scheme)


def load_output(name: str, argument: str, settings: Settings) -> Parser:
    """Reads a parser's output from a file, which belongs to the clauses that come in."""
    version = output_version(argument)
    labels = labels_of(argument)

    def predict(clauses: Columns) -> Trees:
        ids = [str(one) for one in clauses["id"]] if "id" in clauses else None
        tokens = [list(words) for words in clauses["tokens"]]
        trees = read_trees(argument, tokens, ids).told()
        found = {field: [tree[field] for tree in trees] for field in ("heads", "deprels")}
        own = [tree.get("tokens", words) for tree, words in zip(trees, tokens, strict=True)]
        return {"tokens": own, **found}

    scheme = scheme_of(labels)
    return Parser(name, version, predict, scheme=scheme)


def load_spacy(name: str, argument: str, settings: Settings) -> Parser:
    """Loads a spaCy pipeline; its tokenizer is passed over."""
    from garden_path.models.spacy_pipelines import load_pipeline, spacy_trees

    pipeline, version = load_pipeline(f"parser {name}", argument)

    def predict(clauses: Columns) -> Trees:
        return trees_of(clauses, spacy_trees(pipeline, clauses["tokens"]))

    return Parser(
        name,
        version,
        predict,
        batch_size=BATCH_SIZE,
        scheme=scheme_of(pipeline.get_pipe("parser").labels),
    )


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

    def predict(clauses: Columns) -> Trees:
        document = pipeline([list(tokens) for tokens in clauses["tokens"]])
        return trees_of(
            clauses,
            (
                [(word.head, word.deprel) for word in sentence.words]
                for sentence in document.sentences
            ),
        )

    parse = pipeline.processors["depparse"]
    return Parser(
        name,
        f"stanza {stanza.__version__}, {argument} {fingerprint(Path(parse.config['model_path']))}",
        predict,
        n_parameters=sum(weights.numel() for weights in parse.trainer.model.parameters()),
        batch_size=BATCH_SIZE,
        scheme=scheme_of(parse.get_known_relations()),
    )


def load_udpipe(name: str, argument: str, settings: Settings) -> Parser:
    """Loads a UDPipe 1 model from its file; its tokenizer is passed over."""
    from garden_path.models import udpipe_sentences

    path = Path(argument)
    if not path.is_file():
        raise ValueError(f"parser {name}: model, got no such file; expected one of UDPipe 1")
    model = udpipe_sentences.load_model(path)

    def predict(clauses: Columns) -> Trees:
        return trees_of(clauses, udpipe_sentences.parse(model, clauses["tokens"]))

    return Parser(name, f"{path.name} {fingerprint(path)}", predict, batch_size=BATCH_SIZE)


def _checked_tree(name: str, words: Sequence[str], tree: object) -> list[list[Any]]:
    place = f"of {' '.join(words)}"
    parts = as_list(name, f"pair (heads, deprels) {place}", tree, 2)
    return [
        as_list(name, f"{part} {place}", values, len(words))
        for part, values in zip(("heads", "deprels"), parts, strict=True)
    ]


def trees_of(clauses: Columns, parsed: Iterable[list[tuple[int, str]]]) -> Trees:
    """Trees of clauses, as columns, of the (head, label) pairs of their words."""
    pairs = list(parsed)
    heads, deprels = ([[pair[i] for pair in words] for words in pairs] for i in (0, 1))
    return {"tokens": list(clauses["tokens"]), "heads": heads, "deprels": deprels}


LOADERS: Mapping[str, Loader] = {
    "spacy": Loader(load_spacy, "NAME", install="'.[models]'"),
    "stanza": Loader(load_stanza, "LANGUAGE[/PACKAGE]", install="'.[models]'"),
    "udpipe": Loader(load_udpipe, "FILE", install="ufal.udpipe"),
    "file": Loader(load_output, "PATH"),
}
