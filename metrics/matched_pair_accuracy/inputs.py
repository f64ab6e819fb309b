"""What matched-pair accuracy takes: replies to each question, and the question's row.

Rows become `MatchedPairs`, arrays with one place per plausible-implausible pair; rows that do not
pair up are an error that names them.
"""

import itertools
import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .._shared.columns import (
    BoolArray,
    IntArray,
    Values,
    encodes,
    is_missing,
    is_text,
    shown,
    to_list,
)
from .._shared.module import Inputs, Nested, Rows
from .._shared.plain_text import decode, json_lines, lines_of

METRIC = "matched_pair_accuracy"
CONDITIONS = ("plausible", "implausible")
QUESTION_TYPES = (
    "action_performed",
    "agent_identification",
    "entity_count",
    "nested_dependency",
    "causal_sequence",
    "chain_consequence",
)
VERB_FORMS = ("base", "past", "participle", "gerund", "third", "tail")
RECORD = f"subject, verb ({', '.join(VERB_FORMS)}) and object, innermost first"

Labels = npt.NDArray[np.object_]

MIDDLE_LEVEL = 3
MIDDLE_TYPES = ("action_performed",)
CORE_TYPES = ("action_performed", "agent_identification", "nested_dependency")
CONVENTION_TYPES = ("causal_sequence", "chain_consequence")
COUNT_TYPE = "entity_count"
EASE = ("easy", "easy", "medium", "medium", "hard", "hard")
DIFFICULTY = dict(zip(QUESTION_TYPES, EASE, strict=True))

ANSWERS = ("answer", "prediction", "reply", "response", "output", "completion")


def answers_of(where: str, given: Any, rows: Sequence[Mapping[str, Any]]) -> list[Any]:
    """The answer to each row, from answers by id or a file; None for a row without one.

    A file is an object of answers by id, an array or lines of records with `id` and `answer`, an
    array of answers, or a reply a line, the last two in the order of the rows.

    Raises:
        ValueError: The file holds none of these, an id is of no row, or the numbers differ.
    """
    found = given if isinstance(given, Mapping) else _answers_in(Path(given))
    if not isinstance(found, Mapping):
        if len(found) != len(rows):
            raise ValueError(f"{where}: got {len(found):,} answers; expected {len(rows):,}, or ids")
        return list(found)
    ids = [str(row.get("id", "")) for row in rows]
    by_id = {str(name): answer for name, answer in found.items()}
    if unknown := sorted(by_id.keys() - set(ids)):
        got = f"{shown(unknown[0])}, and {len(unknown):,} in all that no row has"
        raise ValueError(f"{where}: id, got {got}; expected such as {shown(ids[0])}")
    return [by_id.get(one) for one in ids]


def _answers_in(path: Path) -> Any:
    """Answers by id, or a list of them, out of a file."""
    text = decode(path.read_bytes(), str(path)).text
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        if not text.lstrip().startswith("{"):
            return lines_of(text)
        whole = [record for _, record in json_lines(text, str(path))]
    if not isinstance(whole, list) or not all(isinstance(one, Mapping) for one in whole):
        return whole
    found = {}
    for i, record in enumerate(whole):
        answers = [record[name] for name in ANSWERS if name in record]
        if "id" not in record or not answers:
            got = f"record {i + 1}, got {shown(record)}"
            raise ValueError(f"{path}: {got}; expected id and {ANSWERS[0]}")
        found[record["id"]] = answers[0]
    return found


def as_runs(where: str, given: Any) -> list[Any]:
    """One list of replies per item; a single reply, or none, stands for the list of it."""
    found = []
    for runs in to_list(given, where):
        runs = [runs] if runs is None or isinstance(runs, str | float) else runs
        is_list = isinstance(runs, list | tuple)
        found.append([None if is_missing(one) else one for one in runs] if is_list else runs)
    return found


def read_events(where: str, given: Any) -> list[Any]:
    """Events of each row: a list of records with texts for all that `EVENT` names."""
    metric, name, field = where.split(": ", 2)
    known: set[tuple[Any, ...]] = set()  # all questions to a sentence have the same events
    found = []
    for i, events in enumerate(to_list(given, where)):
        if type(events) is not list or not all(_is_known(event, known) for event in events):
            events = check_events(f"{metric}: {name}[{i}]: {field}", events)
            known.update(_key(event) for event in events if type(event) is dict)
        found.append(events)
    return found


def _is_known(event: Any, known: Collection[tuple[Any, ...]]) -> bool:
    """Whether an event as plain records is one that was checked before."""
    try:
        return type(event) is dict and type(event.get("verb")) is dict and _key(event) in known
    except TypeError:  # what cannot be hashed, such as a list for a text
        return False


def _key(event: Mapping[str, Any]) -> tuple[Any, ...]:
    return (event.get("subject"), event.get("object", 0), *map(event["verb"].get, VERB_FORMS))


def check_events(where: str, events: Any) -> list[Any]:
    """Events of one row as a list; a ValueError that begins with `where` says what is wrong."""
    if hasattr(events, "as_py"):
        events = events.as_py()
    is_column = isinstance(events, tuple) or hasattr(events, "tolist")
    found = to_list(events, where) if is_column else events
    if not isinstance(found, list) or not all(map(_is_event, found)):
        expected = f"a list of {RECORD}; scorer='exact' needs none"
        raise ValueError(f"{where}, got {shown(found)}; expected {expected}")
    for event, form in itertools.product(found, VERB_FORMS):
        value = event["verb"].get(form)
        if not isinstance(value, str) or (not value and form != "tail") or not encodes(value):
            got = f"got {shown(value)} as {form} of {shown(event['verb'].get('base'))}"
            raise ValueError(f"{where}, {got}; expected a form of the verb")
    return found


def _is_event(event: Any) -> bool:
    """Whether a record has a subject, an object that is a text or None, and a verb."""
    if not isinstance(event, Mapping) or not isinstance(event.get("verb"), Mapping):
        return False
    subject, patient = event.get("subject"), event.get("object", 0)
    return is_text(subject) and (patient is None or is_text(patient))


EVENT = {"subject": str, "verb": dict.fromkeys(VERB_FORMS, str), "object": str}
_RUNS = Values("text", "an answer, or None, of each run", depth=1, has_none=True, adapt=as_runs)
_TYPE = Values("text", "what is asked", choices=QUESTION_TYPES, is_optional=True)
_ROWS = Rows(
    {
        "answer": Values("text", "the answer"),
        "pair_id": Values("name", "id that both members of a pair share"),
        "condition": Values("text", "member of its pair", choices=CONDITIONS),
        "sentence_id": Values("name", "id of the sentence", is_optional=True),
        "question_type": _TYPE,
        "domain": Values("name", "domain", is_optional=True),
        "level": Values("whole", "level of embedding", low=1, is_optional=True),
        "depth": Values("whole", "place of the entity", low=0, is_optional=True),
        "events": Nested(read_events, EVENT, "what happens", is_optional=True),
    }
)
INPUTS = Inputs(METRIC, {"predictions": _RUNS, "references": _ROWS})


def is_middle(row: Mapping[str, Any]) -> bool:
    """Whether a question asks what an entity did that is neither outermost nor innermost.

    From level 3 on, where several verbs are in the middle too; not where level or depth is unknown.
    """
    level, depth = row.get("level"), row.get("depth")
    if level is None or depth is None or row.get("question_type") not in MIDDLE_TYPES:
        return False
    return bool(level >= MIDDLE_LEVEL and 0 < depth < level)


class MatchedPairs(NamedTuple):
    """Question pairs; m of them."""

    rows: IntArray  # of the plausible and the implausible member, shape (m, 2); -1: missing
    cluster: IntArray  # number of the sentence pair, the unit that was sampled, shape (m,)
    n_clusters: int
    labels: dict[str, Labels]  # what the members share, by column name; only what the rows have

    def ask(self, types: Sequence[str]) -> BoolArray:
        """Which pairs are of some question types; none where the rows have no type."""
        known = self.labels.get("question_type")
        return np.zeros(len(self.rows), bool) if known is None else np.isin(known, types)

    @property
    def are_core(self) -> BoolArray:
        """Which pairs ask about structure alone; all where the rows have no question type."""
        is_all = "question_type" not in self.labels
        return np.ones(len(self.rows), bool) if is_all else self.ask(CORE_TYPES)

    @property
    def are_middle(self) -> BoolArray:
        """Which pairs ask about the middle, see `is_middle`."""
        names, columns = list(self.labels), zip(*self.labels.values(), strict=True)
        asked = [is_middle(dict(zip(names, row, strict=True))) for row in columns]
        return np.array(asked or [False] * len(self.rows), dtype=bool)


def match_pairs(where: str, columns: Mapping[str, Any]) -> MatchedPairs:
    """Matches rows by `pair_id` and, where the rows have them, `depth` and `question_type`.

    Raises:
        ValueError: A row has no pair, a member is there twice, or members differ in what they must
            share.
    """
    values = {name: to_list(column) for name, column in columns.items() if name != "answer"}
    if "" in values["pair_id"]:
        i, expected = values["pair_id"].index(""), "the id that both members of a pair share"
        raise ValueError(f"{where}[{i}]: pair_id, got ''; expected {expected}")
    names = [name for name in ("pair_id", "depth", "question_type") if name in values]
    keys = list(zip(*(values[name] for name in names), strict=True))
    members = [_rows_by_key(where, one, keys, values["condition"]) for one in CONDITIONS]
    found = [[of_condition.get(key, -1) for of_condition in members] for key in dict.fromkeys(keys)]
    rows = np.array(found, dtype=np.int64)
    labels = {
        str(name): _shared(where, name, values[name], rows)
        for name in ("level", "depth", "question_type", "domain")
        if name in values
    }
    if "question_type" in labels:
        difficulties = [DIFFICULTY[name] for name in labels["question_type"]]
        labels["difficulty"] = np.array(difficulties, dtype=object)
    return MatchedPairs(rows, *_clusters(values, rows), labels)


def _rows_by_key(
    where: str, condition: str, keys: list[tuple[Any, ...]], conditions: list[str]
) -> dict[tuple[Any, ...], int]:
    rows: dict[tuple[Any, ...], int] = {}
    for i, (key, found) in enumerate(zip(keys, conditions, strict=True)):
        if found == condition and rows.setdefault(key, i) != i:
            pair, got = " / ".join(map(str, key)), f"a second {condition} member"
            first = f"(the first is row {rows[key]})"
            raise ValueError(f"{where}[{i}]: pair {pair}, got {got} {first}; expected one")
    return rows


def _shared(where: str, name: str, values: list[Any], rows: IntArray) -> Labels:
    for first, second in rows[(rows >= 0).all(axis=1)].tolist():
        if values[first] != values[second]:
            got = " and ".join(f"{shown(values[row])} in row {row}" for row in (first, second))
            expected = "one value, its members differ in condition only"
            raise ValueError(f"{where}: {name} of one pair, got {got}; expected {expected}")
    labels: Labels = np.array(values, dtype=object)[rows.max(axis=1)]
    return labels


def _clusters(values: Mapping[str, list[Any]], rows: IntArray) -> tuple[IntArray, int]:
    """Number of the sentence pair of each question pair, told from its plausible sentence."""
    pairs, sentences = values["pair_id"], values.get("sentence_id", values["pair_id"])
    first = {
        pair: sentence
        for pair, sentence, condition in zip(pairs, sentences, values["condition"], strict=True)
        if condition == CONDITIONS[0]
    }
    own = [first.get(pairs[row], sentences[row]) for row in rows.max(axis=1).tolist()]
    numbers = {name: i for i, name in enumerate(dict.fromkeys(own))}
    return np.array([numbers[name] for name in own], dtype=np.int64), len(numbers)
