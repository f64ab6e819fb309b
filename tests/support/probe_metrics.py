"""Run by test_metric_modules.py outside the repository: loads staged metrics by their bare names.
For each name it reports what went wrong, if anything: the load, the docstring's examples, and
whether each computation of these examples gives the same on the direct path, on evaluate's own path
(added first, then computed), and half added, half passed."""

import contextlib
import doctest
import io
import json
import sys

import evaluate

LOAD = evaluate.load


def probe(name):
    try:
        metric = LOAD(name)
    except Exception as error:
        return {"load": f"{type(error).__name__}: {error}"}
    calls = []
    evaluate.load = lambda *args, **options: record(LOAD(*args, **options), calls)
    report = run_examples(name, metric.inputs_description)
    evaluate.load = LOAD
    differences = [text for call in calls for text in compare_paths(name, *call)]
    return {"load": "", **report, "computed": len(calls), "differences": differences}


def record(metric, calls):
    """Notes what arrives at the metric's own maths, and what comes out."""
    score = metric._compute

    def noted(**given):
        result = score(**given)
        calls.append((given, result))
        return result

    metric._compute = noted
    return metric


def run_examples(name, text):
    test = doctest.DocTestParser().get_doctest(text, {"evaluate": evaluate}, name, None, 0)
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        found = doctest.DocTestRunner(verbose=False).run(test)
    return {"attempted": found.attempted, "failed": found.failed, "output": output.getvalue()}


def compare_paths(name, given, expected):
    names = LOAD(name)._feature_names()
    inputs = {key: given[key] for key in names if given[key] is not None}
    options = {key: value for key, value in given.items() if key not in names}
    n = len(next(iter(inputs.values())))
    for added in {n, n // 2} - {0}:
        rest = {key: column[added:] for key, column in inputs.items()} if added < n else {}
        try:
            metric = LOAD(name)
            metric.add_batch(**{key: column[:added] for key, column in inputs.items()})
            found = metric.compute(**rest, **options)
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
        if not same(found, expected):
            yield f"{added} of {n} rows added first: {found}; expected {expected}"


def same(first, second):
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(same(first[key], second[key]) for key in first)
    if isinstance(first, list | tuple) and isinstance(second, list | tuple):
        return len(first) == len(second) and all(map(same, first, second))
    return first == second or (first != first and second != second)


if __name__ == "__main__":
    names, out = sys.argv[1:-1], sys.argv[-1]
    with open(out, "w", encoding="utf-8") as file:
        json.dump({name: probe(name) for name in names}, file)
