"""Finds the forms: a suite with a module that has `FORMS` asks people."""

import importlib
from pathlib import Path
from types import ModuleType

from builders.forms import RatingForm
from ground.found import found
from ground.paths import ROOT


def form_modules() -> list[ModuleType]:
    """The suites' modules of forms, in the order of their names."""
    names = found(ROOT / "builders", "FORMS")
    return [importlib.import_module(f"builders.{name}") for name in names]


def forms() -> list[RatingForm]:
    """All forms that ask about rows of a suite."""
    return [form for module in form_modules() for form in module.FORMS]


def forms_about_files() -> list[str]:
    """Full names of the forms that ask about a file, such as stored answers of models."""
    return [
        f"{module.__name__.split('.')[1]}-{name}"
        for module in form_modules()
        for name in getattr(module, "FORMS_ABOUT_FILES", {})
    ]


def overview() -> list[dict[str, object]]:
    """Every form with what a round of it takes, a row each."""
    rows: list[dict[str, object]] = [
        {"form": f.full_name, "asks": f.settings()["title"]["en"], "raters": f.n_raters}
        | {"minutes": f.minutes, "sheets": f.n_sheets}
        for f in forms()
    ]
    return rows + [{"form": name, "asks": "about a file: --about"} for name in forms_about_files()]


def find_form(name: str, about: Path | None = None) -> RatingForm:
    """A form by its full name, such as `eras-ranking`, and the file that some ask about."""
    known = {form.full_name: form for form in forms()}
    if name not in (every := [*known, *forms_about_files()]):
        raise ValueError(f"form, got {name!r}; expected one of {', '.join(every)}")
    if (about is None) != (name in known):
        wanted = "none" if name in known else "the file that it asks about"
        raise ValueError(f"{name}: about, got {about or 'none'}; expected {wanted}")
    if about is None:
        return known[name]
    suite, _, rest = name.partition("-")
    module = next(module for module in form_modules() if module.__name__.split(".")[1] == suite)
    made: RatingForm = module.FORMS_ABOUT_FILES[rest](about)
    return made
