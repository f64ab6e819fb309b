"""Language models of the studies.

gguf:NAME           a causal one that packages carry (`python -m research systems weights`)
unigram:LANGUAGE, bigram:LANGUAGE   counts of a free text, see `ngrams`
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from garden_path.models.checkpoints import load_checkpoint
from garden_path.models.language_models import BATCH_SIZE, LanguageModelSettings, text_model
from garden_path.models.system import Loader, System
from metrics._shared.language_models import CAUSAL, TokenScores, token_scores


def load_gguf(name: str, argument: str, settings: LanguageModelSettings) -> System:
    """A causal language model by its name in `weights.toml`; errors as `gguf.packaged_folder`."""
    from research.systems import weights
    from research.systems.language_models import gguf

    checkpoint = load_checkpoint(str(gguf.packaged_folder(argument)), settings, CAUSAL)
    version = f"{weights.version(argument)} {checkpoint.version.rpartition(' ')[2]}"
    return text_model(name, argument, replace(checkpoint, version=version), settings)


def load_ngrams(name: str, argument: str, settings: LanguageModelSettings) -> System:
    """A unigram or bigram model, trained on the spot; a ValueError without text of the language."""
    from research.systems.language_models.ngrams import trained

    order = ("unigram", "bigram").index(name.partition(":")[0]) + 1
    counts = trained(argument)

    def predict(texts: Sequence[str]) -> list[TokenScores]:
        found = [counts.tokens(text, order) for text in texts]
        return [token_scores([t[:2] for t in one], [t[2] for t in one]) for one in found]

    return System(
        name,
        f"text {counts.digest}",
        predict,
        n_parameters=len(counts.units) + (len(counts.pairs) if order > 1 else 0),
        batch_size=BATCH_SIZE,
    )


LOADERS: Mapping[str, Loader] = {
    "gguf": Loader(load_gguf, "NAME", install="'.[models,real]'"),
    "unigram": Loader(load_ngrams, "LANGUAGE"),
    "bigram": Loader(load_ngrams, "LANGUAGE"),
}
