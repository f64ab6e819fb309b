"""Scores of systems on Garden Path's suites, and what may be concluded from them.

garden-path list                          the tests, what each asks and what it is given
garden-path inputs eras > sentences.tsv   what a system is to be given, with ids
garden-path score eras words.txt          a file of predictions
garden-path score sorts --model spacy:de_core_news_sm    a model by name
garden-path report jieba --out report/    one page about a model, on every suite that fits it
garden-path rank scores.csv               is the winner of a table of scores real?
garden-path compare a.json b.json         is one result better, on the same items?

`garden-path COMMAND --help` has an example of each. Exit codes: 0 it is done, 1 a file, a name or
the machine is not as it should be, and one line says what; 2 the command line is; 130 stopped.
"""

import argparse
import inspect
import sys
import textwrap
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ground.faults import run_command
from ground.outputs import as_json, check_outputs

Command = Callable[[Sequence[str]], int]
UNMEASURED = "not measured"
KINDS = (
    "transformers, masked, sentence-transformers, spacy, stanza, udpipe, chat, python, jieba,"
    " jieba-no-hmm"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command that is named; returns its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] in ("-h", "--help"):
        print(__doc__)
        return 0
    if given[0] not in COMMANDS:
        known = ", ".join(COMMANDS)
        print(f"garden-path: command, got {given[0]!r}; expected one of {known}", file=sys.stderr)
        return 1
    name, usual = f"garden-path {given[0]}", warnings.formatwarning
    warnings.formatwarning = lambda message, *_, **__: f"{name}: {message}\n"
    try:
        return run_command(name, lambda: COMMANDS[given[0]](given[1:]))
    finally:
        warnings.formatwarning = usual


def _list(given: Sequence[str]) -> int:
    """The tests of each suite by kind of system: what each asks, and what it is given.

    Minutes are those of the named system on one core, by its measured rate. `--json FILE` writes
    the same, a row a test.

    Example: garden-path list
    """
    from builders.suites import suites_with, tests_of
    from garden_path.model_scores import rates
    from garden_path.scoring import ASKING

    options = _parser(_list, *OUTPUTS).parse_intermixed_args(given)
    check_outputs(options)
    measured = {(one.suite, one.kind): one for one in rates()}
    rows = [
        {
            "suite": test.suite,
            "config": test.name,
            "asks": test.asks,
            "a system is": test.kind.replace("_", " "),
            "a file holds": ASKING[test.kind].wants,
            "models by name": _needs(test.kind),
            "minutes": _minutes(test, measured.get((test.suite, test.kind))),
        }
        for suite in suites_with("tests")
        for test in tests_of(suite)
    ]
    return _write(options, _listed(rows), rows)


def _listed(rows: Sequence[Mapping[str, str]]) -> str:
    """The rows as a terminal shows them: tests of one suite and kind of system together."""
    together: dict[tuple[str, str, str], list[str]] = {}
    for suite, config, asks, kind, file, model, minutes in (row.values() for row in rows):
        given = f"{_wrapped('file:', file)}\n{_wrapped('model:', model)}"
        time = "" if minutes == UNMEASURED else f" [{minutes}]"
        together.setdefault((suite, kind, given), []).append(_wrapped(config, f"{asks}{time}"))
    return "\n\n".join(
        "\n".join([f"{suite}, {kind}", given, *tests])
        for (suite, kind, given), tests in together.items()
    )


def _wrapped(title: str, text: str) -> str:
    """A title of at most 25 characters and its text beside it, 100 columns wide."""
    first, rest = f"  {title:25} ", " " * 28
    return textwrap.fill(
        text, 100, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
    )


def _minutes(test: Any, measured: Any) -> str:
    from garden_path.scoring import inputs_of

    if measured is None:
        return UNMEASURED
    try:
        n = len(set(map(str, inputs_of(test.suite, test.name, kind=test.kind).inputs)))
    except ValueError:  # a clone without `make hub`, or no network
        return f"{measured.rate:,.0f} inputs a second: {measured.system}; no rows here"
    return f"{max(n / measured.rate / 60, 0.1):.1f} min: {measured.system}, {n:,} inputs"


def _needs(kind: str) -> str:
    from garden_path.models.registry import USERS

    named = [
        loader.shown(name) + (f" (needs {loader.install})" if loader.install else "")
        for name, loader in USERS.loaders(kind).items()
        if name != "file"
    ]
    return ", ".join([*named, "python:module:function"])


def _inputs(given: Sequence[str]) -> int:
    """What a system is to be given, in its field's format.

    Sentences with their ids between tabs, clauses as CoNLL-U without trees, questions as JSON lines
    of chat messages, pairs of texts as BLiMP has them, choices as JSON lines. Predictions are
    matched by the ids in it, those of pairs by their texts.

    Example: garden-path inputs centerbench --prompt published --out questions.jsonl
    """
    from builders.suites import find_test
    from garden_path.inputs import FORMATS, inputs_text
    from garden_path.model_scores import sampled
    from garden_path.models.questions import OWN, PROMPTS
    from garden_path.scoring import ASKING, rows_of

    parser = _parser(_inputs, *TEST, "--limit", *OUTPUTS)
    parser.add_argument("--format", default="", choices=FORMATS, help="by default the field's own")
    parser.add_argument(
        "--prompt", default=OWN, choices=PROMPTS, help=f"of chat messages (default: {OWN})"
    )
    options = parser.parse_intermixed_args(given)
    check_outputs(options)
    test = find_test(options.suite, options.config, options.kind)
    asked = sampled(rows_of(test, options.hub), options.limit)
    text = inputs_text(test.kind, asked, options.format, options.prompt)
    items = ASKING[test.kind].items(asked)
    rows = [{"id": name, "input": one} for name, one in zip(items.ids, items.inputs, strict=True)]
    return _write(options, text.removesuffix("\n"), rows)  # CoNLL-U ends in a blank line


def _score(given: Sequence[str]) -> int:
    """Scores a file of predictions, or a model by its name; ends in four lines.

    Example: garden-path score eras words.txt --json result.json
    A model: garden-path score sorts --config pairs --model transformers:NAME --limit 200
    """
    from garden_path.scoring import score

    parser = _parser(_score, "suite", "predictions", *TEST[1:], "--limit", *OUTPUTS)
    parser.add_argument("--model", default="", metavar="KIND:NAME", help=f"KIND is one of {KINDS}")
    parser.add_argument(
        "--answers",
        type=Path,
        metavar="FILE",
        help="where a model's answers are kept while it is asked; a second run goes on",
    )
    parser.add_argument("--system", default="", metavar="NAME", help="who made the file")
    settings = _add_model(parser)
    options = parser.parse_intermixed_args(given)
    check_outputs(options, (options.predictions,))
    result = score(
        options.suite,
        options.predictions,
        options.config,
        **{name: getattr(options, name) for name in ("kind", "model", "limit", "system", "hub")},
        kept=options.answers,
        settings={name: getattr(options, name) for name in settings},
        per_item=options.json is not None,
    )
    return _write(options, "\n".join(filter(None, [result.told, result.summary()])), result)


def _rank(given: Sequence[str]) -> int:
    """Is my winner real? Scores of several systems on several data sets in, the verdict out.

    A file is CSV, TSV, JSONL, JSON or Parquet. It is long (one score a row) or wide (a column of
    scores per system, or per data set). Result files of lm-evaluation-harness (`results_*.json`,
    `samples_*.jsonl`), lighteval, inspect, HELM, MTEB and every_eval_ever are read too. A folder
    means all result files in it. The output first says how every column was read and what was
    left out.

    Example: garden-path rank scores.csv
    Columns by name: garden-path rank scores.csv --system model --unit dataset --score f1
    """
    from garden_path.rank.asked import OPTIONS, columns_of, rank_parser
    from garden_path.rank.plot import check_plot
    from garden_path.rank.report import rank, write_outputs

    parsed = rank_parser(_parser(_rank)).parse_intermixed_args(given)
    check_outputs(parsed, parsed.files)
    if parsed.plot:
        check_plot(parsed.plot)
    options = vars(parsed)
    chosen = {name: options[name] for name in OPTIONS}
    found = rank(list(options["files"]), columns_of(options), options["metric"], **chosen)
    try:
        write_outputs(found, options)
    finally:  # a full disk must not lose what is found
        print(found)
    return 0


def _compare(given: Sequence[str]) -> int:
    """Is one result better than another, on the same items?

    Both are results of one metric of this project as JSON, such as `garden-path score` writes.
    Items are paired, and what was sampled together is one cluster. The interval is Student's
    over clusters, p a sign-flip test of their sums, with Holm's correction in a table.

    Example: garden-path compare a.json b.json
    """
    from garden_path.rank.comparison import compare

    parser = _parser(_compare, *OUTPUTS)
    parser.add_argument("first", metavar="A", help="result of a metric, JSON")
    parser.add_argument("second", metavar="B", help="another, of the same items")
    parser.add_argument(
        "--score",
        nargs="+",
        default=(),
        metavar="COLUMN",
        help="what to compare, in place of the metric's headline",
    )
    options = parser.parse_intermixed_args(given)
    first, second = (Path(one).expanduser() for one in (options.first, options.second))
    check_outputs(options, (first, second))
    found = compare(first, second, options.score)
    return _write(options, found.summary(), found)


def _report(given: Sequence[str]) -> int:
    """One page about a model or files: every suite that fits, with what misled it.

    The folder gets index.html, report.md and report.json.

    Example: garden-path report words.txt --out report
    A model: garden-path report jieba --out report
    A test by name: garden-path report sorts/conll_lite/amb=parses.conllu
    """
    from garden_path.report import SIGNS, check_folder, write_report
    from garden_path.report.given import find_results

    parser = _parser(_report, "--hub", "--limit")
    what = "a model's name or a file; also SUITE[/TEST]=NAME_OR_FILE"
    parser.add_argument("given", nargs="+", metavar="MODEL_OR_FILE", help=what)
    parser.add_argument("--system", default="", metavar="NAME", help="how it is called on the page")
    parser.add_argument(
        "--mistakes", type=_count, default=10, metavar="N", help="shown of each test (default: 10)"
    )
    parser.add_argument(
        "--out", type=Path, default=Path("report"), metavar="DIR", help="(default: report)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write report.json here as well")
    names = _add_model(parser)
    options = parser.parse_intermixed_args(given)
    read = [one.rpartition("=")[2] for one in options.given]
    check_outputs(options, read, ("json",), [options.out / name for name in ("", *SIGNS)])
    check_folder(options.out)
    settings = {name: getattr(options, name) for name in names}
    asked = {name: getattr(options, name) for name in ("system", "hub", "limit")}
    found = find_results(options.given, settings=settings, **asked)
    text = "\n".join(one.summary() for one in found.scored)
    try:
        whole = write_report(found, options.out, n_mistakes=options.mistakes, hub=options.hub)
    except OSError:
        print(text)
        raise
    print(f"written: {options.out / 'index.html'}", file=sys.stderr)
    options.out = None
    return _write(options, text, whole)


def _parser(command: Command, *names: str) -> argparse.ArgumentParser:
    """Parser of a command with some of the shared arguments."""
    parser = argparse.ArgumentParser(
        prog=f"garden-path {command.__name__[1:]}",
        description=inspect.cleandoc(command.__doc__ or ""),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for name in names:
        parser.add_argument(name, **ARGUMENTS[name])
    return parser


def _text_file(name: str) -> Path:
    """Where a text goes; a name of JSON was meant for `--json`, said before anything is scored."""
    if Path(name).suffix.lower() == ".json":
        raise argparse.ArgumentTypeError(f"got {name!r} for the text; expected --json {name}")
    return Path(name)


def _write(options: argparse.Namespace, text: str, whole: Any) -> int:
    """Writes what was asked for, and shows the text where no file has it in the end; gives 0."""
    from ground.files import write_whole

    is_shown = True
    try:
        if options.json:
            write_whole(options.json.expanduser(), as_json(whole))
        if options.out:
            write_whole(options.out.expanduser(), f"{text}\n")
            is_shown = False
    finally:  # a full disk must not lose what is found
        if is_shown:
            print(text)
    return 0


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"got {text!r}; expected a whole number")
    return int(text)


def _add_model(parser: argparse.ArgumentParser) -> list[str]:
    """Adds what a model is loaded with; gives the names."""
    from garden_path.models.registry import USERS
    from ground.command_line import add_option, option_fields

    found = {
        name: field.metadata["rule"]
        for kind in USERS.kinds()
        for name, field in option_fields(USERS.settings_of(kind)).items()
    }
    group = parser.add_argument_group("what a model is loaded with")
    for name, rule in found.items():
        add_option(group, name, rule, None)
    return list(found)


TEST = ("suite", "--config", "--kind", "--hub")
OUTPUTS = ("--json", "--out")
ARGUMENTS: Mapping[str, Mapping[str, Any]] = {
    "suite": {"help": "eras, sorts, pp_attachment, centerbench or morphseg"},
    "predictions": {"nargs": "?", "help": "FILE of predictions; or none, with --model"},
    "--config": {"default": "", "metavar": "NAME", "help": "one of `garden-path list`"},
    "--kind": {"default": "", "metavar": "KIND", "help": "of system: `garden-path list`"},
    "--hub": {
        "metavar": "PLACE",
        "help": "folder or namespace of the Hub that has the suites (default: GARDEN_PATH_HUB, else"
        " what is in this package)",
    },
    "--limit": {"type": _count, "metavar": "N", "help": "at least N rows: whole clusters, seed 0"},
    "--json": {"type": Path, "metavar": "FILE", "help": "write all of it as JSON"},
    "--out": {"type": _text_file, "metavar": "FILE", "help": "write the text, in place of showing"},
}
COMMANDS: Mapping[str, Command] = {
    command.__name__[1:]: command for command in (_list, _inputs, _score, _rank, _compare, _report)
}

if __name__ == "__main__":
    sys.exit(main())
