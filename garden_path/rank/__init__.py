"""Is my winner real? `ranking_generalizability` for scores of any kind.

Files become a table (`sources`, `score_files`), the metric's own maths answers, `report` writes.
What is said of a table is the metric's, the same as in `compute(data=...)` and on its page. The
package is called as what it does: `garden_path.rank("scores.csv")` is `report.rank`.
"""

import sys
from types import ModuleType
from typing import Any


class _Rank(ModuleType):
    def __call__(self, data: Any, *more: Any, **options: Any) -> Any:
        from garden_path.rank.report import rank

        return rank(data, *more, **options)


sys.modules[__name__].__class__ = _Rank
