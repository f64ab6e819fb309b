"""Parsers trained here on treebanks that the user has: `trained:KIND/TREEBANKS/SEED`.

A parser is trained when it is first asked for, some minutes on one core, and kept in the weights
folder under a name that holds a hash of all it rests on. Its attachment scores on the held-out test
(gold tokens, predicted tags, punctuation counted, as CoNLL 2018) and the processor time of its
training are part of its record.
"""

import functools
import hashlib
import importlib.metadata
import json
import random
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from garden_path.models.parsers import Parser, load_spacy, load_udpipe, make_parser
from garden_path.models.system import Settings
from ground.files import write_whole
from ground.hashes import N_HEX
from ground.sources import find_source, read_source
from ground.tables import read_settings
from metrics._shared.plain_text import lines_of
from metrics._shared.treebanks import read_conll
from metrics._shared.trees import read_trees, scheme_of
from metrics.subject_object_las.scoring import attachment_scores
from research.systems.parsers import biaffine_parser, piece_vectors, spacy_parser, stanza_parser
from research.systems.weights import folder

TABLE = Path(__file__).parent / "treebanks.toml"
SHA256 = "sha256"  # the table of checksums
SCORING = 2  # raised when a record's scores are counted otherwise: older records are scored anew
UDPIPE_TAGGER = "models=1;iterations=4;provide_lemma=0;use_lemma=0"
UDPIPE_PARSER = "iterations=5;transition_system=projective;transition_oracle=dynamic"
UDPIPE = f"{UDPIPE_TAGGER} {UDPIPE_PARSER}"


@dataclass(frozen=True)
class Recipe:
    """What a parser is trained on, by `treebanks.toml`, and how: one of `KINDS`, and a seed."""

    kind: str
    treebanks: str
    seed: int

    @property
    def name(self) -> str:
        """As it is written behind `trained:`."""
        return f"{self.kind}/{self.treebanks}/{self.seed}"


@dataclass(frozen=True)
class TrainedParser:
    """A parser in the folder or file `path`, with its scores on the held-out test, in [0, 1].

    `minutes` is processor time of its training, None if it was trained before that was kept.
    """

    version: str
    las: float
    uas: float
    minutes: float | None
    path: Path


def read_recipe(text: str) -> Recipe:
    """The recipe behind `trained:`; a ValueError names what is known of KIND/TREEBANKS/SEED."""
    kind, _, rest = text.partition("/")
    treebanks, _, seed = rest.partition("/")
    if kind not in KINDS or treebanks not in mixes() or not seed.isdigit():
        raise ValueError(
            f"trained parser, got {text!r}; expected KIND/TREEBANKS/SEED with KIND one of"
            f" {', '.join(KINDS)} and TREEBANKS one of {', '.join(mixes())}"
        )
    return Recipe(kind, treebanks, int(seed))


@functools.cache
def mixes() -> dict[str, Mapping[str, Any]]:
    """Every entry of `treebanks.toml`: `language`, `licence`, `train` (files), `test`, `one_in`."""
    entries = {name: entry for name, entry in read_settings(TABLE).items() if name != SHA256}
    return {name: {**entries.get(one.get("of"), {}), **one} for name, one in entries.items()}


def trained(recipe: Recipe) -> TrainedParser:
    """The parser of a recipe, trained if there is none; a ValueError without the treebanks."""
    kind = KINDS[recipe.kind]
    package = f"{recipe.kind} {importlib.metadata.version(kind.package)}"
    entry = mixes()[recipe.treebanks]
    checksums = [_checksums()[file] for file in [*entry["train"], entry["test"]]]
    part = [entry["one_in"]] if "one_in" in entry else []
    rests_on = json.dumps([package, recipe.name, checksums, kind.settings(), *part])
    digest = hashlib.sha256(rests_on.encode()).hexdigest()[:N_HEX]
    path = folder() / "parsers" / f"{recipe.name.replace('/', '-')}-{digest}"
    about = path.with_suffix(".json")
    if about.is_file():
        found = json.loads(about.read_text(encoding="utf-8"))
    else:
        print(f"training {recipe.name}: some minutes", flush=True)
        train_sentences, _ = training_and_test(recipe.treebanks)
        random.Random(recipe.seed).shuffle(train_sentences)
        begin = time.process_time()
        kind.train(train_sentences, str(entry["language"]), recipe.seed, path)
        found = {"minutes": (time.process_time() - begin) / 60}
    if found.pop("scoring", 1) != SCORING:
        _, test = training_and_test(recipe.treebanks)
        found |= held_out_scores(test, kind.load(recipe.name, str(path), Settings()))
        write_whole(about, json.dumps({**found, "scoring": SCORING}))
    version = f"{package}, {recipe.name} {digest}"
    return TrainedParser(version, path=path, **{"minutes": None, **found})


def training_and_test(treebanks: str) -> tuple[list[str], str]:
    """Sentences to train on, in CoNLL-U, none of the test's (GSD has six in both), and its text.

    Of an entry with `one_in` every n-th is kept, so that each file has its share.
    """
    entry = mixes()[treebanks]
    test = _text(entry["test"])
    seen = {_forms(sentence) for sentence in sentences_of(test)}
    kept = [s for file in entry["train"] for s in sentences_of(_text(file))]
    unseen = [sentence for sentence in kept if _forms(sentence) not in seen]
    return unseen[:: entry.get("one_in", 1)], test


def sentences_of(text: str) -> Iterator[str]:
    """The sentences of a CoNLL-U text, syntactic words only, xpos replaced by upos."""
    for block in text.split("\n\n"):
        words = [line.split("\t") for line in lines_of(block) if line[:1].isdigit()]
        cells = [[*w[:4], w[3], *w[5:]] for w in words if w[0].isdigit()]
        if cells:
            yield "\n".join("\t".join(row) for row in cells) + "\n\n"


def held_out_scores(test: str, parser: Parser) -> dict[str, float]:
    """`las` and `uas` of a parser on a test in CoNLL-U, from its tokens alone."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "test.conllu"
        path.write_text("".join(sentences_of(test)), encoding="utf-8")
        columns = {name: lists.to_pylist() for name, lists in read_conll(path).trees().items()}
    trees = parser.predict({"tokens": columns["tokens"]})
    return attachment_scores(read_trees("gold", columns), read_trees("predicted", trees))


def _forms(sentence: str) -> tuple[str, ...]:
    return tuple(line.split("\t")[1] for line in sentence.split("\n") if line)


def treebank_files(language: str) -> list[str]:
    """Every file of a language that an entry of `treebanks.toml` trains on or tests with."""
    entries = [entry for entry in mixes().values() if entry["language"] == language]
    return sorted({file for entry in entries for file in (*entry["train"], entry["test"])})


def treebank_path(file: str) -> Path:
    """Where a file of `treebanks.toml` lies; a DataFileError where it is none or another."""
    return find_source(file, _checksums()[file], TABLE.name)


def _text(file: str) -> str:
    return read_source(file, _checksums()[file], TABLE.name).decode()


def _checksums() -> Mapping[str, str]:
    checksums: Mapping[str, str] = read_settings(TABLE)[SHA256]
    return checksums


def _train_udpipe(sentences: Sequence[str], language: str, seed: int, path: Path) -> None:
    import ufal.udpipe as udpipe

    error = udpipe.ProcessingError()
    texts = (udpipe_sentences("".join(sentences)), udpipe.Sentences())
    methods = (udpipe.Trainer.NONE, UDPIPE_TAGGER, UDPIPE_PARSER)
    model = udpipe.Trainer.train("morphodita_parsito", *texts, *methods, error)
    if error.occurred():
        raise ValueError(f"udpipe: training, got {error.message}; expected a model")
    write_whole(path, model)


def udpipe_sentences(text: str) -> Any:
    """UDPipe's own sentences of a CoNLL-U text."""
    import ufal.udpipe as udpipe

    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(text)
    sentences = udpipe.Sentences()
    while reader.nextSentence(sentence := udpipe.Sentence()):
        sentences.append(sentence)
    return sentences


def _load_vectors(name: str, argument: str, settings: Settings) -> Parser:
    piece_vectors.register()  # a component that these pipelines have
    return load_spacy(name, argument, settings)


def _load_stanza(name: str, argument: str, settings: Settings) -> Parser:
    model = stanza_parser.load_model(Path(argument))
    parse = functools.partial(stanza_parser.parse, model)
    return _of_network(name, argument, parse, model.model, model.vocab["deprel"])


def load_biaffine(name: str, argument: str, settings: Settings) -> Parser:
    """Loads a parser that `biaffine_parser` has trained, from its folder."""
    parser = biaffine_parser.load(Path(argument))
    return _of_network(name, argument, parser.parse, parser.network, parser.labels)


def _of_network(
    name: str, argument: str, parse: Callable[..., Any], network: Any, labels: Iterable[str]
) -> Parser:
    n = sum(weights.numel() for weights in network.parameters())
    return make_parser(name, Path(argument).name, parse, n_parameters=n, scheme=scheme_of(labels))


@dataclass(frozen=True)
class Kind:
    """A program, of a package, that trains parsers into a path, and loads what lies there."""

    package: str
    train: Callable[[Sequence[str], str, int, Path], None]
    load: Callable[[str, str, Settings], Parser]
    settings: Callable[[], str]  # what else a model rests on


KINDS: Mapping[str, Kind] = {
    "spacy": Kind("spacy", spacy_parser.train, load_spacy, spacy_parser.settings),
    "spacy-vectors": Kind(
        *("spacy", spacy_parser.train_with_vectors, _load_vectors),
        spacy_parser.settings_with_vectors,
    ),
    "udpipe": Kind("ufal.udpipe", _train_udpipe, load_udpipe, lambda: UDPIPE),
    "biaffine": Kind("torch", biaffine_parser.train, load_biaffine, biaffine_parser.settings),
    "stanza": Kind("stanza", stanza_parser.train, _load_stanza, stanza_parser.settings),
}
