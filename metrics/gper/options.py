"""The options of GPER: what the paper leaves open, settled once, each with the authors' code's behaviour as an alternative."""

from collections.abc import Collection
from typing import NamedTuple

from ..columns import check_option
from ..paradigms import read_excluded
from ..uncertainty import check_confidence

ALLOWED = {
    "scale": ("probability", "logit"),
    "similarity": ("absolute", "signed"),
    "ties": ("strict", "code"),
    "pooling": ("micro", "macro"),
    "cluster": ("paradigm", "family"),
}
MODES = {
    "default": {"similarity": "absolute", "ties": "strict", "pooling": "micro"},
    "paper": {"similarity": "signed", "ties": "code", "pooling": "micro"},
}


class Options(NamedTuple):
    """Options as `read_options` checked them; every result quotes them."""

    mode: str
    scale: str
    similarity: str
    ties: str
    pooling: str
    cluster: str
    exclude: tuple[int, ...]
    confidence: float | None
    n_resamples: int
    seed: int


def read_options(
    *,
    mode: str = "default",
    scale: str = "probability",
    similarity: str | None = None,
    ties: str | None = None,
    pooling: str | None = None,
    cluster: str = "paradigm",
    exclude: Collection[int] = (),
    confidence: float | None = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> Options:
    """Checks the options and fills in what `mode` decides.

    Args:
        mode: "default", the paper's text; "paper", how the authors' code computed the published
            figures: signed, code, micro.
        scale: "probability", or "logit" for values of which the sigmoid is P(positive).
        similarity: What must shrink under occlusion: "absolute" (default), the size of the
            difference; "signed", the difference itself.
        ties: "strict" (default): equal is neither an error nor detected; "code": it is both for
            necessity and sufficiency.
        pooling: "micro" (default): necessity and sufficiency over all pairs; "macro": means over
            the paradigms where they are defined.
        cluster: What the intervals resample: "paradigm", or "family" for the paradigms that share a
            word.
        exclude: Ids of paradigms to leave out.
        confidence: Two-sided level of the intervals in (0, 1); None for no intervals.
        n_resamples: Number of bootstrap samples, at least 100.
        seed: Seed of the bootstrap.

    Raises:
        ValueError: An option is not one of its values, or contradicts mode="paper".
    """
    check_option("gper", "mode", mode, tuple(MODES))
    rules = {
        name: _decide(name, value, mode)
        for name, value in {"similarity": similarity, "ties": ties, "pooling": pooling}.items()
    }
    for name, value in {"scale": scale, "cluster": cluster, **rules}.items():
        check_option("gper", name, value, ALLOWED[name])
    if confidence is not None:
        check_confidence(confidence)
    excluded = read_excluded("gper", exclude)
    return Options(
        mode,
        scale,
        rules["similarity"],
        rules["ties"],
        rules["pooling"],
        cluster,
        excluded,
        confidence,
        n_resamples,
        seed,
    )


def _decide(name: str, value: str | None, mode: str) -> str:
    decided = MODES[mode][name]
    if mode == "paper" and value not in (None, decided):
        raise ValueError(
            f"gper: {name}, got {value!r} with mode='paper'; expected {decided!r}, or another mode"
        )
    return decided if value is None else value
