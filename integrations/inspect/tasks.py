"""Tasks of inspect-ai: a suite each, asked in words and scored by its one headline.

    inspect eval integrations/inspect/tasks.py@centerbench -T hub=NAMESPACE --model NAME

`hub` is who has published the suites, or the folder that holds them; without it they go by their
bare names. The repository need not be installed.
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2]))

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState, generate

from integrations import scores, suites
from integrations.scores import Collected, Numbers
from metrics._shared.reply_answers import first_line

Scoring = Callable[[Sequence[Collected]], Numbers]
N_TOKENS = 128  # of a reply; the longest right one has fewer


def _number(score: Scoring, name: str) -> Metric:
    """One number of a scoring as a metric of inspect-ai, which asks for it on partial runs too."""

    @metric(name=name)
    def number() -> Metric:
        def compute(found: list[SampleScore]) -> float:
            items = [
                Collected(one.sample_metadata or {}, reply=one.score.answer or "") for one in found
            ]
            return score(items)[name]

        return compute

    return number()


def _scorer(score: Scoring, *names: str) -> Scorer:
    """The reply as it is, to be scored with the others; its value says whether it is the target."""

    @scorer(name=names[0], metrics=[_number(score, name) for name in names])
    def replies() -> Scorer:
        async def keep(state: TaskState, target: Target) -> Score:
            reply = state.output.completion
            said = first_line(reply).rstrip(".").casefold()
            return Score(value=float(said == target.text.rstrip(".").casefold()), answer=reply)

        return keep

    return replies()


def _task(suite: str, hub: str, score: Scoring, headline: str, *others: str) -> Task:
    """A suite's task, whose numbers are the headline with the ends of its interval, and others."""
    names = (headline, f"{headline}_low", f"{headline}_high", *others)
    samples = MemoryDataset([_sample(row) for row in suites.asked(suite, hub)], name=suite)
    config = GenerateConfig(temperature=0, max_tokens=N_TOKENS)
    return Task(samples, solver=generate(), scorer=_scorer(score, *names), config=config)


def _sample(row: suites.Row) -> Sample:
    name = f"{row['id']}-{row['member']}" if "member" in row else row["id"]
    said = [ChatMessageSystem(content=row["system"]), ChatMessageUser(content=row["prompt"])]
    rest = {name: row[name] for name in row if name not in ("system", "prompt")}
    return Sample(said, target=row["target"], id=name, metadata=rest)


@task
def eras(hub: str = "") -> Task:
    """Which words is a Chinese sentence of? Both sentences of each pair."""
    return _task("eras", hub, scores.pair_accuracy, "pair_accuracy", "chance", "unreadable")


@task
def sorts(hub: str = "") -> Task:
    """Who does what to whom in German, in every order of the clause."""
    return _task("sorts", hub, scores.right_choices, "accuracy", "unreadable")


@task
def centerbench(hub: str = "") -> Task:
    """Who did what in nested relative clauses, plausible or not."""
    return _task("centerbench", hub, scores.core_accuracy, "accuracy_core", "unreadable")


@task
def morphseg(hub: str = "") -> Task:
    """Where the morphemes of an invented language end, after some words that are cut."""
    return _task("morphseg", hub, scores.morpheme_f1, "f1", "unreadable")


@task
def pp_attachment(hub: str = "") -> Task:
    """What a German prepositional phrase belongs to, where the order of words decides."""
    names = ("pair_accuracy", "chance", "unreadable")
    return _task("pp_attachment", hub, scores.topology_pairs, *names)
