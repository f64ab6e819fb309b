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

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import datasets

from builders.centerbench import likelihoods as centerbench
from builders.eras import likelihoods as eras
from builders.likelihoods import Measures, Stretch
from builders.morphseg import likelihoods as morphseg
from builders.pp_attachment import likelihoods as pp_attachment
from builders.sorts import likelihood_questions as sorts_questions
from builders.sorts import likelihoods as sorts
from ground.tables import read_settings
from metrics.pp_attachment_accuracy.inventory import UNDECIDED
from systems.prompts import read_prompts
from systems.questions import Question

PROMPTS = Path(__file__).parent / "prompts.toml"
N_EXAMPLES = 20  # words of morphseg that stand in every prompt, and are not asked about
SCORED: Mapping[tuple[str, str], Callable[[Mapping[str, Any]], Measures]] = {
    ("eras", "pairs"): eras.measures,
    ("sorts", "pairs"): sorts.measures,
    ("sorts", "preference"): sorts.measures,
    ("sorts", "questions"): sorts_questions.measures,
    ("centerbench", "pairs"): centerbench.measures,
    ("centerbench", "choice"): centerbench.measures,
    ("morphseg", "pairs"): morphseg.measures,
    ("pp_attachment", "pairs"): pp_attachment.measures,
}
Row = dict[str, Any]


def rows(suite: str, config: str, split: str = "test", hub: str = "") -> list[Row]:
    """Rows of a built or published suite.

    Args:
        suite: The suite.
        config: One of its configs.
        split: One of its splits.
        hub: Who has published it, or the folder that holds it; "" for the bare name, as inside
            `hub/` and after `push.py install`.
    """
    place = f"{hub}/{suite}" if hub else suite
    return list(datasets.load_dataset(place, config, split=split))


def sampled(found: Sequence[Row], together: int = 1) -> list[Row]:
    """The same rows in an order drawn once and for all.

    Args:
        found: Rows.
        together: How many stay next to each other.

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

    Args:
        suite: The suite.
        config: A config of `SCORED`.
        measure: One of its measures.
        hub: As of `rows`.
        where: Values that rows must have, by column.

    Returns:
        The rows with `contexts` and `continuations`, one of each per member, and with the first of
        each as `context` and `continuation`: one of the two is that of all members. A crossed
        comparison has whole texts and empty contexts: there the contexts cancel.
    """
    found = [
        row
        for row in rows(suite, config, hub=hub)
        if all(row[name] == value for name, value in (where or {}).items())
    ]
    measures = SCORED[suite, config]
    return sampled([row | requests(measures(row)[measure]) for row in found])


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


def asked(suite: str, hub: str = "", config: str = "") -> list[Row]:
    """Rows of a suite with `system` and `prompt`, texts to be replied to, and the right `target`.

    Args:
        suite: The suite.
        hub: As of `rows`.
        config: Another config with the same columns; "" for the one of `ASKED`.
    """
    default, split, ask = ASKED[suite]
    return list(ask(rows(suite, config or default, split, hub)))


def _texts(suite: str) -> tuple[str, str]:
    texts = read_settings(PROMPTS)[suite]
    return texts["system"].strip(), texts["user"]


def _ask_eras(found: Sequence[Row]) -> Iterator[Row]:
    """Both sentences of each pair, one after the other."""
    system, user = _texts("eras")
    for row in sampled(found):
        for member in ("test", "control"):
            prompt = user.format(sentence=row[member])
            target = " ".join(row[f"{member}_words"])
            yield row | {"system": system, "prompt": prompt, "target": target, "member": member}


def _ask_sorts(found: Sequence[Row]) -> Iterator[Row]:
    system, user = _texts("sorts")
    for row in sampled(found):
        prompt = user.format(sentence=row["sentence"], question=row["question"])
        yield row | {"system": system, "prompt": prompt, "target": row["answer"]}


def _ask_centerbench(found: Sequence[Row]) -> Iterator[Row]:
    prompts = read_prompts()
    for row in sampled(found, together=2):
        question = Question(*(str(row[name]) for name in Question._fields))
        prompt = f"{prompts.asked(question)}\nAnswer:"
        yield row | {"system": prompts.system, "prompt": prompt, "target": row["answer"]}


def _ask_morphseg(found: Sequence[Row]) -> Iterator[Row]:
    """Words behind the first ones, which are shown cut."""
    system, user = _texts("morphseg")
    shown = [f"{row['word']}\n{'-'.join(row['morphemes'])}" for row in found[:N_EXAMPLES]]
    for row in sampled(found[N_EXAMPLES:]):
        prompt = user.format(examples="\n\n".join(shown), word=row["word"])
        target = "-".join(row["morphemes"])
        yield row | {"system": system, "prompt": prompt, "target": target}


def _ask_pp_attachment(found: Sequence[Row]) -> Iterator[Row]:
    """Both sentences of each topology pair of one phrase on the verb and one on a noun.

    The candidates are named in one order in both, so that no place in the question is an answer.
    """
    system, user = _texts("pp_attachment")
    for row in sampled(_topology_members(found), together=2):
        tokens, start = row["tokens"], row["adposition"]
        phrase = " ".join([tokens[start].lower(), *tokens[start + 1 : row["pp"] + 1]])
        choices = sorted(tokens[word] for word in row["candidates"])
        sentence = " ".join(tokens)
        prompt = user.format(sentence=sentence, phrase=phrase, choices=", ".join(choices))
        asked = {"sentence": sentence, "choices": choices, "target": tokens[row["head"]]}
        yield row | {"system": system, "prompt": prompt} | asked


def _topology_members(found: Sequence[Row]) -> list[Row]:
    return [
        row
        for pair in zip(found[::2], found[1::2], strict=True)
        if pair[0]["pair_factor"] == "topology"
        and not any(row["resolved_by"] in UNDECIDED for row in pair)
        and sum(row["head"] == row["verb"] for row in pair) == 1
        for row in pair
    ]


ASKED: Mapping[str, tuple[str, str, Callable[[Sequence[Row]], Iterator[Row]]]] = {
    "eras": ("simplified_lite", "test", _ask_eras),
    "sorts": ("questions", "test", _ask_sorts),
    "centerbench": ("questions_lite", "test", _ask_centerbench),
    "morphseg": ("synthetic", "pool", _ask_morphseg),
    "pp_attachment": ("conll", "test", _ask_pp_attachment),
}
"""By suite: config, split, and what makes prompts of its rows."""
