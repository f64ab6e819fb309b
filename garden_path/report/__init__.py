"""One page about a system: what it scores, what a shortcut alone scores, and what misled it.

What the JSON has is what the two pages are made from. The package is called as what it does:
`garden_path.report("jieba", "report")`.
"""

import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from garden_path.report.given import ScoredTests

QUESTION = "Does it read structure, or does it take a shortcut?"
SIGNS = {"index.html": QUESTION, "report.md": QUESTION, "report.json": '"sections": ['}
"""The files of a report, and what each has in it that this program wrote."""


def check_folder(out: str | Path) -> None:
    """Refuses a folder in which a file that is no report has the name of one."""
    out = Path(out).expanduser()
    if out.exists() and not out.is_dir():
        raise ValueError(f"--out, got the file {out}; expected a folder")
    for path in (out / name for name in SIGNS):
        if path.exists() and SIGNS[path.name].encode() not in path.read_bytes():
            raise ValueError(
                f"--out, got {out}, whose {path.name} is not of a report; expected another folder"
            )


def write_report(
    found: "ScoredTests", out: str | Path, *, n_mistakes: int = 10, hub: str | None = None
) -> dict[str, Any]:
    """Writes the three files of a report into a folder; gives what the JSON holds."""
    from garden_path.report.page import as_html
    from garden_path.report.sections import report_data
    from garden_path.report.text import as_markdown
    from ground.files import write_whole
    from ground.outputs import as_json

    report = report_data(found, n_mistakes=n_mistakes, hub=hub)
    out = Path(out).expanduser()
    out.mkdir(parents=True, exist_ok=True)
    write_whole(out / "index.html", as_html(report))
    write_whole(out / "report.md", as_markdown(report))
    write_whole(out / "report.json", as_json(report))
    return report


class _Report(ModuleType):
    def __call__(self, given: str, out: Any = "report", **options: Any) -> Any:
        """Writes a report of a model's name or a file into a folder; returns the results."""
        from garden_path.report.given import find_results

        check_folder(out)
        found = find_results([given], **options)
        write_report(found, out, hub=options.get("hub"))
        return found.scored


sys.modules[__name__].__class__ = _Report
