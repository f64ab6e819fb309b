"""Parsers and cue readers of the studies.

subject-first, animacy-first, ...   readers of clauses by cues (`sorts_readers`)
verb-always, nearest-noun, ...      readers of phrases, for `pp_attachment` (`pp_readers`)
frog                 Frog, for Dutch, where it is installed (`apt-get install frog frogdata`)
authors:LANGUAGE/PARSER   what a parser of the paper's authors gave to their clauses, from the
                     files that they released (`authors_outputs.tsv`): authors:german/sticker2
trained:KIND/TREEBANKS/SEED   trained here when first asked for (`trained_parsers`), such as
                     trained:spacy/german-free/1
"""

import dataclasses
import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from garden_path.models.parsers import Parser, load_output, load_spacy, load_udpipe, make_parser
from garden_path.models.system import Loader, Settings
from ground.sources import find_source
from ground.tables import read_table
from metrics._shared.trees import scheme_of
from research.systems.parsers import piece_vectors
from research.systems.parsers.pp_readers import PHRASE_READERS, read_phrases
from research.systems.parsers.sorts_readers import CUE_READERS, read_clauses

AUTHORS = Path(__file__).parent / "data" / "authors_outputs.tsv"


@dataclasses.dataclass(frozen=True)
class AuthorsOutput:
    """A line of `authors_outputs.tsv`."""

    parser: str
    file: str
    sha256: str


def load_cue_reader(name: str, argument: str, settings: Settings) -> Parser:
    """Loads a reader that goes by cues."""
    return Parser(name, "", functools.partial(read_clauses, cues=CUE_READERS[name]))


def load_phrase_reader(name: str, argument: str, settings: Settings) -> Parser:
    """Loads a reader of prepositional phrases."""
    return Parser(name, "", functools.partial(read_phrases, choose=PHRASE_READERS[name]))


def load_frog(name: str, argument: str, settings: Settings) -> Parser:
    """Loads Frog, a program of this machine; its tokenizer is passed over."""
    from research.systems.parsers import frog_parser

    version = frog_parser.version(f"parser {name}")
    parse = functools.partial(frog_parser.parse, f"parser {name}")
    return make_parser(name, version, parse, scheme="alpino")


def load_authors(name: str, argument: str, settings: Settings) -> Parser:
    """What a parser of the authors gave to their clauses; a ValueError for another file."""
    known = {row.parser: row for row in read_table(AUTHORS, AuthorsOutput)}
    if argument not in known:
        raise ValueError(f"parser {name}: got {argument!r}; expected one of {', '.join(known)}")
    found = known[argument]
    parser = load_output(name, str(find_source(found.file, found.sha256, AUTHORS.name)), settings)
    version = f"{Path(found.file).name} {found.sha256[:16]}"
    return dataclasses.replace(parser, version=version)


def load_stanza_file(name: str, argument: str, settings: Settings) -> Parser:
    """Loads a graph parser that `stanza_parser` has trained, from its file."""
    from research.systems.parsers import stanza_parser

    model = stanza_parser.load_model(Path(argument))
    parse = functools.partial(stanza_parser.parse, model)
    n, scheme = _n_weights(model.model), scheme_of(model.vocab["deprel"])
    return make_parser(name, Path(argument).name, parse, n_parameters=n, scheme=scheme)


def load_biaffine(name: str, argument: str, settings: Settings) -> Parser:
    """Loads a parser that `biaffine_parser` has trained, from its folder."""
    from research.systems.parsers import biaffine_parser

    parser = biaffine_parser.load(Path(argument))
    n, scheme = _n_weights(parser.network), scheme_of(parser.labels)
    return make_parser(name, Path(argument).name, parser.parse, n_parameters=n, scheme=scheme)


def _n_weights(network: Any) -> int:
    return sum(weights.numel() for weights in network.parameters())


def load_trained(name: str, argument: str, settings: Settings) -> Parser:
    """Loads a parser that is trained here when it is first asked for."""
    from research.systems.parsers.trained_parsers import read_recipe, trained

    recipe = read_recipe(argument)
    found = trained(recipe)
    piece_vectors.register()  # a component that pipelines trained here have
    loaders = {"udpipe": load_udpipe, "stanza": load_stanza_file, "biaffine": load_biaffine}
    parser = loaders.get(recipe.kind, load_spacy)(name, str(found.path), settings)
    return dataclasses.replace(parser, version=found.version)


LOADERS: Mapping[str, Loader] = {
    **{reader: Loader(load_cue_reader) for reader in CUE_READERS},
    **{reader: Loader(load_phrase_reader) for reader in PHRASE_READERS},
    "frog": Loader(load_frog),
    "authors": Loader(load_authors, "LANGUAGE/PARSER"),
    "trained": Loader(load_trained, "KIND/TREEBANKS/SEED", install="'.[real,models]'"),
}
