"""Language models: texts in, the log-probability of every token out.

    transformers:NAME   any causal language model
    gguf:NAME           a causal one that packages carry (`python -m systems weights --list`)
    masked:NAME         any masked one: pseudo-log-likelihoods, within-word left-to-right
    unigram:LANGUAGE, bigram:LANGUAGE   counts of a free text, see `ngrams`
    python:package.module:function   your own: a list of texts in, for each a list of
                        (start, end, log-probability) of its tokens out

Log-probabilities are natural logarithms. Each text begins with exactly one start token, where the
model has one that it was trained to begin with; a tokenizer that adds it itself is not given a
second. Without a start token the first token of a text has no log-probability and is left out.
What a region of a text gets is in `regions`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from systems.arrays import FloatArray, IntArray
from systems.causal_scores import score_sequences
from systems.checkpoints import Checkpoint, load_checkpoint
from systems.masked_scores import maskings, score_maskings
from systems.system import Loader, Settings, System, as_list

BATCH_SIZE = 256  # texts to hand over at once: what begins alike is computed once among them
ARCHITECTURE = "AutoModelForCausalLM"
DOCUMENT = "<|endoftext|>"
STARTS = ("auto", "always", "never")


@dataclass(frozen=True)
class TokenScores:
    """Tokens of one text and their log-probabilities, each given all before it.

    Attributes:
        starts, ends: Character offsets of each token, half open, shape (tokens,).
        log_probabilities: Natural logarithms, at most 0, shape (tokens,).
    """

    starts: IntArray
    ends: IntArray
    log_probabilities: FloatArray


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

    start_token: str = field(
        default="auto",
        metadata={
            "help": "whether a text begins with the start token: as the tokenizer does it, or else",
            "choices": STARTS,
        },
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.start_token not in STARTS:
            raise ValueError(
                f"start_token, got {self.start_token!r}; expected one of {', '.join(STARTS)}"
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
        return [_checked(name, text, tokens) for text, tokens in zip(texts, found, strict=True)]

    return LanguageModel(name, version, predict, batch_size=BATCH_SIZE)


def load_transformers(name: str, argument: str, settings: LanguageModelSettings) -> LanguageModel:
    """Loads a causal language model of transformers.

    Raises:
        ValueError: The tokenizer gives no offsets, or a start token is wanted and there is none.
    """
    return _causal(name, argument, load_checkpoint(argument, settings, ARCHITECTURE), settings)


def load_gguf(name: str, argument: str, settings: LanguageModelSettings) -> LanguageModel:
    """Loads a causal language model that packages carry as GGUF, by its name in `weights.toml`.

    Raises:
        ValueError: There is no such model, or it is not here; the message says how to get it.
    """
    from systems import gguf, weights

    checkpoint = load_checkpoint(str(gguf.packaged_folder(argument)), settings, ARCHITECTURE)
    version = f"{weights.version(argument)} {checkpoint.version.rpartition(' ')[2]}"
    return _causal(name, argument, replace(checkpoint, version=version), settings)


def _causal(
    name: str, argument: str, checkpoint: Checkpoint, settings: LanguageModelSettings
) -> LanguageModel:
    tokenizer = _fast(argument, checkpoint.tokenizer)
    start = _start_token(argument, tokenizer, settings.start_token)
    begun = "without a start token" if start is None else f"after {tokenizer.decode([start])}"
    return LanguageModel(
        name,
        f"{checkpoint.version} {begun}",
        lambda texts: _score(checkpoint.model, tokenizer, start, texts),
        n_parameters=checkpoint.n_parameters,
        batch_size=BATCH_SIZE,
    )


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
    checkpoint = load_checkpoint(argument, settings, "AutoModelForMaskedLM")
    tokenizer = _fast(argument, checkpoint.tokenizer)
    if tokenizer.mask_token_id is None:
        raise ValueError(f"{argument}: mask, got none; expected a masked model's tokenizer")
    return LanguageModel(
        name,
        f"{checkpoint.version} within-word left-to-right",
        lambda texts: _score_masked(checkpoint.model, tokenizer, texts),
        n_parameters=checkpoint.n_parameters,
        batch_size=BATCH_SIZE,
    )


def load_ngrams(name: str, argument: str, settings: LanguageModelSettings) -> LanguageModel:
    """A unigram or bigram model of a language, trained on the spot.

    Raises:
        ValueError: There is no text of this language, or its files are not here.
    """
    from systems.ngrams import trained

    order = ("unigram", "bigram").index(name.partition(":")[0]) + 1
    counts = trained(argument)

    def predict(texts: Sequence[str]) -> list[TokenScores]:
        found = [counts.tokens(text, order) for text in texts]
        return [_token_scores([t[:2] for t in one], [t[2] for t in one]) for one in found]

    return LanguageModel(
        name,
        f"text {counts.digest}",
        predict,
        n_parameters=len(counts.units) + (len(counts.pairs) if order > 1 else 0),
        batch_size=BATCH_SIZE,
    )


def _fast(argument: str, tokenizer: Any) -> Any:
    if not tokenizer.is_fast:
        raise ValueError(
            f"{argument}: tokenizer, got {type(tokenizer).__name__}; expected a fast one, which"
            " tells characters' offsets"
        )
    return tokenizer


def _start_token(argument: str, tokenizer: Any, wanted: str) -> int | None:
    """Number of the token that every text begins with, None for none.

    Where the tokenizer adds none, a mark that parts documents in training (`DOCUMENT`) begins a
    text; the token that a tokenizer calls its first may belong to a chat.
    """
    added = tokenizer("a")["input_ids"]
    is_added = len(added) > 0 and added[0] == tokenizer.bos_token_id is not None
    document: int | None = tokenizer.get_vocab().get(DOCUMENT)
    if wanted == "never":
        return None
    if wanted == "auto" and not is_added:
        return document
    if tokenizer.bos_token_id is None:
        raise ValueError(f"{argument}: start token, got none; expected start_token auto or never")
    return int(tokenizer.bos_token_id)


def _score(
    model: Any, tokenizer: Any, start: int | None, texts: Sequence[str]
) -> list[TokenScores]:
    begin = () if start is None else (start,)
    encoded = [
        tokenizer(text, add_special_tokens=False, return_offsets_mapping=True) for text in texts
    ]
    numbers = [(*begin, *one["input_ids"]) for one in encoded]
    scored = iter(score_sequences(model, [row for row in numbers if len(row) > 1]))
    values = [next(scored) if len(row) > 1 else [] for row in numbers]
    first = 1 - len(begin)  # without a start token the first token is not predicted
    return [
        _token_scores(one["offset_mapping"][first:], row)
        for one, row in zip(encoded, values, strict=True)
    ]


def _score_masked(model: Any, tokenizer: Any, texts: Sequence[str]) -> list[TokenScores]:
    encoded = [tokenizer(text, return_offsets_mapping=True) for text in texts]
    asked = [
        masking
        for i, one in enumerate(encoded)
        for masking in maskings(i, one["input_ids"], one.word_ids(), tokenizer.mask_token_id)
    ]
    values: list[list[float]] = [[] for _ in texts]
    padding = tokenizer.pad_token_id or 0
    for masking, value in zip(asked, score_maskings(model, asked, padding), strict=True):
        values[masking.text].append(value)
    offsets: list[list[tuple[int, int]]] = [[] for _ in texts]
    for masking in asked:
        offsets[masking.text].append(encoded[masking.text]["offset_mapping"][masking.place])
    return [_token_scores(*pair) for pair in zip(offsets, values, strict=True)]


def _token_scores(offsets: Sequence[Sequence[int]], values: Sequence[float]) -> TokenScores:
    places = np.array(offsets, dtype=np.int64).reshape(len(values), 2)
    return TokenScores(places[:, 0], places[:, 1], np.array(values, dtype=np.float64))


def _checked(name: str, text: str, tokens: object) -> TokenScores:
    found = [
        as_list(name, "(start, end, log-probability)", token, 3)
        for token in as_list(name, "tokens", tokens)
    ]
    for start, end, score in found:
        if not (0 <= start <= end <= len(text) and score <= 0):
            raise ValueError(
                f"{name}: token, got {(start, end, score)}; expected (start, end, log-probability)"
                f" within {text!r}, the last at most 0"
            )
    return _token_scores([token[:2] for token in found], [token[2] for token in found])


LOADERS: Mapping[str, Loader] = {
    "transformers": Loader(load_transformers, "NAME[@REVISION]", install="'.[models]'"),
    "gguf": Loader(load_gguf, "NAME", install="'.[models,real]'"),
    "unigram": Loader(load_ngrams, "LANGUAGE"),
    "bigram": Loader(load_ngrams, "LANGUAGE"),
    "masked": Loader(load_masked, "NAME[@REVISION]", install="'.[models]'"),
}
