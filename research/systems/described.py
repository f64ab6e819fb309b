"""Systems as a driver needs them: name, version and what else is told of them, nothing loaded.

Another process loads the system, tells what it is and ends. What computes is loaded here only if it
is called after all.
"""

import dataclasses
import pickle
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any

from garden_path.models.system import System
from research.engine.work import Workers, run
from research.systems.registry import load

LIGHT = 1000  # bytes of a function with what it holds


@dataclasses.dataclass
class LaterSystem:
    """A system that is loaded, by `make`, when it is first used."""

    make: Callable[[], Any]

    @cached_property
    def system(self) -> Any:
        """The loaded system."""
        return self.make()

    def call(self, name: str, *given: Any) -> Any:
        """What the loaded system's own function of this name gives."""
        return getattr(self.system, name)(*given)


def described(kind: str, text: str, settings: Mapping[str, Any]) -> Any:
    """A system by name, as `load` gives it, but loaded only when it is asked to do something.

    Loaded here after all where it has no batches, since it then answers here, where what is told of
    it cannot be carried over, and where loading fails, which then is an error of this process. The
    device is left out while it is looked at.
    """
    asked = {name: value for name, value in settings.items() if name != "device"}
    (outcome,) = run([(text, (kind, text, asked, dict(settings)))], Workers(1), describe)
    system = outcome.result
    return load(kind, text, **settings) if system is None or not system.batch_size else system


def describe(asked: tuple[str, str, dict[str, Any], dict[str, Any]]) -> System:
    """A system with all that can be carried to another process; what cannot is loaded there."""
    kind, text, here, there = asked
    system: System = load(kind, text, **here)
    later = LaterSystem(partial(load, kind, text, **there))
    fields = {field.name: getattr(system, field.name) for field in dataclasses.fields(system)}
    moved: dict[str, Any] = {
        name: partial(later.call, name)
        for name, value in fields.items()
        if callable(value) and not _is_light(value)
    }
    return dataclasses.replace(system, **moved)


def _is_light(value: Any) -> bool:
    """Whether a function can be carried over as it is: it holds no model."""
    try:
        return len(pickle.dumps(value)) <= LIGHT
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
