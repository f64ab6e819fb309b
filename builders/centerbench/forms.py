"""What people are asked about CenterBench: what they read, what is plausible, who is right.

**pilot** is the study of the paper: one sentence a person, of levels 1 to 4 and either condition,
and the six questions about one of its entities. **reading** has eight sentences, one of each level
and condition, no pair twice, in the orders of a Williams square; sheets 8 to 15 hide the sentence
while its questions are answered. **plausibility** shows the events of twelve sentences one by one,
on seven steps, a plausible and an implausible sentence of each level, of different pairs.
**scorer-audit** shows answers that were given, with question and gold, not what the scorer says.

Source: Madhusudan, Chen and Emami (2026), sections 3 and 4 and Figure 6.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builders.centerbench import DRAW, VERSION
from builders.centerbench.columns import CONDITIONS, members, question_table
from builders.centerbench.draw import LEVELS, SentencePair, default_drawer, draw
from builders.forms import FormItem, RatingForm, shuffled, williams_square
from ground.tables import read_json_lines

READ_LEVELS = (1, 2, 3, 4)
PAIRS_PER_LEVEL = 4  # of the reading form
RATED_PAIRS = 10  # per level, those of the lite config
CELLS = [(level, condition) for level in READ_LEVELS for condition in CONDITIONS]
TEXTS = Path(__file__).resolve().parent / "data" / "forms.toml"
AUDITED, PER_SHEET = 400, 100
FIELDS = ("id", "system", "answer")


@functools.cache
def form_pairs() -> dict[int, list[SentencePair]]:
    """The first ten pairs of each level of the default draw: those of the lite config."""
    return dict(zip(LEVELS, draw(size=RATED_PAIRS), strict=True))


@functools.cache
def form_questions(level: int) -> list[dict[str, Any]]:
    """The questions about the pairs of a level, as rows of config `questions`."""
    return list(question_table(form_pairs()[level], default_drawer().knowledge).to_pylist())


def pilot(seed: int, sheet: int) -> list[FormItem]:
    """The one sentence of a sheet: a level and a condition in turn, a pair and entity at random."""
    level, condition = CELLS[sheet % len(CELLS)]
    names = ("centerbench pilot", DRAW, seed, level, condition)
    pair = shuffled(form_pairs()[level], *names)[0]
    depth = shuffled(range(level + 1), *names)[0]
    return [reading_item(pair, condition, depth)]


def reading(seed: int, sheet: int) -> list[FormItem]:
    """Eight sentences: the order is row `sheet` of the square; from sheet 8 on they are hidden."""
    block, row = divmod(sheet % (2 * len(CELLS)), len(CELLS))
    items = []
    for cell in williams_square(len(CELLS))[row]:
        level, condition = CELLS[cell]
        pairs = shuffled(form_pairs()[level], "centerbench reading", DRAW, seed, level)
        place = (row + CONDITIONS.index(condition)) % PAIRS_PER_LEVEL
        items.append(reading_item(pairs[place], condition, place % (level + 1), hides=block == 1))
    return items


def reading_item(
    pair: SentencePair, condition: str, depth: int, *, hides: bool = False
) -> FormItem:
    """A sentence with the six questions about one of its entities."""
    place = {"pair_id": pair.pair_id, "condition": condition, "depth": depth}
    asked = [row for row in form_questions(pair.level) if place.items() <= row.items()]
    questions = [{"id": row["id"], "text": row["question"]} for row in asked]
    content = {"sentence": asked[0]["sentence"], "questions": questions, "is_hidden": hides}
    return FormItem(asked[0]["sentence_id"], "read", content)


def plausibility(seed: int, sheet: int) -> list[FormItem]:
    """Events of twelve sentences, each a page; `id` is the sentence's with the event's number."""
    turn, items = sheet % RATED_PAIRS, []
    for level in LEVELS:
        pairs = shuffled(form_pairs()[level], "centerbench plausibility", DRAW, seed, level)
        for shift, condition in enumerate(CONDITIONS):
            items += event_items(pairs[(turn + shift) % RATED_PAIRS], condition)
    return shuffled(items, "centerbench plausibility", DRAW, seed, sheet)


def event_items(pair: SentencePair, condition: str) -> list[FormItem]:
    """The events of one member of a pair, the innermost first."""
    chain = next(chain for _, name, chain in members([pair]) if name == condition)
    clauses = [event.clause() for event in chain.events(default_drawer().knowledge)]
    name = f"{pair.pair_id}-{condition[0]}"
    return [
        FormItem(f"{name}#{i}", "rate", {"text": f"{one[:1].upper()}{one[1:]}."})
        for i, one in enumerate(clauses)
    ]


@dataclass(frozen=True)
class Reply:
    """What a system or a person answered to a question of the default draw."""

    id: str
    system: str
    answer: str

    @property
    def name(self) -> str:
        """Under which the audit asks about it."""
        return f"{self.id}@{self.system}"


def read_replies(path: Path) -> list[Reply]:
    """Replies of JSON Lines with `id` (of a row of `questions`), `system` and `answer`.

    A ValueError where a line is no such object or says something twice, or there is none.
    """
    found: dict[str, Reply] = {}
    for number, record in read_json_lines(path):
        if not all(isinstance(record.get(name), str) for name in FIELDS):
            got = f"{path}:{number}: line, got {str(record)[:60]}"
            raise ValueError(f"{got}; expected texts {', '.join(FIELDS)}")
        reply = Reply(*(record[name] for name in FIELDS))
        if reply.name in found:
            raise ValueError(f"{path}:{number}: reply, got {reply.name} twice; expected it once")
        found[reply.name] = reply
    if not found:
        raise ValueError(f"{path}: replies, got none; expected at least one")
    return list(found.values())


@functools.cache
def all_questions() -> dict[str, dict[str, Any]]:
    """The questions of the default draw by id."""
    knowledge = default_drawer().knowledge
    tables = (question_table(pairs, knowledge) for pairs in draw())
    return {row["id"]: row for table in tables for row in table.to_pylist()}


def audited(replies: Sequence[Reply], seed: int) -> list[Reply]:
    """At most 400 replies, of each condition and question type in turn.

    A ValueError where one is to no question of the default draw.
    """
    strata: dict[tuple[str, str], list[Reply]] = {}
    for reply in shuffled(replies, "centerbench audit", DRAW, seed):
        if reply.id not in all_questions():
            raise ValueError(f"reply, got id {reply.id!r}; expected one of config questions")
        row = all_questions()[reply.id]
        strata.setdefault((row["question_type"], row["condition"]), []).append(reply)
    found: list[Reply] = []
    while len(found) < min(AUDITED, len(replies)):
        left = [strata[name] for name in sorted(strata) if strata[name]]
        found += [replies.pop(0) for replies in left[: AUDITED - len(found)]]
    return found


def audit_form(path: Path) -> RatingForm:
    """The form about the replies of a file; a round is two people for every sheet of 100."""
    replies = read_replies(path)
    n_sheets = -(-min(AUDITED, len(replies)) // PER_SHEET)

    def deal(seed: int, sheet: int) -> list[FormItem]:
        """The items of a sheet, mixed by its seed."""
        items = []
        for reply in audited(replies, seed)[sheet % n_sheets :: n_sheets]:
            row = all_questions()[reply.id]
            facts = [row["question"], row["answer"], reply.answer]
            content = {"text": row["sentence"], "facts": facts, "options": "shared"}
            items.append(FormItem(reply.name, "choose", content))
        return shuffled(items, "centerbench audit", DRAW, seed, sheet)

    return _form("scorer-audit", deal, n_sheets, 2 * n_sheets, 25)


def _form(name: str, deal: Any, n_sheets: int, n_raters: int, minutes: int) -> RatingForm:
    return RatingForm("centerbench", name, VERSION, "en", n_sheets, n_raters, minutes, TEXTS, deal)


FORMS = (
    _form("pilot", pilot, len(CELLS), 24, 10),
    _form("reading", reading, 2 * len(CELLS), 32, 30),
    _form("plausibility", plausibility, RATED_PAIRS, 30, 12),
)
FORMS_ABOUT_FILES = {"scorer-audit": audit_form}
