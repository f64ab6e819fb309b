"""Answerers of the studies.

structure             parses the sentence with the suite's lexicon: the ceiling
linear-order          takes the words as they come
plausibility          answers from the knowledge base alone, whatever the structure
spacy:NAME            a dependency parser, such as spacy:en_core_web_sm: its tree answers
link-grammar          Link Grammar, whose links answer; from Debian's packages
gguf:NAME             a model that packages carry (`python -m research systems weights`)
"""

from collections.abc import Mapping
from dataclasses import replace

from builders.centerbench import VERSION
from garden_path.models.answerers import AnswererSettings, load_transformers
from garden_path.models.questions import Answerer
from garden_path.models.system import Loader
from research.systems.answerers.centerbench_readers import BELIEFS, load_reader


def load_belief(name: str, argument: str, settings: AnswererSettings) -> Answerer:
    """Loads one of the suite's own readers."""
    return load_reader(name, VERSION)


def load_spacy(name: str, argument: str, settings: AnswererSettings) -> Answerer:
    """Loads a spaCy pipeline, whose trees answer."""
    from research.systems.answerers.parsed_answers import load_parsed_answerer

    return load_parsed_answerer(name, argument)


def load_links(name: str, argument: str, settings: AnswererSettings) -> Answerer:
    """Loads Link Grammar, whose links answer."""
    from research.systems.answerers.link_grammar import load_link_grammar

    return load_link_grammar(name, argument)


def load_gguf(name: str, argument: str, settings: AnswererSettings) -> Answerer:
    """Loads a generation model that packages carry as GGUF, by its name in `weights.toml`.

    Raises:
        ValueError: There is no such model, or it is not here; the message says how to get it.
    """
    from research.systems import weights
    from research.systems.language_models import gguf

    answerer = load_transformers(name, str(gguf.packaged_folder(argument)), settings)
    _, _, asked = answerer.version.partition(" prompts ")
    number_type = answerer.version.partition(" prompts ")[0].rpartition(" ")[2]
    version = f"{weights.version(argument)} {number_type} prompts {asked}"
    return replace(answerer, version=version)


LOADERS: Mapping[str, Loader] = {
    **{belief: Loader(load_belief) for belief in BELIEFS},
    "spacy": Loader(load_spacy, "NAME", install="'.[models]'"),
    "link-grammar": Loader(load_links),
    "gguf": Loader(load_gguf, "NAME", install="'.[models,real]'"),
}
