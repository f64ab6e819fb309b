"""Minimal pair preference, as an evaluate metric; the maths is in `scoring.py`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import evaluate

from .._shared.language_models import load_scorer
from .._shared.module import ScoringModule, no_predictions, plain_rows
from .inputs import INPUTS, METRIC
from .members import likelihoods, measures
from .options import Options
from .scoring import score, score_choices

_DESCRIPTION = """\
Which member of a minimal pair a language model prefers: share of pairs and effect in nats, with
intervals over what was sampled together, by construction, beside chance and nulls. Who knows
nothing prefers one half.
"""
_CITATION = "warstadt-etal-2020-blimp"
_KWARGS_DESCRIPTION = f"""
Args:
    predictions: log-probabilities of a pair's members, natural logarithms: two, of which the first
        should be the larger; or four, of which the difference of the first two should be larger
        than that of the last two.
    references: rows of a suite's config `pairs`, or any with `construction` and `cluster`.
    n_tokens (same shape, optional): number of tokens of each member.
    model_id (in place of predictions): a causal or masked language model of transformers, by name
        or folder, which scores the rows of a suite's config `pairs`, or of one with `choices`, of
        which the best by SLLN should be the `answer`; with `device` (cpu), `dtype`
        (float32; bfloat16 is 1.65 times as fast on a CPU and decides 1 pair in 64 otherwise),
        `revision`, and `measure`, where rows have several (ERAS: after, site, total). Needs torch
        and transformers.
    nulls (by name, optional): log-probabilities under models that know no structure.
{Options.documentation()}

Returns:
    accuracy: share of pairs with a positive effect, ties half, in [0, 1]; effect: its mean in nats,
        and effect_p; both with `_low`, `_high` and `_interval`, over all pairs and in
        by_construction (there with effect_p_holm).
    accuracy_sum, accuracy_per_token, accuracy_slln, accuracy_uncrossed, effect_of_first_half: nan
        where they do not apply.
    by_null: one row per null, with accuracy_above, what the model has more.
    chance, n, n_clusters, n_ties, version, options, signature.

Examples:
    >>> import evaluate
    >>> preference = evaluate.load("minimal_pair_preference")
    >>> rows = [{{"construction": "case", "cluster": name}} for name in ("a", "b", "c")]
    >>> result = preference.compute(predictions=[[-9, -12], [-8, -8], [-7, -9]], references=rows)
    >>> round(result["accuracy"], 3), round(result["effect"], 3)
    (0.833, 1.667)
"""


def score_rows(
    scorer: Callable[[Sequence[str]], Sequence[Any]],
    rows: Sequence[Mapping[str, Any]],
    measure: str | None = None,
) -> dict[str, Any]:
    """`predictions` and `n_tokens` of a suite's rows under a scorer of the tokens of texts.

    The measure says which members are compared; None for the first.

    Raises:
        ValueError: The rows have no such measure, or none at all.
    """
    every = [measures(row) for row in rows]
    if measure is not None and (bad := [one for one in every if measure not in one]):
        expected = ", ".join(bad[0])
        raise ValueError(f"{METRIC}: measure, got {measure!r}; expected one of {expected}")
    members = [one[measure or next(iter(one))] for one in every]
    texts = sorted({stretch.text for of_row in members for stretch in of_row})
    scores = dict(zip(texts, scorer(texts), strict=True))
    found = [likelihoods(of_row, scores).likelihoods for of_row in members]
    return {
        "predictions": [[one.total for one in of_row] for of_row in found],
        "n_tokens": [[max(1, one.n_tokens) for one in of_row] for of_row in found],
    }


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class MinimalPairPreference(ScoringModule, evaluate.Metric):
    """Which member of a minimal pair a language model prefers."""

    contract = INPUTS
    options = Options
    score = staticmethod(score)

    def compute(
        self,
        *,
        predictions: Any = None,
        references: Any = None,
        model_id: str | None = None,
        device: str = "cpu",
        dtype: str = "float32",
        revision: str | None = None,
        measure: str | None = None,
        **options: Any,
    ) -> Any:
        """Scores log-probabilities, or a model by name: see `ScoringModule.compute`.

        Args:
            predictions: Log-probabilities of the members of each pair.
            references: The pairs.
            model_id: In place of predictions, a language model by name or folder.
            device: Where it runs.
            dtype: Its number type.
            revision: Its commit, tag or branch.
            measure: Which members are compared, where rows have several measures; None for the
                first.
            **options: Further input columns and the options described below.
        """
        if model_id is None:
            return super().compute(predictions=predictions, references=references, **options)
        no_predictions(METRIC, "model_id", predictions)
        scorer = load_scorer(model_id, device=device, dtype=dtype, revision=revision)
        rows = plain_rows(f"{METRIC}: references", references)
        scored = score_rows(scorer, rows, measure)
        run = {"system": model_id} | ({"revision": revision} if revision else {})
        options["run"] = run | dict(options.get("run") or {})
        if "choices" in rows[0]:
            options.pop("scalars", None)
            found = score_choices({**scored, "references": rows}, Options.read(options))
        else:
            found = super().compute(**scored, references=references, **options)
        return found if options.get("scalars") else found | {"dtype": dtype}

    def _compute(self, *, nulls: Any = None, **given: Any) -> dict[str, Any]:
        """Scores pairs beside what nulls prefer."""
        columns = {name: given.pop(name, None) for name in INPUTS.columns}
        return score(columns, Options.read(given), nulls)
