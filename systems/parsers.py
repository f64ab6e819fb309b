"""Dependency parsers: gold clauses in, of which a parser sees the tokens only, trees out.

    subject-first        the paper's baseline: the first of the two arguments is the subject, heads
                         are right
    animacy-first, inflection-first, inflection-then-animacy
                         readers that go by other cues (`systems/sorts_readers.py`)
    verb-always, nearest-noun, topology-first, ...
                         readers of prepositional phrases, for `pp_attachment` alone
                         (`systems/pp_readers.py`)
    spacy:NAME           a spaCy pipeline by name or folder, such as spacy:de_core_news_sm (TIGER
                         labels; install it with `python -m spacy download de_core_news_sm`)
    stanza:LANGUAGE      a Stanza pipeline by language, or language and package: stanza:de,
                         stanza:de/hdt
    udpipe:FILE          a model of UDPipe 1
    frog                 Frog, for Dutch, where it is installed (`apt-get install frog frogdata`)
    trained:KIND/TREEBANKS/SEED   trained here when first asked for (`trained_parsers`), such as
                         trained:spacy/german-free/1
    file:PATH            the output of any other parser for the same clauses, in the same order:
                         CoNLL-U or 10-column CoNLL, perhaps gzipped
    python:package.module:function   your own: a list of clauses, each a list of tokens, in; for
                         each a pair (heads, deprels) out, heads 1-based, 0 the root

Models are loaded from this machine and never fetched. Which annotation scheme a parser has is told
from its labels.

Source: Fischer et al. (2020), section 4, Table 6 for Subject-first.
"""

import dataclasses
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from builders.columns import Columns
from metrics.annotation import scheme_of
from metrics.subject_object_las.conll import read_conll
from systems.checkpoints import fingerprint
from systems.pp_readers import PHRASE_READERS, read_phrases
from systems.sorts_readers import CUE_READERS, read_clauses
from systems.system import Loader, Settings, System, as_list

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


def load_cue_reader(name: str, argument: str, settings: Settings) -> Parser:
    """Loads a reader that goes by cues."""
    return Parser(name, "", functools.partial(read_clauses, cues=CUE_READERS[name]))


def load_phrase_reader(name: str, argument: str, settings: Settings) -> Parser:
    """Loads a reader of prepositional phrases."""
    return Parser(name, "", functools.partial(read_phrases, choose=PHRASE_READERS[name]))


def load_output(name: str, argument: str, settings: Settings) -> Parser:
    """Reads a parser's output from a file, which belongs to the clauses that come in."""
    treebank = read_conll(argument)
    columns = {field: lists.to_pylist() for field, lists in treebank.trees().items()}

    def predict(clauses: Columns) -> Trees:
        if len(clauses["tokens"]) != treebank.n_sentences:
            raise ValueError(
                f"{name}: got {treebank.n_sentences} sentences; expected"
                f" {len(clauses['tokens'])}, one per gold clause"
            )
        return columns

    scheme = scheme_of(label for labels in columns["deprels"] for label in labels)
    return Parser(name, fingerprint(Path(argument)), predict, scheme=scheme)


def load_spacy(name: str, argument: str, settings: Settings) -> Parser:
    """Loads a spaCy pipeline; its tokenizer is passed over."""
    from systems.spacy_pipelines import load_pipeline

    pipeline, version = load_pipeline(f"parser {name}", argument)

    def predict(clauses: Columns) -> Trees:
        return _trees(clauses, spacy_trees(pipeline, clauses["tokens"]))

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
        return _trees(
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
    from systems import udpipe_sentences

    path = Path(argument)
    if not path.is_file():
        raise ValueError(f"parser {name}: model, got no such file; expected one of UDPipe 1")
    model = udpipe_sentences.load_model(path)

    def predict(clauses: Columns) -> Trees:
        return _trees(clauses, udpipe_sentences.parse(model, clauses["tokens"]))

    return Parser(name, f"{path.name} {fingerprint(path)}", predict, batch_size=BATCH_SIZE)


def load_frog(name: str, argument: str, settings: Settings) -> Parser:
    """Loads Frog, a program of this machine; its tokenizer is passed over."""
    from systems import frog_parser

    def predict(clauses: Columns) -> Trees:
        return _trees(clauses, frog_parser.parse(f"parser {name}", clauses["tokens"]))

    version = frog_parser.version(f"parser {name}")
    return Parser(name, version, predict, batch_size=BATCH_SIZE, scheme="alpino")


def load_stanza_file(name: str, argument: str, settings: Settings) -> Parser:
    """Loads a graph parser that `systems.stanza_parser` has trained, from its file."""
    from systems import stanza_parser

    model = stanza_parser.load_model(Path(argument))

    def predict(clauses: Columns) -> Trees:
        return _trees(clauses, stanza_parser.parse(model, clauses["tokens"]))

    return Parser(
        name,
        Path(argument).name,
        predict,
        n_parameters=sum(weights.numel() for weights in model.model.parameters()),
        batch_size=BATCH_SIZE,
        scheme=scheme_of(model.vocab["deprel"]),
    )


def load_trained(name: str, argument: str, settings: Settings) -> Parser:
    """Loads a parser that is trained here when it is first asked for."""
    from systems.trained_parsers import read_recipe, trained

    recipe = read_recipe(argument)
    found = trained(recipe)
    load = {"udpipe": load_udpipe, "stanza": load_stanza_file}.get(recipe.kind, load_spacy)
    parser = load(name, str(found.path), settings)
    return dataclasses.replace(parser, version=found.version)


def spacy_trees(
    pipeline: Any, sentences: Iterable[Sequence[str]]
) -> Iterator[list[tuple[int, str]]]:
    """Head (1-based, 0 the root) and label of every word of each sentence, by a spaCy pipeline.

    spaCy has one label for the root in any scheme, ROOT; where the others are UD's, it is `root`.
    """
    from spacy.tokens import Doc

    is_ud = scheme_of(pipeline.get_pipe("parser").labels) == "ud"

    documents = (Doc(pipeline.vocab, words=list(words)) for words in sentences)
    for document in pipeline.pipe(documents):
        yield [(_spacy_head(token), _spacy_label(token, is_ud)) for token in document]


def _checked_tree(name: str, words: Sequence[str], tree: object) -> list[list[Any]]:
    place = f"of {' '.join(words)}"
    parts = as_list(name, f"pair (heads, deprels) {place}", tree, 2)
    return [
        as_list(name, f"{part} {place}", values, len(words))
        for part, values in zip(("heads", "deprels"), parts, strict=True)
    ]


def _spacy_head(token: Any) -> int:
    return 0 if token.head.i == token.i else token.head.i + 1


def _spacy_label(token: Any, is_ud: bool) -> str:
    return "root" if is_ud and token.dep_ == "ROOT" else str(token.dep_)


def _trees(clauses: Columns, parsed: Iterable[list[tuple[int, str]]]) -> Trees:
    pairs = list(parsed)
    heads, deprels = ([[pair[i] for pair in words] for words in pairs] for i in (0, 1))
    return {"tokens": list(clauses["tokens"]), "heads": heads, "deprels": deprels}


LOADERS: Mapping[str, Loader] = {
    **{reader: Loader(load_cue_reader) for reader in CUE_READERS},
    **{reader: Loader(load_phrase_reader) for reader in PHRASE_READERS},
    "spacy": Loader(load_spacy, "NAME", install="'.[models]'"),
    "stanza": Loader(load_stanza, "LANGUAGE[/PACKAGE]", install="'.[models]'"),
    "udpipe": Loader(load_udpipe, "FILE", install="'.[real]'"),
    "frog": Loader(load_frog),
    "trained": Loader(load_trained, "KIND/TREEBANKS/SEED", install="'.[real,models]'"),
    "file": Loader(load_output, "PATH"),
}
