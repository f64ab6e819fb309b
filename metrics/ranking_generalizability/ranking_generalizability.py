"""Does the ranking of systems on one data set hold on the next? For any metric, on any suite."""

from typing import Any

import evaluate

from .._shared.module import ScoringModule
from .inputs import INPUTS
from .options import Options
from .scoring import score, system_table
from .sources import read_source

_DESCRIPTION = """\
Compares systems that were scored on many resamples of the same material (data sets, draws of a
suite, seeds): how often the winner and the whole ranking of one resample hold on the others, what
trusting one resample costs, and how many would settle the winner.
"""
_CITATION = "liu-prudhommeaux-2022-data"
_REFERENCE_URLS = ["https://doi.org/10.1162/tacl_a_00467"]
_KWARGS_DESCRIPTION = f"""\
Args:
    system: name of the system, one per score.
    unit: what was resampled and scored by all systems: a data set, a draw, a language.
    repeat: which run on that unit: a split, a training seed; left out where each unit was run once.
        All systems need the same runs, but for `missing`.
    item: which item of the unit the score is of; scores are averaged over the items of a run, and
        `by_component` tells what is the items' own. Left out where a score is a run's.
    score: a number.
    cluster: which units belong together (sizes of a language, subtasks of a benchmark): these are
        what varies, and the intervals and the certainty are over them. Left out where units are
        independent; units that do not look so are named in `warnings`.
    crossed: what units share across clusters, where they are clustered in two ways.
    data: instead of these a table, long or wide (a column of scores per system); columns are
        told from their names, and the result says in `roles` what each was read as, in `remarks`
        what was left out or derived. Or the name of a file (CSV, TSV, JSONL, JSON, Parquet), of
        result files of lm-eval, lighteval, inspect, HELM, MTEB or every_eval_ever, of a folder of
        these, or a list of names. The direction is told from the score's name, if not given.
    columns: column of a role that is not called so, as {{"system": "model", "unit": "dataset"}};
        `ignored` for what is to be left out.
    metric: the score to be taken from result files, as "acc"; the first of each task if left out.
{Options.documentation()}
Returns:
    best_holds, ranking_holds: as published: share of all units, the first included, that agree with
        the first; ties in alphabetical order;
    best_holds_others, ranking_holds_others: without the first unit, ties shared; the intervals are
        conditional on the first unit;
    winner_agreement, ranking_agreement, kendall_tau: mean over all pairs of distinct units;
    expected_regret: score lost by trusting one unit's winner, from 0, lower is better, between
        expected_regret_cross_fitted (too small) and expected_regret_plug_in (too large);
    best_on_average, certainty (probability that it is the pool's true best: of one joint
        distribution of all means, on which pairs and ranks rest too), winner (its name, or
        "undecided" below 0.80), n_units_to_settle;
    overlap: mean share of a unit's items that another unit has too (nan without items);
    verdict: all this in sentences; warnings: what should make one doubt units or systems;
    by_system (with plausible ranks and letters: systems that share one are not shown to differ;
        coverage is the share of units that it has, n_failures those far below its own level),
        by_pair (differences, p by itself and by Holm, probabilities of better, equivalent, worse,
        and the decision), by_component (variances of a single run by REML), by_null
        (agreement expected from noise alone), based_on (which units each field is of), counts,
        version, options, signature. Scores with an interval have `_low`, `_high` and `_interval`.
        Under three units what needs more is nan.
Example:
    >>> import evaluate
    >>> ranking = evaluate.load("ranking_generalizability", module_type="comparison")
    >>> scores = {{"a": [71, 70, 74, 72], "b": [72, 69, 73, 70]}}
    >>> rows = [
    ...     (system, unit, score)
    ...     for system, column in scores.items()
    ...     for unit, score in zip("wxyz", column)
    ... ]
    >>> system, unit, score = zip(*rows)
    >>> result = ranking.compute(system=system, unit=unit, score=score)
    >>> result["best_holds"], round(result["winner_agreement"], 3)
    (0.25, 0.5)
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class RankingGeneralizability(ScoringModule, evaluate.Comparison):
    """Comparison of systems over resamples."""

    contract = INPUTS
    options = Options
    score = staticmethod(score)

    def compute(
        self, *, data: Any = None, columns: Any = None, metric: str | None = None, **given: Any
    ) -> Any:
        """Compares the systems of columns, of a table, or of files.

        Args:
            data: A DataFrame, Dataset, Arrow table, dict of columns or list of dicts; or a file, a
                folder of result files, or a list of these.
            columns: Columns of the roles that their names do not tell, a mapping.
            metric: The score to be taken from result files of a harness.
            **given: Input columns and options.

        Returns:
            A dict of results; of a table or of files with `columns`, what was read as what.

        Raises:
            ValueError: An input, an option, the table or a file is not what it should be.
        """
        if data is None and columns is None and metric is None:
            return super().compute(**given)
        source = read_source(data, columns, metric)
        result = super().compute(**source.inputs, **source.options(given))
        if result is None or given.get("scalars"):
            return result
        return source.described(result, given)

    def written(self, result: Any, form: str = "markdown") -> str:
        """A result's systems as a table for a paper, `form` "markdown" or "latex"."""
        return system_table(result, form)
