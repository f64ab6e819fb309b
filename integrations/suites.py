"""Rows of the suites as tasks of a runner: what is scored, what is asked.

    scored   two, four or more texts whose log-probabilities are compared: the configs pairs,
             preference, questions, choice
    asked    a prompt, whose reply is read: CenterBench's questions, ERAS's sentences to cut,
             SORTS's "Wer ... wen?", morphseg's words to cut, what a phrase of PP attachment
             belongs to

The first rows of a task are a sample of all, so that whoever asks for the first hundred of them
gets a small suite, and not one paradigm; both members of a CenterBench question, or of a pair of PP
attachment, stay together.
"""

import os
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import datasets

from builders.suites import settings_of, suites_with
from garden_path.models.questions import Question, read_prompts
from ground.tables import read_settings
from metrics.minimal_pair_preference.members import Measures, Stretch, measures
from metrics.pp_attachment_accuracy.inputs import UNDECIDED

PROMPTS = Path(__file__).parent / "prompts.toml"
N_EXAMPLES = 20  # words of morphseg that stand in every prompt, and are not asked about
SCORED: Mapping[tuple[str, str], Callable[[Mapping[str, Any]], Measures]] = {
    (suite, config): measures for suite, told in suites_with("scored").items() for config in told
}
"""By suite and config: what makes the measures of its rows."""
Row = dict[str, Any]


def place(suite: str, hub: str = "") -> str:
    """What `load_dataset` is asked for: a folder, or the id of a data set; `hub` as of `rows`."""
    return f"{_placed(hub)}/{suite}" if hub else _placed(suite)


def _placed(hub: str) -> str:
    """A folder as the shell means it, since inspect-ai changes into that of its task file."""
    folder = Path(os.environ.get("PWD", "."), hub)
    return str(folder) if folder.is_dir() else hub


def rows(suite: str, config: str, split: str = "test", hub: str = "") -> list[Row]:
    """Rows of a suite: published by `hub`, in that folder, or, for "", by the bare name."""
    return list(datasets.load_dataset(place(suite, hub), config, split=split))


def sampled(found: Sequence[Row], together: int = 1) -> list[Row]:
    """The same rows in an order drawn once and for all; `together` stay next to each other.

    Example:
        >>> sampled([{"id": i} for i in range(6)], together=2)
        [{'id': 0}, {'id': 1}, {'id': 4}, {'id': 5}, {'id': 2}, {'id': 3}]
    """
    groups = [found[i : i + together] for i in range(0, len(found), together)]
    random.Random(0).shuffle(groups)
    return [row for group in groups for row in group]


def scored(
    suite: str, config: str, measure: str, hub: str = "", where: Mapping[str, Any] | None = None
) -> list[Row]:
    """Rows of a config for language models with the requests that a runner makes of them.

    These are `contexts` and `continuations`, one of each per member, and the first of each as
    `context` and `continuation`. A crossed comparison has whole texts and empty contexts.
    """
    measures = SCORED[suite, config]
    found = those(rows(suite, config, hub=hub), where)
    return sampled([row | requests(measures(row)[measure]) for row in found])


def those(found: Sequence[Row], where: Mapping[str, Any] | None = None) -> list[Row]:
    """The rows with these values, by column; a ValueError where there is none."""
    wanted = (where or {}).items()
    kept = [row for row in found if all(row[name] == value for name, value in wanted)]
    if not kept:
        raise ValueError(f"rows, got none with {where} of {len(found)}; expected some")
    return kept


def requests(members: Sequence[Stretch]) -> Row:
    """What a runner asks a model about the members of a row; see `scored`."""
    contexts = [member.text[: member.start] for member in members]
    continuations = [member.text[member.start : member.end] for member in members]
    if len(set(contexts)) > 1 and len(set(continuations)) > 1:
        contexts = [""] * len(members)
        continuations = [member.text[: member.end] for member in members]
    alike = {"context": contexts[0], "continuation": continuations[0]}
    return {"contexts": contexts, "continuations": continuations, **alike}


def token_counts(row: Mapping[str, Any], tokenizer: Any) -> list[int]:
    """Tokens of each continuation, at least 1, as a runner counts them: whole less context."""
    return [
        max(1, len(tokenizer.encode(before + text)) - len(tokenizer.encode(before)))
        for before, text in zip(row["contexts"], row["continuations"], strict=True)
    ]


def asked(suite: str, hub: str = "") -> list[Row]:
    """Rows of a suite with `system` and `prompt`, texts to reply to, and the right `target`."""
    told = settings_of(suite)["asked"]
    found = rows(suite, told["config"], told["split"], hub)
    texts = read_settings(PROMPTS).get(suite, {})
    return list(WAYS[told["way"]](found, texts.get("system", "").strip(), texts.get("user", "")))


def _ask_for_cuts(found: Sequence[Row], system: str, user: str) -> Iterator[Row]:
    """Both sentences of each pair, one after the other."""
    for row in sampled(found):
        for member in ("test", "control"):
            prompt = user.format(sentence=row[member])
            target = " ".join(row[f"{member}_words"])
            yield row | {"system": system, "prompt": prompt, "target": target, "member": member}


def _ask_for_choices(found: Sequence[Row], system: str, user: str) -> Iterator[Row]:
    for row in sampled(found):
        prompt = user.format(sentence=row["sentence"], question=row["question"])
        yield row | {"system": system, "prompt": prompt, "target": row["answer"]}


def _ask_questions(found: Sequence[Row], system: str, user: str) -> Iterator[Row]:
    prompts = read_prompts()
    for row in sampled(found, together=2):
        question = Question(*(str(row[name]) for name in Question._fields))
        prompt = f"{prompts.asked(question)}\nAnswer:"
        yield row | {"system": prompts.system, "prompt": prompt, "target": row["answer"]}


def _ask_for_words(found: Sequence[Row], system: str, user: str) -> Iterator[Row]:
    """Words behind the first ones, which are shown cut."""
    shown = [f"{row['word']}\n{'-'.join(row['morphemes'])}" for row in found[:N_EXAMPLES]]
    for row in sampled(found[N_EXAMPLES:]):
        prompt = user.format(examples="\n\n".join(shown), word=row["word"])
        target = "-".join(row["morphemes"])
        yield row | {"system": system, "prompt": prompt, "target": target}


def _ask_for_heads(found: Sequence[Row], system: str, user: str) -> Iterator[Row]:
    """Both sentences of each topology pair of one phrase on the verb and one on a noun.

    The candidates are named in one order in both, so that no place in the question is an answer.
    """
    members = [
        row
        for pair in zip(found[::2], found[1::2], strict=True)
        if pair[0]["pair_factor"] == "topology"
        and not any(row["resolved_by"] in UNDECIDED for row in pair)
        and sum(row["head"] == row["verb"] for row in pair) == 1
        for row in pair
    ]
    for row in sampled(members, together=2):
        tokens, start = row["tokens"], row["adposition"]
        phrase = " ".join([tokens[start].lower(), *tokens[start + 1 : row["pp"] + 1]])
        choices = sorted(tokens[word] for word in row["candidates"])
        sentence = " ".join(tokens)
        prompt = user.format(sentence=sentence, phrase=phrase, choices=", ".join(choices))
        asked = {"sentence": sentence, "choices": choices, "target": tokens[row["head"]]}
        yield row | {"system": system, "prompt": prompt} | asked


WAYS: Mapping[str, Callable[[Sequence[Row], str, str], Iterator[Row]]] = {
    "cuts": _ask_for_cuts,
    "choices": _ask_for_choices,
    "questions": _ask_questions,
    "words": _ask_for_words,
    "heads": _ask_for_heads,
}
"""What makes prompts of rows and of the two texts of a suite, by the way that it asks."""
