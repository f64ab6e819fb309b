"""How each suite is drawn again and scored, for the redraw study: a draw, the systems that are cheap enough for many, and their scores."""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

Draw = Any


class Redrawable(NamedTuple):
    """A suite as the redraw study sees it.

    Attributes:
        version: VERSION of the suite.
        draw: Gives draw number `seed` of `size`.
        items: Gives the items of a draw, to tell how much two draws overlap.
        score: Scores the named system on a draw.
        identity: Gives what a system's results depend on besides its name.
        systems: The default systems.
        size: The default size, and what it counts.
        metrics: Scores that are compared, and whether higher is better.
        speaks_of: What differs between draws, so what the answer is about.
    """

    version: str
    draw: Callable[[int, int], Draw]
    items: Callable[[Draw], Sequence[str]]
    score: Callable[[str, Draw], Mapping[str, float]]
    identity: Callable[[str], str]
    systems: tuple[str, ...]
    size: tuple[int, str]
    metrics: Mapping[str, bool]
    speaks_of: str


def redrawable(suite: str) -> Redrawable:
    """Gives a suite by its name; a ValueError names those that can be drawn again."""
    if suite not in SUITES:
        raise ValueError(f"redraw: suite, got {suite!r}; expected one of {', '.join(SUITES)}")
    return SUITES[suite]()


def eras() -> Redrawable:
    """ERAS: word segmenters on pairs over a sampled half of the words of every slot."""
    from builders.eras import VERSION
    from builders.eras.assembly import pair_table
    from builders.eras.draw import draw_from_sample
    from metrics.garden_path_accuracy import scoring

    def score(system: str, pairs: Any) -> Mapping[str, float]:
        segment = _segmenter(system).segment
        sides = (segment(pairs[side].to_pylist()) for side in ("test", "control"))
        result: dict[str, float] = scoring.score(
            {"predictions": list(zip(*sides, strict=True)), "references": pairs}
        )
        return result

    return Redrawable(
        version=str(VERSION),
        draw=lambda seed, size: pair_table(
            draw_from_sample(seed, size, ERAS_SHARE_OF_WORDS), "simplified"
        ),
        items=lambda pairs: pairs["test"].to_pylist(),
        score=score,
        identity=lambda system: _segmenter(system).version,
        systems=("jieba", "jieba-no-hmm", "maxmatch", "maxmatch-backward", "thulac"),
        size=(200, "pairs per paradigm"),
        metrics={"test_accuracy": True, "garden_path_rate": False},
        speaks_of=(
            "Draws share their 39 paradigms and differ in fillers only, each taking a sampled half of every slot's words: the answer speaks"
            " about other words in the same templates, not about other ambiguities."
        ),
    )


def centerbench() -> Redrawable:
    """CenterBench: answerers on questions about other sentence pairs of the knowledge base."""
    from dataset_scripts.centerbench import CenterBench
    from dataset_scripts.registry import split_table
    from metrics.matched_pair_accuracy.options import Options
    from metrics.matched_pair_accuracy.scoring import score as score_answers
    from systems.questions import Question

    def score(system: str, rows: Any) -> Mapping[str, float]:
        asked = [
            Question(*row)
            for row in zip(*(rows[name].to_pylist() for name in Question._fields), strict=True)
        ]
        answers = _answerer(system).predict(asked)
        result: dict[str, float] = score_answers(
            {"predictions": [answers[i].text for i in range(len(asked))], "references": rows},
            Options(confidence=None),
        )
        return result

    return Redrawable(
        version=str(CenterBench.VERSION),
        draw=lambda seed, size: split_table(
            "centerbench", "questions", "test", {"seed": seed, "size": size}
        ),
        items=lambda rows: sorted(set(rows["sentence"].to_pylist())),
        score=score,
        identity=lambda system: _answerer(system).version,
        systems=("structure", "linear-order", "plausibility"),
        size=(10, "pairs per level"),
        metrics={"accuracy": True, "accuracy_core": True},
        speaks_of=(
            "Draws take other sentences from the same knowledge base by the same design: the answer speaks about other nouns and verbs of"
            " these kinds, not about other constructions."
        ),
    )


def sorts() -> Redrawable:
    """SORTS: readers of one cue or two, or parsers, on clauses from other triples."""
    from builders.sorts import VERSION
    from builders.sorts.draw import draw
    from metrics.subject_object_las.options import read_options
    from metrics.subject_object_las.scoring import score as score_trees

    def score(system: str, splits: Any) -> Mapping[str, float]:
        parser = _parser(system)
        options = read_options(scheme=parser.scheme, confidence=None)
        return {
            f"las_{split}": score_trees(
                {"predictions": parser.parse(rows), "references": rows}, options
            )["las"]
            for split, rows in splits.items()
        }

    return Redrawable(
        version=VERSION,
        draw=draw,
        items=lambda splits: [
            " ".join(tokens) for rows in splits.values() for tokens in rows["tokens"]
        ],
        score=score,
        identity=lambda system: _parser(system).version,
        systems=("subject-first", "animacy-first", "inflection-first", "inflection-then-animacy"),
        size=(1, "times 18,502 clauses"),
        metrics={"las_part_amb": True, "las_amb": True},
        speaks_of=(
            "Draws take other triples of subject, verb and object through the same word orders and properties: the answer speaks about"
            " other words, not about other constructions."
        ),
    )


@functools.lru_cache(maxsize=8)
def _segmenter(name: str) -> Any:
    from systems.segmenters import load_segmenter

    return load_segmenter(name)


@functools.lru_cache(maxsize=4)
def _answerer(name: str) -> Any:
    from dataset_scripts.centerbench import CenterBench
    from systems.answerers import AnswererSettings, load_answerer

    return load_answerer(name, AnswererSettings(suite_version=str(CenterBench.VERSION)))


@functools.lru_cache(maxsize=4)
def _parser(name: str) -> Any:
    from systems.parsers import load_parser

    return load_parser(name)


ERAS_SHARE_OF_WORDS = 0.5
SUITES: Mapping[str, Callable[[], Redrawable]] = {
    "centerbench": centerbench,
    "eras": eras,
    "sorts": sorts,
}
