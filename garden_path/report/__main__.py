"""One page about a model or files: every suite that fits, with what misled it.

    garden-path report jieba --out report/
    garden-path report answers.jsonl --system my-model
    garden-path report sorts/conll_lite/amb=parses.conllu

The folder gets index.html, report.md and report.json.

Example: garden-path report words.txt --out report
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from garden_path.__main__ import add_model
from garden_path.report.given import ScoredTests, find_results
from garden_path.report.sections import report_data
from ground.files import write_whole


def write_report(
    found: ScoredTests, out: str | Path, *, n_mistakes: int = 10, hub: str | None = None
) -> None:
    """Writes the three files of a report into a folder."""
    from garden_path.rank.report import as_json
    from garden_path.report.page import as_html
    from garden_path.report.text import as_markdown

    report = report_data(found, n_mistakes=n_mistakes, hub=hub)
    out = Path(out).expanduser()
    out.mkdir(parents=True, exist_ok=True)
    write_whole(out / "index.html", as_html(report))
    write_whole(out / "report.md", as_markdown(report))
    write_whole(out / "report.json", as_json(report))


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit code."""
    parser = argparse.ArgumentParser(
        "garden-path report",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = "a model's name or a file; also SUITE[/TEST]=NAME_OR_FILE"
    parser.add_argument("given", nargs="+", metavar="MODEL_OR_FILE", help=what)
    parser.add_argument(
        "--out", type=Path, default=Path("report"), metavar="DIR", help="(default: report)"
    )
    parser.add_argument("--system", default="", metavar="NAME", help="how it is called on the page")
    parser.add_argument(
        "--mistakes", type=int, default=10, metavar="N", help="shown of each test (default: 10)"
    )
    parser.add_argument(
        "--hub", metavar="PLACE", help="folder or namespace of the Hub that has the suites"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write report.json here as well")
    names = add_model(parser)
    asked = parser.parse_args(arguments)
    settings = {name: getattr(asked, name) for name in names}
    found = find_results(
        asked.given, system=asked.system, hub=asked.hub, limit=asked.limit, settings=settings
    )
    write_report(found, asked.out, n_mistakes=asked.mistakes, hub=asked.hub)
    if asked.json:
        write_whole(asked.json, (asked.out / "report.json").read_bytes())
    for one in found.scored:
        print(one.result.summary())
    print(f"written: {asked.out / 'index.html'}", file=sys.stderr)
    return 0
