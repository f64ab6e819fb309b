"""What the commands of push.py take: the options of each, declared once, and whom each is for."""

import argparse
from collections.abc import Collection
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Any

from builders.suites import suites_with
from ground.command_line import file, folder, to_argparse
from metrics._shared.option_fields import option


def positional(help: str, metavar: str | None, **rule: Any) -> Any:
    """Field of a word that a command must be given."""
    return option(MISSING, help, metavar=metavar, is_positional=True, **rule)


def out_option(default: str = "hub", help: str = "where built folders lie") -> Any:
    """Field `out`, a folder."""
    return option(Path(default), help, parse=folder)


def names_option(**rule: Any) -> Any:
    """Field `names`, suites and metrics."""
    return option((), "suites, metrics and leaderboard (default: all)", metavar="NAME", **rule)


def trust_option() -> Any:
    """Field `trust`."""
    return option(False, "also what was built elsewhere, or holds rows that cannot be made again")


def endpoint_option() -> Any:
    """Field `endpoint`, the address of a Hub."""
    return option(None, "another Hub than huggingface.co", metavar="URL")


@dataclass
class Folders:
    """Which folders, and where they lie."""

    names: tuple[str, ...] = names_option(many="*", is_positional=True)
    out: Path = out_option()


@dataclass
class BuildCommand(Folders):
    """Build suites and stage metrics into hub/."""

    views: bool = option(
        False, "add the training views, whose train and test have nothing in common"
    )
    commit: bool = option(
        False, "keep --seed secret: write the draw without it into private/, and a hash to publish"
    )


@dataclass
class CheckCommand(Folders):
    """Check what was built, then load it back in a fresh process outside the repository."""

    again: bool = option(
        False, "make all again, also what was made here or passed and has not changed"
    )


@dataclass
class AttestCommand(Folders):
    """State what the built folders were made of, signed where a key is given."""

    key: Path | None = option(None, "sign by this private key, PEM", metavar="PEM", parse=file)
    verify: Path | None = option(
        None, "compare with what was signed by this public key", metavar="PEM", parse=file
    )


@dataclass
class ExportCommand:
    """A split of a suite as JSON or as its field has it."""

    name: str = positional("a suite", "NAME")
    format: str = option(MISSING, "json, or one of the suite's own formats")
    config: str | None = option(None, "one of its configs (default: its default one)")
    split: str | None = option(None, "one of its splits (default: the only one)")
    to: Path | None = option(None, "default: standard output", parse=file)


@dataclass
class TasksCommand:
    """Write the tasks of a harness as a folder that needs no clone, or as a pull request."""

    tool: str = positional(
        "a folder of integrations/, or with --upstream of integrations/upstream/", "TOOL"
    )
    out: Path = out_option()
    to: Path = out_option("tasks", "where the files go")
    upstream: str = option(
        "", "the files of a pull request, for suites that NS has published", metavar="NS"
    )


@dataclass
class InstallCommand(Folders):
    """Make bare names work on this machine: load_dataset(NAME), evaluate.load(NAME)."""

    remove: bool = option(False, "take away what an earlier install put into the caches")
    trust: bool = trust_option()


@dataclass
class PushCommand:
    """Show what would change on the Hub; with --yes, publish it."""

    namespace: str = option(
        MISSING, "the user or organisation that owns the repositories", metavar="NS"
    )
    names: tuple[str, ...] = names_option(many="+", flags=("--only",))
    out: Path = out_option()
    yes: bool = option(False, "do it; without, nothing is sent")
    private: bool = option(False, "repositories that are created are private")
    create_pr: bool = option(False, "open a pull request per repository instead of committing")
    space_sdk: str | None = option(
        None,
        "what the metrics' pages run on (default: what they have, gradio for new ones)",
        choices=("gradio", "static"),
    )
    accept_unlicensed: bool = option(
        False, "publish released editions whose source states no licence"
    )
    delete_foreign: bool = option(
        False, "delete files that others put into the repositories; they are kept otherwise"
    )
    trust: bool = trust_option()
    verbose: bool = option(False, "list every file", flags=("-v", "--verbose"))
    endpoint: str | None = endpoint_option()


@dataclass
class ResultCommand:
    """Write a result for the Hub; with --yes, open a pull request on its model."""

    file: Path = positional("what `compute` returned", "RESULT.json", parse=file)
    model: str = option(MISSING, "owner/name on the Hub", metavar="NAME")
    namespace: str | None = option(
        None, "owner of the suite's repository (default: the login)", metavar="NS"
    )
    out: Path = out_option("results", "where the files are written")
    yes: bool = option(False, "open the pull request")
    endpoint: str | None = endpoint_option()


@dataclass
class RevealCommand:
    """Compare a draw with the commitment that was published before it."""

    file: Path = positional("NAME.commitment.json", "COMMITMENT", parse=file)
    salt: str = option("", "what was published with --rows")


@dataclass
class Revealed:
    """What `reveal` compares: one of them."""

    seed: int | None = option(None, "draw it again; prints the salt", metavar="SECRET", parse=int)
    rows: Path | None = option(None, "the published folder of the suite", parse=folder)


@dataclass
class WheelCommand:
    """Build the package that users install, from hub/ and this tree: wheel and sdist."""

    out: Path = out_option()
    to: Path = out_option("dist", "where the two files go")


@dataclass
class NewCommand:
    """Write the skeleton of a metric."""

    what: str = positional("what to begin", None, choices=("metric",))
    name: str = positional("lower case with underscores", "NAME")
    cites: str = option(
        "liu-prudhommeaux-2022-data", "the paper's key in cards/references.bib", metavar="KEY"
    )


@dataclass
class FormCommand:
    """Forms for people: pages, or a Space of them."""

    name: str | None = option(
        None, "without: which forms there are", metavar="NAME", many="?", is_positional=True
    )
    raters: int | None = option(None, "default: what a round needs", parse=int)
    seed: int = option(0, "which draw of the form")
    out: Path = out_option("forms", "where the pages go, and where --forget looks for answers")
    about: Path | None = option(None, "what a form about a file is about", parse=file)
    space: str | None = option(
        None, "write a Space instead, whose answers go into this data set", metavar="NS/DATASET"
    )
    forget: str | None = option(None, "delete the answers of a rater", metavar="NUMBER")
    dataset: str | None = option(None, "delete them from a Space's data set", metavar="NS/DATASET")
    endpoint: str | None = endpoint_option()


FOR_USERS: tuple[type, ...] = (InstallCommand, ExportCommand, ResultCommand, TasksCommand)
FOR_MAKERS: tuple[type, ...] = (
    *(BuildCommand, CheckCommand, AttestCommand, PushCommand),
    *(RevealCommand, NewCommand, FormCommand, WheelCommand),
)


def command_parsers(description: str) -> tuple[argparse.ArgumentParser, dict[str, Any]]:
    """Parser of push.py, and those of its commands by name; `--help` shows them in two groups."""
    listed = [
        "\n".join([f"{title}:", *(f"  {_name(one):9}{one.__doc__}" for one in found)])
        for title, found in (("for users", FOR_USERS), ("for makers", FOR_MAKERS))
    ]
    form, end = argparse.RawDescriptionHelpFormatter, "\n\n".join(listed)
    parser = argparse.ArgumentParser("push.py", None, description, end, formatter_class=form)
    shown = {"metavar": "COMMAND", "help": "see below"}
    commands = parser.add_subparsers(dest="command", required=True, **shown)
    made = {}
    for declared in (*FOR_USERS, *FOR_MAKERS):
        name = _name(declared)
        made[name] = commands.add_parser(name, description=declared.__doc__)
        to_argparse(made[name], declared)
    to_argparse(made["reveal"].add_mutually_exclusive_group(required=True), Revealed)
    return parser, made


def released_extras(names: Collection[str]) -> list[str]:
    """Extras that the authors' rows of these suites need, by their `suite.toml`."""
    found = suites_with("released_extra")
    return [str(extra) for suite, extra in found.items() if suite in names]


def _name(declared: type) -> str:
    return declared.__name__.removesuffix("Command").lower()
