"""Accuracy on matched plausible and implausible pairs, as an evaluate module; decisions are in `strict.py`, the maths in `scoring.py`."""

from collections.abc import Collection
from typing import Any

import datasets
import evaluate

from ..columns import DirectCompute
from ..uncertainty import Interval
from .answers import score_answers
from .chance import constant_accuracy
from .cleaning import answer_units
from .decisions import VERB_FORMS, read_replies
from .options import Options
from .pairing import Pairs
from .paper import DEFECTS, MODEL, PIPELINE
from .reading import Sentence
from .scoring import accuracy
from .strict import is_correct
from .summary import Scored
from .wording import NUMBER_WORDS

# evaluate's loader fetches only the files that this one imports from
FETCHED = (
    constant_accuracy,
    answer_units,
    Pairs,
    Sentence,
    accuracy,
    is_correct,
    Scored,
    Interval,
    NUMBER_WORDS,
)

_DESCRIPTION = """\
Asks whether a model reads structure or guesses from what is plausible: accuracy on questions about center-embedded sentences, for plausible
sentences and for implausible ones with the same structure, the gap between the two, the depth of embedding where it opens, and how often
both members of a pair are answered rightly. Made for the data set `centerbench`; works for any rows with `answer`, `pair_id` and
`condition`.
"""

_CITATION = "madhusudan-etal-2026-dog"

_KWARGS_DESCRIPTION = """
Args:
    predictions: one answer per row as a string, or a list of answers from several runs, whose decisions are averaged; None where there is
        none (counted as wrong, and reported).
    references: question rows of `centerbench`, passed as they are: `answer`, `pair_id`, `condition`; `events`, `depth` and `question_type`
        for the strict scorer; `level`, `sentence_id` and `domain` if there. Both members of every pair.
    scorer: "strict" (default): the answer is read and compared with the row's events; "paper": the published pipeline; "exact": equal
        strings.
    compare_with: a second scorer; their disagreement is reported.
    accept_full_chain: whether a consequence may go on to the end of the chain of events, False.
    delta: the least gap that counts as open, 0.05.
    confidence: level of the intervals, 0.95; None for none.
    n_resamples: bootstrap samples, 2000.
    seed: seed of the bootstrap, 0.
    threshold, embedder, pipeline, defects: of the paper scorer: least cosine, 0.9; name or folder of the embedding model; name or folder of
        the spaCy pipeline; which defects of the published code to reproduce (all).
    per_item: whether to add a row for every question.

Returns:
    accuracy_core: share of right answers to questions about structure (action, agent, nested dependency), in [0, 1]; the headline.
    accuracy_convention: the same for causal sequence and chain consequence, which follow a convention: no sentence says what caused what.
    accuracy_count: the same for counting, each sentence once.
    accuracy: over all questions, as published; accuracy_macro, accuracy_macro_core: unweighted means over levels.
    accuracy_plausible, accuracy_implausible, gap: by condition and their difference, in [-1, 1]; positive: plausibility helps. With _core
        too.
    median_gap, median_absolute_gap: over cells of level and question type.
    opening_level_core, opening_level: first level from which the gap stays above delta, and its simultaneous interval above 0, or "none";
        opening_level_point_core, opening_level_point: the same without intervals.
    both_correct, only_plausible, only_implausible, neither: shares of pairs; with _core too.
    both_correct_core_repaired_mean, _low, _high, _p: what both_correct_core is if sentences are matched by level only.
    sign_flip_p: p of no core gap, signs flipped by sentence pair; mcnemar_p_assumes_independence: of questions as if they were independent.
    chance_constant, chance_linear_order: accuracy of the best constants and of reading the words in linear order; with _core too.
    disagreement, by_disagreement: of the two scorers, if asked for.
    <score>_low, <score>_high, <score>_interval: its interval over sentence pairs and the method, or the reason why it is nan.
    by_level, by_condition, by_question_type, by_difficulty, by_domain, by_level_difficulty, by_level_question_type: the same for parts.
    n, n_pairs, n_clusters (sentence pairs), n_runs, n_missing, n_empty, coverage, version, options; per_item, if asked for.

Examples:
    "The goat that the horse kicked bleated" and its implausible partner, one question each. The first answer says the same in other words,
    the second says who is kicked, not who kicks.

    >>> metric = evaluate.load("matched_pair_accuracy")
    >>> kick = {"base": "kick", "past": "kicked", "participle": "kicked", "gerund": "kicking", "third": "kicks", "tail": ""}
    >>> bleat = {"base": "bleat", "past": "bleated", "participle": "bleated", "gerund": "bleating", "third": "bleats", "tail": ""}
    >>> rows = []
    >>> for condition, agent, patient in (("plausible", "horse", "goat"), ("implausible", "goat", "horse")):
    ...     events = [{"subject": agent, "verb": kick, "object": patient}, {"subject": patient, "verb": bleat, "object": None}]
    ...     rows.append({"pair_id": "1-00000", "condition": condition, "level": 1, "depth": 0, "question_type": "agent_identification",
    ...                  "answer": f"the {agent}", "events": events})
    >>> result = metric.compute(predictions=["It was the horse that kicked the goat.", "the horse"], references=rows)
    >>> result["accuracy_core"], result["gap_core"], result["both_correct"]
    (0.5, 1.0, 0.0)

    Any rows can be scored by equality.

    >>> rows = [{"pair_id": 1, "condition": "plausible", "answer": "a"}, {"pair_id": 1, "condition": "implausible", "answer": "b"}]
    >>> metric.compute(predictions=["A", "b"], references=rows, scorer="exact")["both_correct"]
    1.0
"""

_TEXT = datasets.Value(
    "large_string"
)  # evaluate refuses None for a `string`, even where a field is not needed
_EVENT = {"subject": _TEXT, "verb": dict.fromkeys(VERB_FORMS, _TEXT), "object": _TEXT}
_ROW = {
    **dict.fromkeys(
        ("answer", "pair_id", "condition", "sentence_id", "question_type", "domain"), _TEXT
    ),
    **dict.fromkeys(("level", "depth"), datasets.Value("int64")),
    "events": datasets.List(_EVENT),
}
_BLANK: dict[str, Any] = {name: [] if name == "events" else None for name in _ROW}


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class MatchedPairAccuracy(DirectCompute, evaluate.Metric):
    """Accuracy on matched pairs."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=datasets.Features({"predictions": datasets.List(_TEXT), "references": _ROW}),
        )

    def add_batch(self, *, predictions: Any = None, references: Any = None, **columns: Any) -> None:
        """Adds answers and their rows; fields that the scorer does not need may be missing.

        Args:
            predictions: One answer per row, or a list of answers from several runs.
            references: Question rows.
            **columns: None.
        """
        rows = [
            {name: row.get(name, blank) for name, blank in _BLANK.items()} for row in references
        ]
        super().add_batch(
            predictions=read_replies("matched_pair_accuracy: predictions", predictions),
            references=rows,
            **columns,
        )

    def add(self, *, prediction: Any = None, reference: Any = None, **columns: Any) -> None:
        """Adds one answer and its row; fields that the scorer does not need may be missing.

        Args:
            prediction: The answer, or a list of answers from several runs.
            reference: The question row.
            **columns: None.
        """
        self.add_batch(predictions=[prediction], references=[reference], **columns)

    def _compute(
        self,
        predictions: Any,
        references: Any,
        scorer: str = "strict",
        compare_with: str | None = None,
        accept_full_chain: bool = False,
        delta: float = 0.05,
        confidence: float | None = 0.95,
        n_resamples: int = 2000,
        seed: int = 0,
        threshold: float = 0.9,
        embedder: Any = MODEL,
        pipeline: Any = PIPELINE,
        defects: Collection[str] = tuple(DEFECTS),
        per_item: bool = False,
    ) -> dict[str, Any]:
        options = Options(
            scorer=scorer,
            compare_with=compare_with,
            accept_full_chain=accept_full_chain,
            delta=delta,
            confidence=confidence,
            n_resamples=n_resamples,
            seed=seed,
            threshold=threshold,
            embedder=embedder,
            pipeline=pipeline,
            defects=defects,
        )
        return score_answers(predictions, references, options, per_item=per_item)
