"""Language models: texts in, the log-probability of every token out.

    file:PATH           what another gave: JSON lines with `text` and `tokens`, or a sum of each
                        text
    transformers:NAME   any causal language model, or a masked one, as its configuration says
    masked:NAME         a masked one: pseudo-log-likelihoods, within-word left-to-right
    python:package.module:function   your own: a list of texts in, for each a list of
                        (start, end, log-probability) of its tokens out

Log-probabilities are natural logarithms; how they are computed, and which start token a text gets,
is in `metrics._shared.language_models`, what a region of a text gets in
`metrics.minimal_pair_preference.members`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from garden_path.models.checkpoints import Checkpoint, load_checkpoint, output_version
from garden_path.models.system import Function, Loader, Settings, System, each_checked
from garden_path.readers.predictions import checked_tokens, read_token_scores
from ground.revisions import split_revision
from metrics._shared.language_models import CAUSAL, MASKED, STARTS, TextScorer, architecture_of
from metrics._shared.option_fields import option

BATCH_SIZE = 256  # texts to hand over at once: what begins alike is computed once among them


@dataclass(frozen=True)
class LanguageModelSettings(Settings):
    """How a language model is loaded; see `Settings` for the first four."""

    start_token: str = option(
        "auto",
        "whether a text begins with the start token: as the tokenizer does it, or else",
        choices=STARTS,
        expected=f"one of {', '.join(STARTS)}",
    )


SETTINGS = LanguageModelSettings


def of_function(name: str, version: str, function: Function, settings: Settings) -> System:
    """A language model of a user's function: texts in, (start, end, log-probability) each out."""
    predict = each_checked(name, "token scores of texts", function, checked_tokens)
    return System(name, version, predict, batch_size=BATCH_SIZE)


def load_output(name: str, argument: str, settings: Settings) -> System:
    """Reads another model's log-probabilities from a file."""
    version = output_version(argument)
    return System(name, version, lambda texts: read_token_scores(argument, texts).told())


def load_transformers(name: str, argument: str, settings: LanguageModelSettings) -> System:
    """Loads a causal language model, or a masked one, for pseudo-log-likelihoods."""
    model, revision = split_revision(argument, settings.revision)
    is_masked = name.startswith("masked:")
    is_masked = is_masked or architecture_of(model, revision).endswith("ForMaskedLM")
    if is_masked and settings.start_token != "auto":
        raise ValueError(
            f"{name}: start_token, got {settings.start_token}; expected auto, a masked model's"
            " tokenizer adds its own"
        )
    checkpoint = load_checkpoint(argument, settings, MASKED if is_masked else CAUSAL)
    return text_model(name, argument, checkpoint, settings, is_masked=is_masked)


def text_model(
    name: str,
    argument: str,
    checkpoint: Checkpoint,
    settings: LanguageModelSettings,
    *,
    is_masked: bool = False,
) -> System:
    """A language model of a loaded checkpoint; a ValueError as `TextScorer.of` says."""
    model, tokenizer, start = checkpoint.model, checkpoint.tokenizer, settings.start_token
    scorer = TextScorer.of(argument, model, tokenizer, is_masked=is_masked, start_token=start)
    version, n = f"{checkpoint.version} {scorer.told}", checkpoint.n_parameters
    return System(name, version, scorer, n_parameters=n, batch_size=BATCH_SIZE)


NETWORK = Loader(load_transformers, "NAME[@REVISION]", install="'.[models]'")
LOADERS: Mapping[str, Loader] = {
    "file": Loader(load_output, "PATH"),
    "transformers": NETWORK,
    "masked": NETWORK,
}
