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

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from garden_path.models.checkpoints import Checkpoint, load_checkpoint, output_version
from garden_path.models.system import Loader, Settings, System, as_list
from garden_path.readers.predictions import checked_tokens, read_token_scores
from ground.revisions import split_revision
from metrics._shared.language_models import (
    CAUSAL,
    MASKED,
    STARTS,
    TextScorer,
    TokenScores,
    architecture_of,
)
from metrics._shared.option_fields import option

BATCH_SIZE = 256  # texts to hand over at once: what begins alike is computed once among them


Score = Callable[[Sequence[str]], list[TokenScores]]


@dataclass(frozen=True)
class LanguageModel(System):
    """A language model ready to run.

    Attributes:
        predict: Token scores of each text.
    """

    predict: Score


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


def of_function(
    name: str,
    version: str,
    function: Callable[[list[str]], Sequence[Iterable[tuple[int, int, float]]]],
    settings: LanguageModelSettings,
) -> LanguageModel:
    """A language model of a user's function.

    Texts go in; (start, end, log-probability) of the tokens of each come out.

    Raises:
        ValueError: When it runs: there is not one list per text, or a value is no log-probability
            of a part of it.
    """

    def predict(texts: Sequence[str]) -> list[TokenScores]:
        found = as_list(name, "token scores of texts", function(list(texts)), len(texts))
        return [checked_tokens(name, text, one) for text, one in zip(texts, found, strict=True)]

    return LanguageModel(name, version, predict, batch_size=BATCH_SIZE)


def load_output(name: str, argument: str, settings: LanguageModelSettings) -> LanguageModel:
    """Reads another model's log-probabilities from a file."""

    def predict(texts: Sequence[str]) -> list[TokenScores]:
        return read_token_scores(argument, texts).told()

    return LanguageModel(name, output_version(argument), predict)


def load_transformers(name: str, argument: str, settings: LanguageModelSettings) -> LanguageModel:
    """Loads a causal language model of transformers, or a masked one.

    Raises:
        ValueError: The tokenizer gives no offsets, or a start token is wanted and there is none.
    """
    model, revision = split_revision(argument, settings.revision)
    if architecture_of(model, revision).endswith("ForMaskedLM"):
        return load_masked(name, argument, settings)
    return text_model(name, argument, load_checkpoint(argument, settings, CAUSAL), settings)


def load_masked(name: str, argument: str, settings: LanguageModelSettings) -> LanguageModel:
    """Loads a masked language model of transformers, for pseudo-log-likelihoods.

    Raises:
        ValueError: The tokenizer gives no offsets or has no mask, or a start token is asked for.
    """
    if settings.start_token != "auto":
        raise ValueError(
            f"{name}: start_token, got {settings.start_token}; expected auto, a masked model's"
            " tokenizer adds its own"
        )
    checkpoint = load_checkpoint(argument, settings, MASKED)
    return text_model(name, argument, checkpoint, settings, is_masked=True)


def text_model(
    name: str,
    argument: str,
    checkpoint: Checkpoint,
    settings: LanguageModelSettings,
    *,
    is_masked: bool = False,
) -> LanguageModel:
    """A language model of a loaded checkpoint.

    Raises:
        ValueError: As `TextScorer.of` says.
    """
    scorer = TextScorer.of(
        argument,
        checkpoint.model,
        checkpoint.tokenizer,
        is_masked=is_masked,
        start_token=settings.start_token,
    )
    return LanguageModel(
        name,
        f"{checkpoint.version} {scorer.told}",
        scorer,
        n_parameters=checkpoint.n_parameters,
        batch_size=BATCH_SIZE,
    )


LOADERS: Mapping[str, Loader] = {
    "file": Loader(load_output, "PATH"),
    "transformers": Loader(load_transformers, "NAME[@REVISION]", install="'.[models]'"),
    "masked": Loader(load_masked, "NAME[@REVISION]", install="'.[models]'"),
}
