"""Commands of push.py about results and private draws; what they need is imported when they run."""

import argparse
from collections.abc import Sequence
from pathlib import Path


def add_result(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `push.py result`."""
    result = commands.add_parser(
        "result", help="write a result for the Hub; with --yes, open a pull request on its model"
    )
    result.add_argument("file", type=Path, metavar="RESULT.json", help="what `compute` returned")
    result.add_argument("--model", required=True, metavar="NAME", help="owner/name on the Hub")
    result.add_argument(
        "--namespace", metavar="NS", help="owner of the suite's repository (default: the login)"
    )
    result.add_argument(
        "--out",
        type=Path,
        default=Path("results"),
        metavar="DIR",
        help="where the files are written (default: results)",
    )
    result.add_argument("--yes", action="store_true", help="open the pull request")
    result.add_argument("--endpoint", metavar="URL", help="another Hub than huggingface.co")
    result.set_defaults(run=_result)


def _result(options: argparse.Namespace) -> int:
    from huggingface_hub import HfApi

    from publish.sharing import open_pull_request, own_namespace, write_files

    api = HfApi(endpoint=options.endpoint)
    namespace = options.namespace or own_namespace(api)
    sharing = write_files(options.file, options.model, namespace, options.out)
    print("\n".join(f"written: {path}" for path in sharing.files))
    print(f"{sharing.title}: {sharing.result.value:.4f}; {sharing.result.notes}")
    if options.yes:
        print(open_pull_request(api, sharing))
    else:
        print(f"Nothing was sent. --yes opens a pull request on {options.model}.")
    return 0


def private_folder(out: Path, names: Sequence[str], suites: Sequence[str]) -> Path:
    """Where private draws go: not where what is published lies.

    Raises:
        ValueError: A metric is among the names, which has no draw.
    """
    if metrics := [name for name in names if name not in suites]:
        raise ValueError(
            f"--commit, got it for {metrics[0]}; expected suites: metrics have no draw"
        )
    return Path("private") if out == Path("hub") else out


def add_reveal(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `push.py reveal`."""
    reveal = commands.add_parser(
        "reveal", help="compare a draw with the commitment that was published before it"
    )
    reveal.add_argument("file", type=Path, metavar="COMMITMENT", help="NAME.commitment.json")
    given = reveal.add_mutually_exclusive_group(required=True)
    given.add_argument("--seed", type=int, metavar="SECRET", help="draw it again; prints the salt")
    given.add_argument("--rows", type=Path, metavar="DIR", help="the published folder of the suite")
    reveal.add_argument("--salt", default="", help="what was published with --rows")
    reveal.set_defaults(run=_reveal)


def _reveal(options: argparse.Namespace) -> int:
    from publish.commitment import verify_rows, verify_seed

    if options.rows is not None:
        verify_rows(options.file, options.rows, options.salt)
        print(f"{options.rows}: the rows that {options.file} was made of.")
        return 0
    salt = verify_seed(options.file, options.seed)
    print(f"{options.file}: made of this draw. Whoever has its rows compares them with")
    print(f"python push.py reveal {options.file} --rows DIR --salt {salt}")
    return 0
