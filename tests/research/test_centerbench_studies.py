"""The studies of center embedding. Tables, verdicts and plots of the three readers, the store, what
scorers accept."""

import contextlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from garden_path.models.questions import Answer, Answerer, Question
from metrics.matched_pair_accuracy.decisions import PaperScorer
from research.studies.__main__ import main
from research.studies.centerbench import scorers
from research.studies.centerbench.answers import STUDY, key_of, stage, verdict
from tests.support.centerbench_draw import question_rows
from tests.support.study_runs import run_of, scored

ROWS = [row for row in question_rows() if row["pair_id"] in ("1-00000", "2-00001")]


class Recorder:
    """Answers every question with its own words; remembers what it was asked. Breaks at the
    question it is told."""

    def __init__(self, breaks_at: int | None = None) -> None:
        self.asked: list[Question] = []
        self.breaks_at = breaks_at
        self.system = Answerer.of_stream("recorder", "1", self.answer)

    def answer(self, questions: Sequence[Question]) -> Iterator[tuple[int, Answer]]:
        for i, question in enumerate(questions):
            if len(self.asked) == self.breaks_at:
                raise KeyboardInterrupt
            self.asked.append(question)
            yield i, Answer(question.question, "hm", 5, 3, 2)


def ask(recorder: Recorder, folder: Path) -> list[dict[str, Any]]:
    """The answers to ROWS, through the study's store."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("research.studies.study.load", lambda *_, **settings: recorder.system)
        run = run_of(STUDY, folder)
        asked = stage("recorder", ROWS, run)
        run.fill(asked)
    keys = [key_of(recorder.system, row) for row in ROWS]
    found = asked.store.rows(keys)
    return [found[key] for key in keys]


def test_a_question_is_asked_once_and_answers_every_row(tmp_path):
    recorder = Recorder()
    answers = ask(recorder, tmp_path)
    assert [answer["text"] for answer in answers] == [row["question"] for row in ROWS]
    assert answers[0]["reasoning"] == "hm"
    distinct = {tuple(row[name] for name in Question._fields) for row in ROWS}
    assert len(recorder.asked) == len(distinct)


@pytest.mark.parametrize("breaks_at", [0, 7, 40, None])
def test_an_interrupted_run_loses_nothing_that_was_answered(tmp_path, breaks_at):
    broken, resumed = Recorder(breaks_at), Recorder()
    with contextlib.suppress(KeyboardInterrupt):
        ask(broken, tmp_path)
    ask(resumed, tmp_path)
    assert breaks_at is None or len(broken.asked) == breaks_at
    assert bool(resumed.asked) == (breaks_at is not None)
    assert not set(broken.asked) & set(resumed.asked)


def test_the_study_tells_readers_apart(tmp_path, capsys):
    command = ["centerbench", "answers", "--limit", "2", "--store", str(tmp_path / "store")]
    assert main([*command, "--out", str(tmp_path)]) == 0
    text = (tmp_path / "answers.md").read_text(encoding="utf-8")
    assert text.strip() in capsys.readouterr().out
    assert "| structure | 100.0" in text
    # four pairs a level are too few for a gap to open, however large it is
    assert re.search(
        r"- plausibility: shows no gap that opens .* cells .*: [6-8]\d\.\d point", text
    )
    no_gap = "shows no gap that opens (levels 1 to 6), but is no better than reading"
    assert f"- linear-order: {no_gap}" in text
    cells = (f"{d} {c}" for d in ("easy", "medium", "hard") for c in ("plausible", "implausible"))
    assert f"| level | system | {' | '.join(cells)} | gap |" in text
    assert (tmp_path / "answers.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_the_questions_of_the_headline_alone_give_the_same_headline(tmp_path):
    """What `--middle` leaves out counts nothing there."""
    asked = ("--limit", "1", "--systems", "linear-order")
    found = {}
    for middle in ((), ("--middle",)):
        (result,) = scored(STUDY, tmp_path, *asked, *middle)
        found[result["n_asked"]] = result["accuracy_middle"]
    assert min(found) < max(found) / 10
    assert len(set(found.values())) == 1


def test_a_part_of_the_lite_subset_is_answered_with_settings_of_its_own(tmp_path):
    lite = STUDY.variants["lite"]
    run = run_of(lite, tmp_path)
    assert run.settings() == {"dtype": "bfloat16", "batch_size": 48, "max_new_tokens": 32}
    rows = STUDY.rows(run.options)
    counts = Counter(row["level"] for row in rows if row["question_type"] == "entity_count")
    assert counts == {level: 2 * 5 * (level + 1) for level in range(1, 7)}
    assert {"gguf:smollm2", "gguf:gemma", *STUDY.systems} < set(run.options.systems)
    assert lite.changed(run.options) == []
    other = run_of(lite, tmp_path, "--max-new-tokens", "96")
    assert lite.changed(other.options) == ["--max-new-tokens"]
    assert run_of(STUDY, tmp_path).settings() == {}


def made_result(**values: Any) -> dict[str, Any]:
    return {
        "system": "claude",
        "by_level": [{"level": 1, "gap": 0.1}],
        "opening_level_core": "none",
        "accuracy_plausible_core": 0.9,
        "chance_linear_order_core": 0.1,
        "median_gap": 0.25,
        "median_absolute_gap": 0.5,
    } | values


def test_verdicts():
    cells = "Median gap over the cells of level and question type"
    told = f"(levels 1 to 1). {cells}: 25.0 points, without sign 50.0."
    assert verdict(made_result()) == f"claude: shows no gap that opens {told}"
    opened = verdict(made_result(opening_level_core=1))
    assert opened == f"claude: leaves structure for plausibility at level 1 {told}"
    guessing = verdict(made_result(accuracy_plausible_core=0.1))
    assert "but is no better than reading the words in linear order" in guessing


class OnlyWordsCount:
    """An embedding model that sees which words there are and not in which order. As sentence
    embeddings nearly do."""

    def encode(self, texts: list[str], **options: Any) -> np.ndarray:
        words = sorted({word for text in texts for word in text.split()})
        counts = [[text.split().count(word) for word in words] for text in texts]
        return np.array(counts, dtype=float)


def test_what_scorers_accept():
    trials = list(scorers.make_trials(ROWS))
    paper = PaperScorer(OnlyWordsCount())
    strict, published = scorers.decide_strictly(trials), scorers.decide_as_published(trials, paper)
    table = scorers.acceptance(trials, {"strict": strict, "paper": published})
    shares = {(row["question_type"], row["answer"]): row for row in table}
    for row in table:
        assert row["strict_plausible"] == row["strict_implausible"] == float(row["is_right"])
    assert shares["causal_sequence", "roles swapped"]["paper_plausible"] == 1.0
    assert shares["causal_sequence", "roles swapped"]["n"] == 4  # two pairs of sentences
    assert shares["causal_sequence", "order reversed"]["n"] == 2  # nothing to reverse at level 1
    text = scorers.result_text(table, paper)
    assert "Wrong answers; every one accepted is an error" in text
    assert "| causal sequence | roles swapped | 4 | 0.0 | 0.0 | 100.0 | 100.0 |" in text


def test_every_class_of_answers_is_tried():
    trials = scorers.make_trials(question_rows()[-3000:])
    tried = {(trial.is_right, trial.row["question_type"], trial.name) for trial in trials}
    wanted = {
        (is_right, kind, name)
        for is_right, classes in ((False, scorers.WRONG), (True, scorers.RIGHT))
        for kind, names in classes.items()
        for name in names
    }
    assert tried == wanted
