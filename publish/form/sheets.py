"""Writes forms for people: one HTML file per rater, or a Space; deletes a rater's answers.

A file works without a network or a server and forbids itself both.
"""

import importlib
import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import Any

import jinja2

from builders.forms import RatingForm
from ground.files import write_whole
from ground.found import found
from ground.paths import ROOT
from ground.tables import read_settings, read_text
from metrics._shared.plain_text import lines_of
from publish.build.cards import assemble_card
from publish.build.pages import card_with_sdk

TEMPLATE = ROOT / "publish" / "form"
SPACE_FILES = ("app.py", "form.js", "form.css", "space.js", "requirements.txt")
MINUTES = 1  # between two commits of a Space
GONE, BROKEN = "forgotten.txt", ".broken"  # as in `publish/form/app.py`


def sheet_content(form: RatingForm, seed: int, number: int) -> dict[str, Any]:
    """What the page of one rater needs; right answers are told only of pages that say them."""
    settings = dict(form.settings())
    for name in ("practice", "comprehension", "attention"):
        settings.pop(name, None)
    pages = [asdict(item) for item in form.sheet(seed, number)]
    for page in pages:
        if page["role"] not in ("practice", "comprehension"):
            del page["expected"]
    told = {"form": form.full_name, "version": form.version, "seed": seed, "sheet": number}
    shown = {"texts": read_settings(TEMPLATE / "texts.toml"), "settings": settings, "pages": pages}
    return {**told, "language": form.language, "minutes": form.minutes, **shown}


def sheet_page(form: RatingForm, seed: int, number: int) -> str:
    """One HTML page that asks the items of a sheet and needs nothing else."""
    content = sheet_content(form, seed, number)
    sheet = json.dumps(content, ensure_ascii=False).replace("<", "\\u003c")
    parts = {"language": form.language, "title": form.settings()["title"]["en"], "sheet": sheet}
    ends = {"style": "css", "script": "js", "template": "html"}
    parts |= {name: (TEMPLATE / f"form.{end}").read_text("utf-8") for name, end in ends.items()}
    template = parts.pop("template")
    return jinja2.Environment(undefined=jinja2.StrictUndefined).from_string(template).render(parts)


def write_sheets(form: RatingForm, n_raters: int, seed: int, folder: Path) -> Iterator[Path]:
    """One file per rater, `<form>-<seed>-<number>.html`; gives each path as it is written."""
    for number in range(n_raters):
        path = folder / f"{form.full_name}-{seed}-{number + 1:03d}.html"
        write_whole(path, sheet_page(form, seed, number))
        yield path


def write_space(
    form: RatingForm, n_raters: int, seed: int, folder: Path, dataset: str
) -> list[Path]:
    """Writes a Space of a form that gives away `n_raters` sheets before it begins anew."""
    title = form.settings()["title"]["en"]
    sheets = [sheet_content(form, seed, number) for number in range(n_raters)]
    settings = {"dataset": dataset, "title": title, "minutes": MINUTES}
    lines = [f"{name} = {json.dumps(value)}\n" for name, value in settings.items()]
    card = (TEMPLATE / "card.md.txt").read_text(encoding="utf-8")
    card = card.format(form=form.full_name, dataset=dataset)
    texts = {
        "sheets.json": json.dumps(sheets, ensure_ascii=False),
        "space.toml": "".join(lines),
        "README.md": card_with_sdk(assemble_card({"title": title}, card), "gradio"),
    }
    for name, text in texts.items():
        write_whole(folder / name, text)
    contract = ROOT / "metrics" / "_shared" / "plain_text.py"
    copied = [*(TEMPLATE / name for name in SPACE_FILES), contract]
    for path in copied:
        shutil.copyfile(path, folder / path.name)
    return [folder / name for name in (*texts, *(path.name for path in copied))]


def forget(number: str, folder: Path) -> list[Path]:
    """Deletes a rater's answers from all files of answers in a folder; gives the files."""
    found = []
    endings = (".jsonl", BROKEN)  # of lines that were set aside, too
    for path in sorted(path for ending in endings for path in folder.rglob(f"*{ending}")):
        lines = lines_of(read_text(path, is_normalized=False))
        kept = [line for line in lines if not _is_of(line, number)]
        if len(kept) == len(lines):
            continue
        found.append(path)
        if kept:
            write_whole(path, "".join(f"{line}\n" for line in kept))
        else:
            path.unlink()
    if not found:
        raise ValueError(f"--forget, got {number!r}; expected a rater with answers in {folder}")
    check_forgotten(number, folder)
    return found


def check_forgotten(number: str, folder: Path) -> None:
    """A ValueError where a file of a folder, `forgotten.txt` apart, still has a rater's number."""
    alone = re.compile(rb"(?<!\w)" + re.escape(number.encode()) + rb"(?!\w)")
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != GONE]
    if places := [
        str(path) for path in files if path.stem == number or alone.search(path.read_bytes())
    ]:
        got = f"--forget: {number}, got it still in {', '.join(places[:5])}"
        advice = "delete by hand what another rater or another program wrote of it"
        raise ValueError(f"{got}; expected it nowhere: {advice}")


def _is_of(line: str, number: str) -> bool:
    """Whether a line is an answer of a rater, or no answer and holds the rater's number."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    return record.get("rater") == number if isinstance(record, dict) else number in line


def forget_on_hub(number: str, dataset: str, endpoint: str | None = None) -> str:
    """Deletes a rater's answers from a Space's data set, from its history too.

    The number itself is kept in `forgotten.txt`, so that an open page does not send them again.
    """
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi
    from huggingface_hub.errors import EntryNotFoundError

    api = HfApi(endpoint=endpoint)
    path = f"answers/{number}.jsonl"
    if not api.file_exists(dataset, path, repo_type="dataset"):
        raise ValueError(f"--forget, got {number!r}; expected a rater with answers in {dataset}")
    try:
        file = api.hf_hub_download(dataset, GONE, repo_type="dataset")
        known = Path(file).read_text(encoding="utf-8")
    except EntryNotFoundError:
        known = ""
    broken = f"answers/{number}{BROKEN}"
    paths = [path] + [broken] * api.file_exists(dataset, broken, repo_type="dataset")
    operations: list[Any] = [CommitOperationDelete(path_in_repo=one) for one in paths]
    operations.append(CommitOperationAdd(GONE, f"{known}{number}\n".encode()))
    api.create_commit(dataset, operations, commit_message="Forget a rater", repo_type="dataset")
    api.super_squash_history(dataset, repo_type="dataset", commit_message="Answers")
    with tempfile.TemporaryDirectory() as place:
        where: dict[str, Any] = {"repo_type": "dataset", "local_dir": place}
        api.snapshot_download(dataset, **where, allow_patterns="answers/*")
        check_forgotten(number, Path(place) / "answers")
    return f"deleted: {path} of {dataset}, and the history that had it"


def form_modules() -> dict[str, ModuleType]:
    """The modules of forms by suite, in the order of their names."""
    names = found(ROOT / "builders", "FORMS")
    return {name.split(".")[0]: importlib.import_module(f"builders.{name}") for name in names}


def forms() -> list[RatingForm]:
    """All forms that ask about rows of a suite."""
    return [form for module in form_modules().values() for form in module.FORMS]


def forms_about_files() -> dict[str, Callable[[Path], RatingForm]]:
    """What makes a form about a file, such as stored answers of models, by the form's full name."""
    return {
        f"{suite}-{name}": make
        for suite, module in form_modules().items()
        for name, make in getattr(module, "FORMS_ABOUT_FILES", {}).items()
    }


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
    known, about_files = {form.full_name: form for form in forms()}, forms_about_files()
    if name not in (every := [*known, *about_files]):
        raise ValueError(f"form, got {name!r}; expected one of {', '.join(every)}")
    if (about is None) != (name in known):
        wanted = "none" if name in known else "the file that it asks about"
        raise ValueError(f"{name}: about, got {about or 'none'}; expected {wanted}")
    return known[name] if about is None else about_files[name](about)
