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

from garden_path.models.parsers import Parser, load_output, make_parser
from garden_path.models.system import Loader, Settings
from ground.sources import find_source
from ground.tables import read_table
from research.systems.parsers.pp_readers import PHRASE_READERS, read_phrases
from research.systems.parsers.sorts_readers import CUE_READERS, read_clauses

AUTHORS = Path(__file__).parent / "data" / "authors_outputs.tsv"


@dataclasses.dataclass(frozen=True)
class AuthorsOutput:
    """A line of `authors_outputs.tsv`."""

    parser: str
    file: str
    sha256: str


def load_reader(name: str, argument: str, settings: Settings) -> Parser:
    """Loads a reader of clauses by cues, or one of prepositional phrases."""
    if name in CUE_READERS:
        return Parser(name, "", functools.partial(read_clauses, cues=CUE_READERS[name]))
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


def load_trained(name: str, argument: str, settings: Settings) -> Parser:
    """Loads a parser that is trained here when it is first asked for."""
    from research.systems.parsers.trained_parsers import KINDS, read_recipe, trained

    recipe = read_recipe(argument)
    found = trained(recipe)
    parser = KINDS[recipe.kind].load(name, str(found.path), settings)
    return dataclasses.replace(parser, version=found.version)


LOADERS: Mapping[str, Loader] = {
    **{reader: Loader(load_reader) for reader in (*CUE_READERS, *PHRASE_READERS)},
    "frog": Loader(load_frog),
    "authors": Loader(load_authors, "LANGUAGE/PARSER"),
    "trained": Loader(load_trained, "KIND/TREEBANKS/SEED", install="'.[real,models]'"),
}
