"""One page about a system: what it scores, what a shortcut alone scores, and what misled it.

    given      which tests fit a model's name or a file, and their results
    sections   a result as plain data: all that a page shows
    mistakes   the items that it got wrong, and the fact of the row that misled it
    page       the data as HTML, one file; drawing: its lines, as SVG
    text       the data as Markdown

What the JSON has is what the two pages are made from. The package is called as what it does:
`garden_path.report("jieba", "report")`.
"""

import sys
from types import ModuleType
from typing import Any


class _Report(ModuleType):
    def __call__(self, given: str, out: Any = "report", **options: Any) -> Any:
        """Writes a report of a model's name or a file into a folder; returns the results."""
        from garden_path.report.__main__ import write_report
        from garden_path.report.given import find_results

        found = find_results([given], **options)
        write_report(found, out, hub=options.get("hub"))
        return [one.result for one in found.scored]


sys.modules[__name__].__class__ = _Report
