"""The studies of center embedding: tables, verdicts and plots of the three readers, the store, what scorers accept."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ground.store import Store
from metrics.matched_pair_accuracy.paper import PaperScorer
from studies import center_embedding, center_embedding_scorers
from studies.center_embedding import STORE_SCHEMA, ask
from studies.center_embedding_report import level_rows, plot, verdict
from systems.questions import Answer, Answerer, Question
from tests.centerbench_draw import question_rows

STAMP = {"version": "1.0.0", "content_hash": "of the draw"}
ROWS = [row for row in question_rows() if row["pair_id"] in ("1-00000", "2-00001")]


class Recorder:
    """Answers every question with its own words; remembers what it was asked; breaks at the question it is told."""

    def __init__(self, breaks_at: int | None = None) -> None:
        self.asked: list[Question] = []
        self.breaks_at = breaks_at
        self.answerer = Answerer.of_stream("recorder", "1", self.answer)

    def answer(self, questions: Sequence[Question]) -> Iterator[tuple[int, Answer]]:
        for i, question in enumerate(questions):
            if len(self.asked) == self.breaks_at:
                raise KeyboardInterrupt
            self.asked.append(question)
            yield i, Answer(question.question, "hm", 5, 3, 2)


def store_in(folder: Path) -> Store:
    return Store(folder / "store", STORE_SCHEMA)


def test_a_question_is_asked_once_and_answers_every_row(tmp_path: Path) -> None:
    recorder = Recorder()
    answers = ask(recorder.answerer, ROWS, store_in(tmp_path), 0)
    assert [answer["text"] for answer in answers] == [row["question"] for row in ROWS]
    assert answers[0]["reasoning"] == "hm"
    distinct = {(row["sentence"], row["question"]) for row in ROWS}
    assert len(recorder.asked) == len(distinct) < len(ROWS)  # counting is asked of every entity


def test_a_second_run_asks_nothing_but_another_run_does(tmp_path: Path) -> None:
    first, second, third = Recorder(), Recorder(), Recorder()
    answers = ask(first.answerer, ROWS, store_in(tmp_path), 0)
    assert ask(second.answerer, ROWS, store_in(tmp_path), 0) == answers
    assert second.asked == []
    ask(third.answerer, ROWS, store_in(tmp_path), 1)
    assert len(third.asked) == len(first.asked)


@pytest.mark.parametrize("breaks_at", [0, 7, 40])
def test_an_interrupted_run_loses_nothing_that_was_answered(tmp_path: Path, breaks_at: int) -> None:
    broken, resumed = Recorder(breaks_at), Recorder()
    with pytest.raises(KeyboardInterrupt):
        ask(broken.answerer, ROWS, store_in(tmp_path), 0)
    ask(resumed.answerer, ROWS, store_in(tmp_path), 0)
    assert len(broken.asked) == breaks_at
    assert not set(broken.asked) & set(resumed.asked)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study of the three readers on two sentence pairs per level, written to a folder."""
    folder = tmp_path_factory.mktemp("study")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("studies.report.RESULTS", folder)
        patch.setattr("studies.center_embedding.suite_stamp", lambda name: STAMP)
        arguments = [
            "--limit",
            "2",
            "--store",
            str(folder / "store"),
            "--plot",
            str(folder / "plot.png"),
            "--write",
        ]
        assert center_embedding.main(arguments) == 0
    return folder


def test_the_study_writes_text_figures_and_plot(study: Path) -> None:
    text = (study / "centerbench" / "center_embedding.md").read_text(encoding="utf-8")
    assert "| structure | 100.0" in text
    assert "- plausibility: leaves structure for plausibility at level 1 (levels 1 to 6)." in text
    assert (
        "- linear-order: shows no gap that opens (levels 1 to 6), but is no better than reading the words in linear order."
        in text
    )
    assert (
        "| level | system | easy plausible | easy implausible | medium plausible | medium implausible | hard plausible |"
        in text
    )
    stamp = json.loads(
        (study / "centerbench" / "center_embedding.json").read_text(encoding="utf-8")
    )
    assert stamp["figures"]["structure"]["accuracy_core"] == 1.0
    assert stamp["figures"]["plausibility"]["gap_core"] > 0.7
    assert (
        stamp["command"]
        == "python -m studies.center_embedding --systems structure linear-order plausibility --write"
    )
    assert {key: stamp[key] for key in STAMP} == STAMP
    assert (study / "centerbench" / "center_embedding.png").read_bytes() == (
        study / "plot.png"
    ).read_bytes()
    assert (study / "plot.png").read_bytes().startswith(b"\x89PNG")


def test_rows_may_come_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pq.write_table(pa.Table.from_pylist(ROWS), tmp_path / "rows.parquet")
    arguments = [
        "--rows",
        str(tmp_path / "rows.parquet"),
        "--store",
        str(tmp_path / "store"),
        "--systems",
        "structure",
    ]
    assert center_embedding.main([*arguments, "--compare-with", "exact", "--runs", "2"]) == 0
    shown = capsys.readouterr().out
    assert (
        f"Accuracy in percent on {len(ROWS)} questions about 4 sentences (scorer: strict)" in shown
    )
    assert "| system | question | condition | disagreement | only strict | only exact |" in shown


def made_result(**values: Any) -> dict[str, Any]:
    level = {
        "level": 1,
        "gap": 0.1,
        "accuracy_plausible_core": 0.9,
        "accuracy_implausible_core": 0.8,
    }
    level |= {
        f"accuracy_{c}_core_{end}": math
        for c in ("plausible", "implausible")
        for end, math in (("low", 0.7), ("high", 0.95))
    }
    cell = {"level": 1, "accuracy_plausible": 0.992, "accuracy_implausible": 0.954}
    return {
        "system": "claude",
        "by_level": [level],
        "by_level_difficulty": [
            {**cell, "difficulty": name} for name in ("easy", "medium", "hard")
        ],
        "by_question_type": [
            {
                "question_type": "entity_count",
                "gap": 0.1,
                "gap_low": float("nan"),
                "gap_high": float("nan"),
            }
        ],
        "opening_level_core": "none",
        "accuracy_plausible_core": 0.9,
        "chance_linear_order_core": 0.1,
        "median_gap": 0.25,
        "median_absolute_gap": 0.5,
    } | values


def test_rows_have_the_layout_of_the_published_tables() -> None:
    (row,) = level_rows(made_result())
    assert list(row) == [
        "level",
        "system",
        *(f"{d} {c}" for d in ("easy", "medium", "hard") for c in ("plausible", "implausible")),
        "gap",
    ]
    assert (row["easy plausible"], row["hard implausible"], row["gap"]) == pytest.approx(
        (99.2, 95.4, 10.0)
    )


def test_verdicts() -> None:
    medians = (
        "Median gap over the cells of level and question type: 25.0 points, without sign 50.0."
    )
    assert verdict(made_result()) == f"claude: shows no gap that opens (levels 1 to 1). {medians}"
    opened = verdict(made_result(opening_level_core=1))
    assert (
        opened == f"claude: leaves structure for plausibility at level 1 (levels 1 to 1). {medians}"
    )
    guessing = verdict(made_result(accuracy_plausible_core=0.1))
    assert "but is no better than reading the words in linear order" in guessing


def test_the_same_results_give_the_same_plot() -> None:
    assert plot([made_result(opening_level_core=1)]) == plot([made_result(opening_level_core=1)])


class OnlyWordsCount:
    """An embedding model that sees which words there are and not in which order, as sentence embeddings nearly do."""

    def encode(self, texts: list[str], **options: Any) -> np.ndarray:
        words = sorted({word for text in texts for word in text.split()})
        return np.array(
            [[text.split().count(word) for word in words] for text in texts], dtype=float
        )


def test_what_scorers_accept() -> None:
    trials = list(center_embedding_scorers.make_trials(ROWS))
    paper = PaperScorer(OnlyWordsCount())
    decisions = {
        "strict": center_embedding_scorers.decide_strictly(trials),
        "paper": center_embedding_scorers.decide_as_published(trials, paper),
    }
    table = center_embedding_scorers.acceptance(trials, decisions)
    shares = {(row["question_type"], row["answer"]): row for row in table}
    assert all(
        row["strict_plausible"] == row["strict_implausible"] == float(row["is_right"])
        for row in table
    )
    assert shares["causal_sequence", "roles swapped"]["paper_plausible"] == 1.0
    assert shares["causal_sequence", "roles swapped"]["n"] == 4  # two pairs of sentences
    assert shares["causal_sequence", "order reversed"]["n"] == 2  # nothing to reverse at level 1
    text = center_embedding_scorers.result_text(table, paper)
    assert "Wrong answers; every one accepted is an error" in text
    assert "| causal sequence | roles swapped | 4 | 0.0 | 0.0 | 100.0 | 100.0 |" in text


def test_every_class_of_answers_is_tried() -> None:
    tried = {
        (trial.is_right, trial.row["question_type"], trial.name)
        for trial in center_embedding_scorers.make_trials(question_rows()[-3000:])
    }
    wanted = {
        (is_right, kind, name)
        for is_right, classes in (
            (False, center_embedding_scorers.WRONG),
            (True, center_embedding_scorers.RIGHT),
        )
        for kind, names in classes.items()
        for name in names
    }
    assert tried == wanted
