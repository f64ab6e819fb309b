"""The systems of the laboratory: those that a user can name, and those that a figure needs.

cut-nowhere            a null system of `nulls.py`
trained:..., crf:...   what is trained here; see `KINDs/loaders.py`
"""

import functools
import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from garden_path.models.registry import FUNCTION, Registry, homes_in
from garden_path.models.system import Loader
from research.systems.nulls import null_functions

NULL_VERSION = "1"  # of the functions of nulls; a null that answers otherwise needs another


class Laboratory(Registry):
    """The kinds of a user and those of this folder, with more loaders of each, and the nulls."""

    @functools.cached_property
    def homes(self) -> Mapping[str, str]:
        """Module of each kind; what learns is a kind of the laboratory."""
        return homes_in("garden_path.models") | homes_in("research.systems")

    def loaders(self, kind: str) -> dict[str, Loader]:
        """How the systems of a kind are loaded: as a user's, or as `KINDs/loaders.py` says."""
        table = super().loaders(kind)
        if (Path(__file__).parent / f"{kind}s" / "loaders.py").is_file():
            table |= importlib.import_module(f"research.systems.{kind}s.loaders").LOADERS
        return table

    def load(self, kind: str, text: str, **settings: Any) -> Any:
        """A system of a kind by its name, see `Registry.load`; also a null."""
        if (null := null_functions(kind).get(text)) is None:
            return super().load(kind, text, **settings)
        made = self.made_settings(kind, settings)
        return self.home(kind).of_function(text, NULL_VERSION, null, made)

    def known(self, kind: str) -> tuple[str, ...]:
        """All ways to name a system of a kind, nulls before a function of one's own."""
        return (*super().known(kind)[:-1], *null_functions(kind), FUNCTION)


LABORATORY = Laboratory()
kinds = LABORATORY.kinds
load = LABORATORY.load
known = LABORATORY.known
settings_of = LABORATORY.settings_of
