"""A report as Markdown, for a README or a discussion."""

from collections.abc import Iterable

from garden_path.report import QUESTION
from garden_path.report.page import KINDS, Data, percent, reach
from ground.markdown import markdown_table

MARKS = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_{}[]()<>#|!~@&$"})


def as_markdown(report: Data) -> str:
    """The report, see `garden_path.report.sections`; every given text is escaped."""
    parts = [f"# {plain(report['system'])}\n\n{QUESTION}\n"]
    parts += [_section(one) for one in report["sections"]]
    return "\n".join([*parts, _list("Not scored", map(plain, report["left_out"]))]).rstrip() + "\n"


def plain(text: str) -> str:
    """A text that no reader of Markdown takes for marks, links or HTML, on one line."""
    return " ".join(text.split()).translate(MARKS)


def _section(one: Data) -> str:
    lines = [
        {
            "line": plain(line["name"]),
            "kind": KINDS.get(line["kind"], line["kind"]),
            one["measure"]: f"{percent(line['score'])} {reach(line)}".strip(),
            "what it does": plain(line["says"]),
        }
        for line in one["lines"]
    ]
    parts = [_table(part["by"], part["title"], part["rows"]) for part in one["parts"]]
    mistakes = [_mistake(m) for m in one["mistakes"]]
    text = [f"## {one['suite']} {one['test']}", one["asks"], f"**{plain(one['conclusion'])}**"]
    text += [markdown_table(lines).rstrip(), *parts]
    text.append(_list(f"What misled it: {len(mistakes)} of {one['n_wrong']:,}", mistakes))
    text.append(_list("May not be concluded", map(plain, one["not_concluded"])))
    how = (f"{name}: {plain(said)}" for name, said in one["how"].items() if said)
    return "\n\n".join(filter(None, [*text, _list("To get the same again", how)])) + "\n"


def _mistake(one: Data) -> str:
    text = plain("".join(piece for piece, _ in one["text"]))
    right = f"right: {plain(one['right'])}; " if one["right"] else ""
    read = f"{right}read: {plain(one['read'])}".rstrip(".")
    return " ".join(filter(None, [text, plain(one["asked"]), f"{read}.", plain(one["misled"])]))


def _table(by: str, title: str, rows: Iterable[Data]) -> str:
    cells = [
        {by: plain(row["group"]), title: f"{percent(row['score'])} {reach(row)}"} for row in rows
    ]
    return markdown_table(cells).rstrip()


def _list(title: str, lines: Iterable[str]) -> str:
    items = "".join(f"- {line}\n" for line in lines)
    return items and f"### {title}\n\n{items}".rstrip()
