"""How the one reader of replies decides on the forms in which families of models answer.

    python -m research centerbench replies

Our own right and wrong answers, put into the frames of `data/reply_frames.tsv` and the marks of
every family of `data/reply_families.toml`, for all five suites: nobody's text but ours. A
wrong reply is a frame that takes the answer back, or a right one with the right and the wrong
answer exchanged, so that the right one stands where it does not count: in the reasoning, struck
out, in a next turn.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from dataset_scripts.registry import split_table
from ground.markdown import markdown_table
from ground.tables import read_settings, read_table
from metrics._shared.reply_answers import chosen_text, cut_text
from metrics.matched_pair_accuracy.decisions import decide
from research.studies.published_tables import DATA
from research.studies.report import Shown
from research.studies.study import Options, Run, Study

NO_FAMILY = "(no marks)"
N_FRAMES = 6  # of all frames, those that each family has inside its marks, in turn
CUT = ("eras", "morphseg")


@dataclass(frozen=True)
class ReplyFamily:
    """One table of reply_families.toml: what a family of models writes around its answers."""

    name: str
    source: str
    model: str = ""
    ends: Sequence[str] = ()
    others: Sequence[str] = ()
    thinking: Sequence[tuple[str, str]] = ()
    answer: Sequence[tuple[str, str]] = ()
    fillers: Sequence[str] = ()


def read_families() -> list[ReplyFamily]:
    """The families, by name."""
    tables = read_settings(DATA / "reply_families.toml")
    return [ReplyFamily(name, **table) for name, table in tables.items()]


@dataclass(frozen=True)
class ReplyFrame:
    """One row of reply_frames.tsv: a way to answer, right or wrong, and the suites that have it."""

    verdict: str
    suite: str
    frame: str
    template: str


@dataclass(frozen=True)
class TableItem:
    """The columns of reply_items.tsv."""

    suite: str
    text: str
    gold: str
    wrong: str


@dataclass(frozen=True)
class ReplyItem(TableItem):
    """One row of reply_items.tsv, or a question of CenterBench: `row`, and `suite` its type."""

    row: Mapping[str, Any] | None = None

    def is_right(self, reply: str) -> bool:
        """What the suite makes of a reply."""
        if self.row is not None:
            return decide(reply, self.row).is_right
        if self.suite in CUT:
            parts = self.gold.replace("-", " ").split()
            return cut_text(reply, self.text) == parts
        chosen = chosen_text(reply, self.text.split("|"))
        return chosen is not None and chosen.rstrip(".") == self.gold

    def has(self, frame: ReplyFrame) -> bool:
        """Whether a frame makes sense of this item."""
        kinds = {
            "choice": ("sorts", "pp_attachment", "agent_identification"),
            "count": ("entity_count",),
        }
        return frame.suite == "all" or self.suite in kinds.get(frame.suite, (frame.suite,))

    def exchanged(self) -> "ReplyItem":
        """The same with the wrong answer for the right one; `is_right` is that of this item."""
        return ReplyItem(self.suite, self.text, self.wrong, self.gold, self.row)

    def filled(self, template: str) -> str:
        """A template with the fields of this item."""
        parts = self.gold.replace("-", " ").split()
        fields = {
            "gold": self.gold,
            "wrong": self.wrong,
            "text": self.text,
            "slashed": "/".join(parts),
            "barred": " | ".join(parts),
            "spaced": " ".join(parts),
            "listed": str(parts),
            "tagged": " ".join(f"{part}/n" for part in parts),
            "lines": "\n".join(f"- {part}" for part in parts),
            "capital": self.gold.capitalize(),
            "nbsp": "\u00a0",
            "zero": "\u200b\ufeff",
            "hard": self.gold.replace("-", "\u2011"),
        }
        return template.replace("\\n", "\n").replace("\\\\", "\\").format(**fields)


class Formed(NamedTuple):
    """A reply of the corpus: whose marks it has, which frame, of which item, and if it is right."""

    family: str
    frame: str
    item: ReplyItem
    reply: str
    is_right: bool


def read_items() -> Iterator[ReplyItem]:
    """Items of the four suites that are read by choice or cut, and one of each CenterBench type."""
    for one in read_table(DATA / "reply_items.tsv", TableItem):
        yield ReplyItem(**vars(one))
    rows = split_table("centerbench", "questions_lite", "test").to_pylist()
    for kind in dict.fromkeys(row["question_type"] for row in rows):
        found = [r for r in rows if r["question_type"] == kind and r["level"] == 2]
        row = found[0]
        others = [one["answer"] for one in found if one["sentence_id"] == row["sentence_id"]]
        wrong = next((text for text in others if text != row["answer"]), "7")
        yield ReplyItem(kind, row["sentence"], row["answer"], wrong, row)


def family_forms(family: ReplyFamily) -> Iterator[tuple[str, str]]:
    """Name and form of a family's marks around `{reply}`, which counts, and `{other}`."""
    end, other = family.ends[0] if family.ends else "", next(iter(family.others), "")
    yield "end", f"{{reply}}{end}"
    yield "turn", f"{family.model}{{reply}}{end}"
    if end and other and family.model:
        yield "next turn", f"{{reply}}{end}\n{other}Next?{end}\n{family.model}{{other}}{end}"
    for start, close in family.thinking:
        yield "reasoning", f"{start}\nIs it {{other}}? No.\n{close}\n\n{{reply}}{end}"
        yield "empty reasoning", f"{start}\n\n{close}\n\n{{reply}}{end}"
        is_alone = "channel" not in start and " " not in start
        if is_alone:
            yield "template opened it", f"Perhaps {{other}}.\n{close}\n\n{{reply}}{end}"
        for opened, closed in family.answer:
            inner = f"{start}Is it {{other}}?{close}\n{opened}{{reply}}{closed}"
            yield "answer in marks", f"{inner}{end if end != closed else ''}"


def corpus() -> Iterator[Formed]:
    """Every reply: frames without marks, families around plain answers, and some of both."""
    frames, items = read_table(DATA / "reply_frames.tsv", ReplyFrame), list(read_items())
    for item in items:
        for frame in frames:
            if item.has(frame):
                is_right = frame.verdict == "right"
                yield from _framed(NO_FAMILY, "{reply}", item, frame, is_right)
    right = [frame for frame in frames if frame.verdict == "right" and frame.suite == "all"]
    inside = [frame for frame in right if "{wrong}" not in frame.template]
    plain = ReplyFrame("right", "all", "plain", "{gold}")
    for i, family in enumerate(read_families()):
        forms = list(family_forms(family))
        chosen = [inside[(i * N_FRAMES + k) % len(inside)] for k in range(N_FRAMES)]
        for item in items:
            for name, form in forms:
                yield from _framed(family.name, form, item, plain, True, name)
            for k, frame in enumerate(chosen):
                yield from _framed(family.name, forms[k % len(forms)][1], item, frame, True)
            for start, _ in family.thinking:
                reply = f"{start}\nIt must be {item.gold}"
                yield Formed(family.name, "unfinished reasoning", item, reply, False)


def _framed(
    family: str, form: str, item: ReplyItem, frame: ReplyFrame, is_right: bool, name: str = ""
) -> Iterator[Formed]:
    """A reply, and for a right one the same with both answers exchanged, which is wrong."""
    name = name or frame.frame
    for one in (item, item.exchanged())[: 1 + is_right]:
        reply = form.replace("{reply}", one.filled(frame.template)).replace("{other}", one.wrong)
        yield Formed(family, name, item, reply, is_right and one is item)


def errors(found: Sequence[Formed]) -> list[Formed]:
    """Replies that are decided wrongly."""
    return [one for one in found if one.item.is_right(one.reply) != one.is_right]


def score(found: Sequence[Formed], run: Run) -> dict[str, Any]:
    """False rejects and false accepts of each family."""
    asked = Counter((one.family, one.is_right) for one in found)
    missed = Counter((one.family, one.is_right) for one in errors(found))
    return {
        name: {
            "n_right": asked[name, True],
            "false_rejects": missed[name, True],
            "n_wrong": asked[name, False],
            "false_accepts": missed[name, False],
        }
        for name in dict.fromkeys(one.family for one in found)
    }


def show(scored: Mapping[str, Any], options: Options) -> list[Shown]:
    """The table of families."""
    whole = _sum(scored.values())
    clean = {name: p for name, p in scored.items() if not p["false_rejects"] + p["false_accepts"]}
    rest = {name: part for name, part in scored.items() if name not in clean}
    title = "others" if rest else "families"
    parts = {"all": whole, **rest, f"the {len(clean)} {title}": _sum(clean.values())}
    table = [
        {"family": family, **{title: part[name] for name, title in COUNTS.items()}}
        for family, part in parts.items()
    ]
    text = (
        f"{whole['n_right'] + whole['n_wrong']:,} replies of five suites: our own answers in the"
        " marks of each family and in the frames of public logs, right and wrong. They were written"
        " together with the reader, so these are no error rates on a model's replies.\n\n"
        f"{markdown_table(table)}\nThe {title}: {', '.join(clean)}."
    )
    return [Shown(text, {"all": whole, **scored})]


# our name -> title of its column
COUNTS = {"n_right": "right replies", "false_rejects": "false rejects"}
COUNTS |= {"n_wrong": "wrong replies", "false_accepts": "false accepts"}


def _sum(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    found = list(parts)
    return {name: sum(part[name] for part in found) for name in COUNTS}


STUDY = Study.of(__name__, rows=lambda options: list(corpus()), metrics=("matched_pair_accuracy",))
