"""The one command of this project: builds suites and metrics into `hub/`, checks, publishes.

python push.py build [NAME ...] [--out DIR] [--views] [--seed N] [--size N] [--released DIR]
python push.py check [NAME ...] [--out DIR] [--again]
python push.py preview [--out DIR] [--port N] [--open]
python push.py export NAME --format FORMAT [--config CONFIG] [--split SPLIT] [--to FILE]
python push.py install [NAME ...] [--out DIR] [--remove]
python push.py push --namespace NS [--only NAME ...] [--yes]
python push.py build NAME --seed SECRET --commit [--size N] [--out DIR]
python push.py reveal COMMITMENT [--seed SECRET] [--rows DIR --salt SALT]
python push.py result RESULT.json --model NAME [--namespace NS] [--out DIR] [--yes]
python push.py new metric NAME [--cites KEY]
python push.py form NAME [--raters N] [--out DIR] [--space NS/DATASET] | --forget NUMBER
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ground.faults import run_command
from ground.markdown import markdown_table
from publish.commands import add_result, add_reveal, private_folder

LARGEST_PORT = 65_535


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns its exit code, which is not 0 on any problem."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    return run_command(" ".join(["push.py", *given[:1]]), lambda: _run(given))


def _run(arguments: Sequence[str]) -> int:
    options = _parser(arguments).parse_args(arguments)
    return int(options.run(options))


def _parser(arguments: Sequence[str] = ("build",)) -> argparse.ArgumentParser:
    """Parser of all commands; only for `build` are the suites loaded, whose options it takes."""
    parser = argparse.ArgumentParser(
        prog="push.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    build = commands.add_parser("build", help="build suites and stage metrics into hub/")
    _add_build(build)
    export = commands.add_parser("export", help="a split of a suite as JSON or as its field has it")
    _add_export(export)
    drawing = {"build": build, "export": export}
    if drawing.keys() & set(arguments[:1]):
        from dataset_scripts.options import add_options

        add_options(drawing[arguments[0]])
    check = commands.add_parser(
        "check",
        help="check what was built, then load it back in a fresh process outside the repository",
    )
    _add_check(check)
    _add_preview(
        commands.add_parser(
            "preview", help="show what was built on localhost, as the Hub's viewer would"
        )
    )
    _add_install(
        commands.add_parser(
            "install",
            help="make bare names work on this machine: load_dataset(NAME), evaluate.load(NAME)",
        )
    )
    _add_push(
        commands.add_parser(
            "push", help="show what would change on the Hub; with --yes, publish it"
        )
    )
    add_result(commands)
    add_reveal(commands)
    _add_new(commands.add_parser("new", help="write the skeleton of a metric"))
    _add_form(commands.add_parser("form", help="forms for people: pages, or a Space of them"))
    return parser


def _add_build(build: argparse.ArgumentParser) -> None:
    _add_names_and_folder(build)
    build.add_argument(
        "--views",
        action="store_true",
        help="add the training views, whose train and test have nothing in common",
    )
    build.add_argument(
        "--commit",
        action="store_true",
        help="keep --seed secret: write the draw without it into private/, and a hash to publish",
    )
    build.set_defaults(run=_build)


def _add_check(parser: argparse.ArgumentParser) -> None:
    _add_names_and_folder(parser)
    parser.add_argument(
        "--again", action="store_true", help="also builds that passed before and have not changed"
    )
    parser.set_defaults(run=_check)


def _add_names_and_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="suites and metrics (default: all)"
    )
    _add_folder(parser)


def _add_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("hub"),
        metavar="DIR",
        help="where built folders lie (default: hub)",
    )


def _add_preview(preview: argparse.ArgumentParser) -> None:
    _add_folder(preview)
    preview.add_argument(
        "--port", type=_port, help="port on localhost (default: the first free one from 7860 on)"
    )
    preview.add_argument("--open", action="store_true", help="open it in the browser")
    preview.set_defaults(run=_preview)


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= LARGEST_PORT:
        raise argparse.ArgumentTypeError(f"got {text}; expected 1 to {LARGEST_PORT}")
    return int(text)


def _add_export(export: argparse.ArgumentParser) -> None:
    export.add_argument("name", metavar="NAME", help="a suite")
    export.add_argument("--format", required=True, help="json, or one of the suite's own formats")
    export.add_argument("--config", help="one of its configs (default: its default one)")
    export.add_argument("--split", help="one of its splits (default: the only one)")
    export.add_argument("--to", type=Path, metavar="FILE", help="default: standard output")
    export.set_defaults(run=_export)


def _add_install(install: argparse.ArgumentParser) -> None:
    _add_names_and_folder(install)
    install.add_argument(
        "--remove",
        action="store_true",
        help="take away what an earlier install put into the caches",
    )
    install.set_defaults(run=_install)


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
    _add_folder(push)
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
    push.add_argument(
        "--delete-foreign",
        action="store_true",
        help="delete files that others put into the repositories; they are kept otherwise",
    )
    push.add_argument("-v", "--verbose", action="store_true", help="list every file")
    push.add_argument("--endpoint", metavar="URL", help="another Hub than huggingface.co")
    push.set_defaults(run=_push)


def _add_new(new: argparse.ArgumentParser) -> None:
    new.add_argument("what", choices=("metric",), help="what to begin")
    new.add_argument("name", metavar="NAME", help="lower case with underscores")
    new.add_argument(
        "--cites",
        default="liu-prudhommeaux-2022-data",
        metavar="KEY",
        help="the paper's key in cards/references.bib (default: %(default)s)",
    )
    new.set_defaults(run=_new)


def _add_form(form: argparse.ArgumentParser) -> None:
    form.add_argument("name", metavar="NAME", nargs="?", help="without: which forms there are")
    form.add_argument("--raters", type=int, metavar="N", help="default: what a round needs")
    form.add_argument("--seed", type=int, default=0, help="which draw of the form (default: 0)")
    form.add_argument(
        "--out",
        type=Path,
        default=Path("forms"),
        metavar="DIR",
        help="where the pages go, and where --forget looks for answers (default: forms)",
    )
    form.add_argument(
        "--about", type=Path, metavar="FILE", help="what a form about a file is about"
    )
    form.add_argument(
        "--space",
        metavar="NS/DATASET",
        help="write a Space instead, whose answers go into this data set",
    )
    form.add_argument("--forget", metavar="NUMBER", help="delete the answers of a rater")
    form.add_argument("--dataset", metavar="NS/DATASET", help="delete them from a Space's data set")
    form.add_argument("--endpoint", metavar="URL", help="another Hub than huggingface.co")
    form.set_defaults(run=_form)


def _names(options: argparse.Namespace) -> list[str]:
    from dataset_scripts.registry import suite_names
    from publish.metrics import metric_names

    known = suite_names() + metric_names()
    for name in options.names:
        if name not in known:
            raise ValueError(f"NAME, got {name!r}; expected some of {', '.join(known)}")
    return options.names or known


def _export(options: argparse.Namespace) -> int:
    from dataset_scripts.options import given_options
    from publish.export import export, write_export

    draw = given_options(options)
    text = export(options.name, options.format, options.config, options.split, draw)
    write_export(text, options.to)
    return 0


def _build(options: argparse.Namespace) -> int:
    from tqdm import tqdm

    from dataset_scripts.options import given_options
    from dataset_scripts.registry import suite_names
    from publish.build import build_suite, stage_metric

    draw, names, suites = given_options(options), _names(options), suite_names()
    if options.commit:
        options.out = private_folder(options.out, names, suites)
    if draw and not set(names) & set(suites):
        raise ValueError(
            f"--{next(iter(draw))}, got it for {', '.join(names)}; "
            "expected a suite: metrics are not drawn"
        )
    rows: list[dict[str, object]] = []
    dropped: list[str] = []
    for name in tqdm(names, desc="build", unit="folder"):
        if name in suites:
            built = build_suite(
                name, options.out, draw, views=options.views, is_private=options.commit
            )
            dropped += built["dropped_views"]
            counts: dict[str, int | None] = dict(built["rows"])
        else:
            built, counts = stage_metric(name, options.out), {"metric": None}
        rows += [
            {"built": name, "what": what, "rows": n, "version": built["version"]}
            for what, n in counts.items()
        ]
    print("\n".join([markdown_table(rows), *(f"dropped: {line}" for line in dropped)]))
    return 0


def _check(options: argparse.Namespace) -> int:
    from publish.check import check
    from publish.training_views import overlap_text
    from publish.verified import verified_names

    names = _names(options)
    known = [] if options.again else verified_names(options.out, names)
    problems = check(options.out, names, reuses_record=not options.again)
    print("\n\n".join(filter(None, (overlap_text(options.out / name, name) for name in names))))
    print(
        "\n".join(problems)
        if problems
        else f"{len(names)} folders of {options.out} are in order and load from outside the "
        "repository." + (f" {len(known)} had passed before; --again repeats it." if known else "")
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
    if not options.remove:
        print(
            "With HF_HUB_OFFLINE=1 every bare name answers at once; without, after a look online."
        )
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
        options.delete_foreign,
    )
    plans = plan_push(api, options.out, _names(options), how)
    print(describe(api, plans, how, is_verbose=options.verbose))
    if options.yes:
        print("\n".join(push(api, plans, how)))
    else:
        print("Nothing was sent. Add --yes to do it.")
    return 0


def _new(options: argparse.Namespace) -> int:
    from ground.paths import ROOT
    from publish.new import new_metric

    paths = new_metric(options.name, options.cites)
    print("\n".join(f"written: {path.relative_to(ROOT)}" for path in paths))
    print(f"Next: your measure in {paths[3].relative_to(ROOT)}, then CONTRIBUTING.md, recipe 2.")
    return 0


def _form(options: argparse.Namespace) -> int:
    from people.catalogue import find_form, overview
    from publish.forms import forget, forget_on_hub, write_sheets, write_space

    if options.forget and options.dataset:
        print(forget_on_hub(options.forget, options.dataset, options.endpoint))
    elif options.forget:
        for path in forget(options.forget, options.out):
            print(f"deleted: {options.forget} in {path}")
    elif options.name is None:
        print(markdown_table(overview()))
    else:
        form = find_form(options.name, options.about)
        n_raters = form.n_raters if options.raters is None else options.raters
        if n_raters < 1:
            raise ValueError(f"--raters, got {n_raters}; expected at least 1")
        if options.space:
            paths = write_space(form, n_raters, options.seed, options.out, options.space)
            print(f"written: {options.out}, a Space of {len(paths)} files")
        else:
            for path in write_sheets(form, n_raters, options.seed, options.out):
                print(f"written: {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
