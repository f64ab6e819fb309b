"""The one command of this project: builds the suites and metrics into `hub/`, checks them, and publishes them.

python push.py build [NAME ...] [--out DIR] [--seed N] [--size N] [--released DIR]
python push.py check [NAME ...] [--out DIR]
python push.py preview [--out DIR] [--port N] [--open]
python push.py install [NAME ...] [--out DIR] [--remove]
python push.py push --namespace NS [--only NAME ...] [--yes]
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ground.markdown import markdown_table

DRAW_OPTIONS = (
    "seed",
    "size",
    "released",
    "fill",
    "model",
    "device",
    "dtype",
    "store",
    "unpaired",
    "exclude",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; gives the exit code, which is not 0 on any problem."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except (ValueError, RuntimeError, FileNotFoundError) as error:
        print(f"push.py {options.command}: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="push.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    build = commands.add_parser("build", help="build suites and stage metrics into hub/")
    _add_common(build)
    build.add_argument(
        "--seed", type=int, help="which draw of the suites' design (default: 0, the published one)"
    )
    build.add_argument(
        "--size",
        type=int,
        help="how large a draw, in the suite's own unit (default: the paper's size); see the suite's card",
    )
    build.add_argument(
        "--released",
        type=Path,
        metavar="DIR",
        help="folder of the authors' files, or download: adds their configs",
    )
    build.add_argument(
        "--fill",
        choices=("mlm", "mlm-mask"),
        help="eras: fill as published, by a masked language model (extra models)",
    )
    build.add_argument(
        "--model", help="eras: name or path of that model, such as bert-base-chinese"
    )
    build.add_argument("--device", help="eras: where that model runs (default: cpu)")
    build.add_argument(
        "--dtype",
        choices=("float32", "bfloat16"),
        help="eras: its number type; bfloat16 may turn close decisions",
    )
    build.add_argument(
        "--store",
        type=Path,
        metavar="DIR",
        help="eras: finished pieces of a filling (default: store/eras_filling)",
    )
    build.add_argument(
        "--unpaired",
        action="store_const",
        const=True,
        help="centerbench: sentences matched by level only, over all relations",
    )
    build.add_argument(
        "--exclude",
        type=Path,
        metavar="FILE",
        help="centerbench: sentences that must not be drawn, one per line or Parquet",
    )
    build.set_defaults(run=_build)
    check = commands.add_parser(
        "check",
        help="check what was built, then load it back in a fresh process outside the repository",
    )
    _add_common(check)
    check.set_defaults(run=_check)
    preview = commands.add_parser(
        "preview", help="show what was built on localhost, as the Hub's viewer would"
    )
    preview.add_argument(
        "--out",
        type=Path,
        default=Path("hub"),
        metavar="DIR",
        help="where built folders lie (default: hub)",
    )
    preview.add_argument(
        "--port", type=int, help="port on localhost (default: the first free one from 7860 on)"
    )
    preview.add_argument("--open", action="store_true", help="open it in the browser")
    preview.set_defaults(run=_preview)
    install = commands.add_parser(
        "install",
        help='make bare names such as load_dataset("eras", "simplified") work on this machine',
    )
    _add_common(install)
    install.add_argument(
        "--remove",
        action="store_true",
        help="take away what an earlier install put into the caches",
    )
    install.set_defaults(run=_install)
    _add_push(
        commands.add_parser(
            "push", help="show what would change on the Hub; with --yes, publish it"
        )
    )
    return parser


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="suites and metrics (default: all)"
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("hub"),
        metavar="DIR",
        help="where built folders lie (default: hub)",
    )


def _add_push(push: argparse.ArgumentParser) -> None:
    push.add_argument(
        "--namespace",
        required=True,
        metavar="NS",
        help="the user or organisation that owns the repositories",
    )
    push.add_argument(
        "--only",
        nargs="+",
        default=[],
        dest="names",
        metavar="NAME",
        help="suites and metrics (default: all)",
    )
    push.add_argument(
        "--out",
        type=Path,
        default=Path("hub"),
        metavar="DIR",
        help="where built folders lie (default: hub)",
    )
    push.add_argument("--yes", action="store_true", help="do it; without, nothing is sent")
    push.add_argument(
        "--private", action="store_true", help="repositories that are created are private"
    )
    push.add_argument(
        "--create-pr",
        action="store_true",
        help="open a pull request per repository instead of committing",
    )
    push.add_argument(
        "--space-sdk",
        choices=("gradio", "static"),
        default="gradio",
        help="what the metrics' pages run on (default: gradio)",
    )
    push.add_argument(
        "--accept-unlicensed",
        action="store_true",
        help="publish released editions whose source states no licence",
    )
    push.add_argument("--endpoint", metavar="URL", help="another Hub than huggingface.co")
    push.set_defaults(run=_push)


def _names(options: argparse.Namespace) -> list[str]:
    from dataset_scripts.registry import suite_names
    from publish.metrics import metric_names

    known = suite_names() + metric_names()
    for name in options.names:
        if name not in known:
            raise ValueError(f"NAME, got {name!r}; expected some of {', '.join(known)}")
    return options.names or known


def _draw_options(options: argparse.Namespace) -> dict[str, Any]:
    return {
        name: getattr(options, name) for name in DRAW_OPTIONS if getattr(options, name) is not None
    }


def _build(options: argparse.Namespace) -> int:
    from tqdm import tqdm

    from dataset_scripts.registry import suite_names
    from publish.build import build_suite, stage_metric

    rows: list[dict[str, object]] = []
    for name in tqdm(_names(options), desc="build", unit="folder"):
        if name in suite_names():
            provenance = build_suite(name, options.out, _draw_options(options))
            rows += [
                {"built": name, "what": key, "rows": n, "version": provenance["version"]}
                for key, n in provenance["rows"].items()
            ]
        else:
            provenance = stage_metric(name, options.out)
            rows.append(
                {"built": name, "what": "metric", "rows": None, "version": provenance["version"]}
            )
    print(markdown_table(rows))
    return 0


def _check(options: argparse.Namespace) -> int:
    from publish.check import check

    names = _names(options)
    problems = check(options.out, names)
    print(
        "\n".join(problems)
        if problems
        else f"{len(names)} folders of {options.out} are in order and load from outside the repository."
    )
    return 1 if problems else 0


def _preview(options: argparse.Namespace) -> int:
    from publish.preview import launch

    launch(options.out, options.port, opens_browser=options.open)
    return 0


def _install(options: argparse.Namespace) -> int:
    from publish.install import install, remove

    folders = remove(_names(options)) if options.remove else install(options.out, _names(options))
    done = "removed" if options.remove else "installed"
    rows = [{done: name, "folder": path} for name, paths in folders.items() for path in paths]
    print(markdown_table(rows) if rows else "None of these was installed.")
    return 0


def _push(options: argparse.Namespace) -> int:
    from huggingface_hub import HfApi

    from publish.upload import PushOptions, describe, plan_push, push

    api = HfApi(endpoint=options.endpoint)
    how = PushOptions(
        options.namespace,
        options.space_sdk,
        options.private,
        options.create_pr,
        options.accept_unlicensed,
    )
    plans = plan_push(api, options.out, _names(options), how)
    print(describe(api, plans, how))
    if options.yes:
        print("\n".join(push(api, plans, how)))
    else:
        print("Nothing was sent. Add --yes to do it.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
