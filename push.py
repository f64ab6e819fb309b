"""The one command of this project: builds suites and metrics into `hub/`, checks, publishes."""

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from ground.extras import packages_of, require
from ground.faults import run_command
from ground.markdown import markdown_table
from publish.commands import command_parsers, released_extras

DRAWING = ("build", "export")  # take the options of the suites
EXTRAS = {"attest": ("attest",)}  # beside the extra hub, which all commands need


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns its exit code, which is not 0 on any problem."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    return run_command(" ".join(["push.py", *given[:1]]), lambda: _run(given))


def _run(arguments: Sequence[str]) -> int:
    command = " ".join(["push.py", *arguments[:1]])
    for extra in ("hub", *EXTRAS.get(" ".join(arguments[:1]), ())) if arguments else ():
        require(*packages_of(extra), command=command)
    options = _parser(arguments).parse_args(arguments)
    if getattr(options, "ratings", None):
        require(*packages_of("ratings"), command=f"{command} --ratings")
    for extra in released_extras(_names(options)) if getattr(options, "released", None) else ():
        require(*packages_of(extra), command=f"{command} --released")
    code: int = globals()[f"_{options.command}"](options)
    return code


def _parser(arguments: Sequence[str] = ("build",)) -> argparse.ArgumentParser:
    """Parser of all commands; the suites, whose options it takes, are loaded for draws alone."""
    parser, commands = command_parsers(__doc__)
    if arguments and arguments[0] in DRAWING:
        from dataset_scripts.registry import add_options

        add_options(commands[arguments[0]], arguments[1:])
    return parser


def _names(options: argparse.Namespace, others: Sequence[str] = ("leaderboard",)) -> list[str]:
    from dataset_scripts.registry import suite_names
    from publish.build.metrics import metric_names

    known = [*suite_names(), *metric_names(), *others]
    for name in options.names:
        if name not in known:
            raise ValueError(f"NAME, got {name!r}; expected some of {', '.join(known)}")
    return list(options.names) or known


def _export(options: argparse.Namespace) -> int:
    from dataset_scripts.registry import given_options
    from ground.files import write_whole
    from publish.hub.export import export

    draw = given_options(options)
    text = export(options.name, options.format, options.config, options.split, draw)
    if options.to is None:
        sys.stdout.write(text)
    else:
        write_whole(options.to, text)
    return 0


def _written(paths: Iterable[object]) -> int:
    for path in paths:
        print(f"written: {path}")
    return 0


def _tasks(options: argparse.Namespace) -> int:
    from publish.tasks import write_tasks

    return _written(write_tasks(options.tool, options.out, options.to, options.upstream))


def _build(options: argparse.Namespace) -> int:
    from dataset_scripts.registry import given_options, suite_names
    from publish.build.build import build_all
    from publish.check.verified import remember

    draw, names, suites = given_options(options), _names(options), suite_names()
    if options.commit:
        if metrics := [name for name in names if name not in suites]:
            got = f"--commit, got it for {metrics[0]}"
            raise ValueError(f"{got}; expected suites: metrics have no draw")
        options.out = Path("private") if options.out == Path("hub") else options.out
    if draw and not set(names) & set(suites):
        got = f"--{next(iter(draw))}, got it for {', '.join(names)}"
        raise ValueError(f"{got}; expected a suite: metrics are not drawn")
    made = build_all(names, options.out, draw, views=options.views, is_private=options.commit)
    remember((options.out / name for name in names), "made")
    counts = {name: one.get("rows", {next(iter(one)): None}) for name, one in made.items()}
    rows = [
        {"built": name, "what": what, "rows": n, "version": made[name]["version"]}
        for name, found in counts.items()
        for what, n in found.items()
    ]
    dropped = [line for one in made.values() for line in one.get("dropped_views", ())]
    print("\n".join([markdown_table(rows), *(f"dropped: {line}" for line in dropped)]))
    return 0


def _check(options: argparse.Namespace) -> int:
    from publish.check.check import check
    from publish.check.verified import verified_names

    names = _names(options)
    known = [] if options.again else verified_names(options.out, names)
    problems = check(options.out, names, reuses_record=not options.again)
    if problems:
        print("\n".join(problems))
        return 1
    passed = f" {len(known)} had passed before; --again repeats it." if known else ""
    where = f"{len(names)} folders of {options.out}"
    print(f"{where} are in order and load from outside the repository.{passed}")
    return 0


def _attest(options: argparse.Namespace) -> int:
    from publish.hub.attest import attest, verify

    if not options.verify:
        return _written(attest(options.out, _names(options), options.key))
    names = verify(options.out, options.verify)
    print(f"{len(names)} folders of {options.out} are as they were signed.")
    return 0


def _install(options: argparse.Namespace) -> int:
    from publish.hub.install import install, remove

    names = _names(options, ())
    folders = remove(names) if options.remove else install(options.out, names, trusts=options.trust)
    done = "removed" if options.remove else "installed"
    rows = [{done: name, "folder": path} for name, paths in folders.items() for path in paths]
    print(markdown_table(rows) if rows else "None of these was installed.")
    if not options.remove:
        told = "With HF_HUB_OFFLINE=1 every bare name answers at once"
        print(f"{told}; without, after a look online.")
    return 0


def _push(options: argparse.Namespace) -> int:
    from huggingface_hub import HfApi

    from publish.hub.upload import PushOptions, describe, plan_push, push

    api = HfApi(endpoint=options.endpoint)
    how = PushOptions(
        options.namespace,
        space_sdk=options.space_sdk,
        is_private=options.private,
        as_pull_request=options.create_pr,
        accepts_unlicensed=options.accept_unlicensed,
        deletes_foreign=options.delete_foreign,
        trusts=options.trust,
    )
    plans = plan_push(api, options.out, _names(options), how)
    print(describe(api, plans, how, is_verbose=options.verbose))
    done = push(api, plans, how) if options.yes else ["Nothing was sent. Add --yes to do it."]
    print("\n".join(done))
    return 0


def _result(options: argparse.Namespace) -> int:
    from huggingface_hub import HfApi

    from publish.hub.results import open_pull_request, own_namespace, write_files

    api = HfApi(endpoint=options.endpoint)
    namespace = options.namespace or own_namespace(api)
    sharing = write_files(options.file, options.model, namespace, options.out)
    _written(sharing.files)
    print(f"{sharing.title}: {sharing.result.value:.4f}; {sharing.result.notes}")
    if options.yes:
        print(open_pull_request(api, sharing))
    else:
        print(f"Nothing was sent. --yes opens a pull request on {options.model}.")
    return 0


def _reveal(options: argparse.Namespace) -> int:
    from publish.build.commitment import verify_rows, verify_seed

    if options.rows is not None:
        verify_rows(options.file, options.rows, options.salt)
        print(f"{options.rows}: the rows that {options.file} was made of.")
        return 0
    salt = verify_seed(options.file, options.seed)
    print(f"{options.file}: made of this draw. Whoever has its rows compares them with")
    print(f"python push.py reveal {options.file} --rows DIR --salt {salt}")
    return 0


def _new(options: argparse.Namespace) -> int:
    from ground.paths import ROOT
    from publish.new import new_metric

    paths = [path.relative_to(ROOT) for path in new_metric(options.name, options.cites)]
    _written(paths)
    print(f"Next: your measure in {paths[3]}, then CONTRIBUTING.md, recipe 2.")
    return 0


def _wheel(options: argparse.Namespace) -> int:
    from publish.wheel import build_distributions

    paths = build_distributions(options.out, options.to)
    return _written(f"{path}, {path.stat().st_size / 10**6:.1f} MB" for path in paths)


def _form(options: argparse.Namespace) -> int:
    from publish.form import sheets

    if options.forget and options.dataset:
        print(sheets.forget_on_hub(options.forget, options.dataset, options.endpoint))
    elif options.forget:
        for path in sheets.forget(options.forget, options.out):
            print(f"deleted: {options.forget} in {path}")
    elif options.name is None:
        print(markdown_table(sheets.overview()))
    else:
        form = sheets.find_form(options.name, options.about)
        n_raters = form.n_raters if options.raters is None else options.raters
        if n_raters < 1:
            raise ValueError(f"--raters, got {n_raters}; expected at least 1")
        draw = (form, n_raters, options.seed, options.out)
        if not options.space:
            return _written(sheets.write_sheets(*draw))
        paths = sheets.write_space(*draw, options.space)
        print(f"written: {options.out}, a Space of {len(paths)} files")
    return 0


if __name__ == "__main__":
    sys.exit(main())
