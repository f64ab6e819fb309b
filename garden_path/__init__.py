"""Does a language system read structure, or does it take a shortcut?

rows = garden_path.load("eras", "simplified_lite")
result = garden_path.score("eras", "words.txt")   # a file, a list, or a system by name
print(result)                                     # four lines; the whole is a dict
garden_path.compare(result, "other.json")         # on the same items
garden_path.report("jieba", "report")             # one page, on every suite that fits
garden_path.rank("scores.csv")                    # is the winner real?
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from garden_path import rank as rank
    from garden_path import report as report
    from garden_path.rank.comparison import ComparedPair as ComparedPair
    from garden_path.rank.comparison import compare as compare
    from garden_path.rank.report import Ranking as Ranking
    from garden_path.result import Result as Result
    from garden_path.rows import load as load
    from garden_path.scoring import inputs_of as inputs_of
    from garden_path.scoring import score as score

_HOMES = {
    "ComparedPair": "rank.comparison",
    "Ranking": "rank.report",
    "Result": "result",
    "compare": "rank.comparison",
    "inputs_of": "scoring",
    "load": "rows",
    "rank": "rank",
    "report": "report",
    "score": "scoring",
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'garden_path' has no attribute {name!r}")
    home = importlib.import_module(f"garden_path.{_HOMES[name]}")
    return home if name in ("rank", "report") else getattr(home, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
