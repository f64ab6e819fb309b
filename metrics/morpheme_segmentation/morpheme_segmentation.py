"""Accuracy, precision, recall, F1 and edit distance of morphological segmentation, under a named convention."""

from typing import Any

import datasets
import evaluate

from ..columns import DirectCompute, check_lengths, check_option, to_list
from ..uncertainty import check_confidence
from .scoring import (
    AVERAGES,
    MATCHINGS,
    PRESETS,
    VERSION,
    Convention,
    Segmentation,
    WordCounts,
    count_best_matches,
    published_percentages,
    score,
    score_intervals,
    word_scores,
)

WHERE = "morpheme_segmentation"
_DESCRIPTION = """\
How well a system divides words into morphemes: share of words that are right as a whole, morpheme precision, recall, F1 and edit distance.
What counts as a found morpheme (membership, multiset, lcs, boundary), how words are averaged (word, corpus) and which golds count is named.
"""
_CITATION = """\
@article{liu-prudhommeaux-2022-data,
    title = "Data-driven Model Generalizability in Crosslinguistic Low-resource Morphological Segmentation",
    author = "Liu, Zoey and Prud'hommeaux, Emily",
    journal = "Transactions of the Association for Computational Linguistics",
    volume = "10",
    year = "2022",
    pages = "393--413",
    doi = "10.1162/tacl_a_00467",
}
"""
_INPUTS = """\
Args:
    predictions: one segmentation per word: a list of morphemes, such as ["paper", "s"]; an empty list is a word without an answer.
    references: one gold per word, or a list of golds per word, of which the best counts.
    matching: "multiset" (default), "membership", "lcs" or "boundary".
    average: "word" (default; mean of the words' scores) or "corpus" (score of the summed counts).
    preset: "paper" or "sigmorphon2022": the published convention, instead of `matching` and `average`; both score the first gold alone.
    confidence: level of the intervals over words, or None for none (faster).
    seed: of the bootstrap.
    per_item: also give one row per word.
Returns:
    accuracy, precision, recall, f1 (higher is better, in [0, 1]; recall and f1 can exceed 1 under "membership"),
    distance (characters, lower is better), each with `_low`, `_high` and `_interval`;
    n, n_clusters (distinct words), n_other_words (predictions that do not spell the word), the options.
    preset="paper" adds `<score>_percent` as the published evaluator prints them.
Example:
    >>> import evaluate
    >>> segmentation = evaluate.load("morpheme_segmentation")
    >>> result = segmentation.compute(predictions=[["paper", "s"], ["un", "do"]], references=[["pap", "er", "s"], ["un", "do"]])
    >>> round(result["f1"], 3)
    0.7
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _INPUTS)
class MorphemeSegmentation(DirectCompute, evaluate.Metric):
    """Scores morphological segmentation."""

    def _info(self) -> evaluate.MetricInfo:
        word = datasets.Sequence(datasets.Value("string"))
        features = [  # several golds first: the plain features would take lists of lists and turn them into strings
            datasets.Features({"predictions": word, "references": datasets.Sequence(word)}),
            datasets.Features({"predictions": word, "references": word}),
        ]
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=features,
            reference_urls=["https://doi.org/10.1162/tacl_a_00467"],
        )

    def _compute(
        self,
        predictions: Any,
        references: Any,
        matching: str | None = None,
        average: str | None = None,
        preset: str | None = None,
        confidence: float | None = 0.95,
        seed: int = 0,
        per_item: bool = False,
    ) -> dict[str, Any]:
        convention = choose_convention(matching, average, preset)
        predicted = [
            _segmentation(f"predictions[{i}]", p) for i, p in enumerate(to_list(predictions))
        ]
        golds = [_golds(f"references[{i}]", r) for i, r in enumerate(to_list(references))]
        n = check_lengths(WHERE, predictions=predicted, references=golds)
        counts, chosen = count_best_matches(predicted, golds, convention)
        words = ["".join(g[0]) for g in golds]
        result: dict[str, Any] = score(counts, convention)._asdict()
        if preset == "paper":
            result |= {
                f"{name}_percent": value
                for name, value in published_percentages(counts)._asdict().items()
                if name != "distance"
            }
        if confidence is not None:
            check_confidence(confidence)
            intervals = score_intervals(counts, words, convention, confidence, seed)
            result |= {
                key: value
                for name, interval in intervals.items()
                for key, value in interval.as_fields(name).items()
            }
        spelled = ["".join(p) for p in predicted]
        result |= {
            "n": n,
            "n_clusters": len(set(words)),
            "n_other_words": sum(s != w for s, w in zip(spelled, words, strict=True)),
        }
        result |= {
            "matching": convention.matching,
            "average": convention.average,
            "preset": preset,
            "version": VERSION,
        }
        return result | (
            {"by_word": _rows(words, predicted, golds, counts, chosen.tolist())} if per_item else {}
        )


def choose_convention(matching: str | None, average: str | None, preset: str | None) -> Convention:
    """Gives the convention of the options; a ValueError says which option is not allowed."""
    if preset is not None:
        check_option(WHERE, "preset", preset, list(PRESETS))
        if matching is not None or average is not None:
            raise ValueError(
                f"{WHERE}: preset {preset!r} and matching or average, got both; expected one or the other"
            )
        return PRESETS[preset]
    given = {
        name: value
        for name, value in (("matching", matching), ("average", average))
        if value is not None
    }
    for name, value in given.items():
        check_option(WHERE, name, value, {"matching": MATCHINGS, "average": AVERAGES}[name])
    return Convention()._replace(**given)  # type: ignore[arg-type]  # checked


def _segmentation(where: str, value: Any) -> list[str]:
    if isinstance(value, str | bytes):
        raise TypeError(f"{WHERE}: {where}, got the string {value!r}; expected a list of morphemes")
    morphemes = to_list(value)
    for morpheme in morphemes:
        if not isinstance(morpheme, str):
            raise TypeError(
                f"{WHERE}: {where}, got {type(morpheme).__name__} among the morphemes; expected strings"
            )
        if not morpheme:
            raise ValueError(
                f"{WHERE}: {where}, got an empty morpheme in {morphemes!r}; expected non-empty strings"
            )
    return morphemes


def _golds(where: str, value: Any) -> list[Segmentation]:
    items = [value] if isinstance(value, str | bytes) else to_list(value)
    if not len(items):
        raise ValueError(
            f"{WHERE}: {where}, got no gold; expected a list of morphemes or a list of such lists"
        )
    golds = (
        [_segmentation(where, value)]
        if isinstance(items[0], str)
        else [_segmentation(where, item) for item in items]
    )
    if not all(golds):
        raise ValueError(f"{WHERE}: {where}, got an empty gold; expected at least one morpheme")
    return list(golds)


def _rows(
    words: list[str],
    predicted: list[list[str]],
    golds: list[list[Segmentation]],
    counts: WordCounts,
    chosen: list[int],
) -> list[dict[str, Any]]:
    columns = {
        name: column.tolist()
        for name, column in [*counts._asdict().items(), *word_scores(counts)._asdict().items()]
    }
    rows = zip(words, predicted, golds, chosen, *columns.values(), strict=True)
    return [
        {
            "word": w,
            "prediction": p,
            "gold": list(g[c]),
            "gold_number": c,
            **dict(zip(columns, values, strict=True)),
        }
        for w, p, g, c, *values in rows
    ]
