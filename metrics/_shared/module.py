"""What makes a scoring function an evaluate module: the class, its inputs, Trainer's door.

A metric's `inputs.py` declares its columns once, as `INPUTS = Inputs("gper", {...})`. `INPUTS.read`
is the first thing that `score` does; `INPUTS.features()` are the columns in which evaluate keeps
added batches, which lose nothing of what `read` returns. So whole columns and batches are refused
and scored alike.

In training, `scorer = evaluate.load(NAME).for_trainer(rows, tokenizer)` gives transformers' Trainer
what to evaluate on (`eval_dataset=scorer.dataset`) and how (`compute_metrics=scorer`): logits and
label ids come in, one row per input, our numbers go out. A label id of -100 hides a position:
special tokens, and all subwords of a word but its first, as `run_ner.py` has them.

A script that nobody edits, `run_classification.py --metric_name NAMESPACE/gper`, passes the
likeliest class and the label of each row, and nothing else: `score_labelled` finds the rows.
"""

import functools
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .columns import (
    FloatArray,
    IntArray,
    Values,
    check_lengths,
    column_names,
    field_names,
    is_blank,
    is_missing,
    read_columns,
    read_values,
    rows_of,
    shown,
    to_list,
)
from .option_fields import CheckedOptions, option, run_of_rows

Adapt = Callable[[str, Any], Any]
TYPES = {"number": "float64", "whole": "int64"}
LICENCE = "apache-2.0"


@dataclass(frozen=True)
class Nested:
    """Rule for a field that holds records: what reads them, and their fields, all of them texts."""

    read: Adapt
    fields: Mapping[str, Any]
    help: str = ""
    is_optional: bool = False


@dataclass(frozen=True)
class Rows:
    """Rule for a column of rows: a rule for each field; further fields are ignored."""

    fields: Mapping[str, Values | Nested]
    adapt: Adapt | None = None  # turns another form of the column into rows, such as ids alone

    def read(self, where: str, given: Any) -> dict[str, Any]:
        """One column per field, without the optional ones that hold nothing."""
        rows = self.adapt(where, given) if self.adapt else given
        columns = self._columns(where, rows)
        found = {
            name: _read(f"{where}: {name}", self.fields[name], column)
            for name, column in columns.items()
            if not (self.fields[name].is_optional and _is_blank(column, self.fields[name]))
        }
        if not found:
            raise ValueError(f"{where}: got no value; expected {' or '.join(self.fields)}")
        return found

    def _columns(self, where: str, rows: Any) -> dict[str, Any]:
        required = [name for name, rule in self.fields.items() if not rule.is_optional]
        others = [name for name in self.fields if name not in required]
        if (has := column_names(rows)) is not None:
            wanted = {*required, *has}
            return read_columns(where, rows, [name for name in self.fields if name in wanted])
        rows = to_list(rows, where)
        columns = read_columns(where, rows, required)
        return columns | {name: [row.get(name) for row in rows] for name in others}


Rule = Values | Rows


@dataclass(frozen=True)
class Inputs:
    """All input columns of a metric."""

    metric: str
    columns: Mapping[str, Rule]

    def read(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Columns as `columns.read_values` returns them; rows as one such column per field.

        An optional column that is not given is None.

        Raises:
            ValueError: A column is missing, breaks its rule, has no items, or they differ in
                length; the message begins with the metric's name.
        """
        if unknown := [name for name in given if name not in self.columns]:
            known = ", ".join(self.columns)
            raise ValueError(f"{self.metric}: inputs, got {unknown[0]!r}; expected {known}")
        found = {name: self.read_column(name, given.get(name)) for name in self.columns}
        _check_ids(self.metric, given)
        sized = {name: _first(column) for name, column in found.items() if column is not None}
        check_lengths(self.metric, **sized)
        return found

    def read_column(self, name: str, given: Any, shown: str = "") -> Any:
        """One of the columns, as `read` reads it; messages name it `shown`."""
        rule = self.columns[name]
        given = list(given) if hasattr(given, "__next__") else given
        is_optional = isinstance(rule, Values) and rule.is_optional
        if given is None or (is_optional and is_blank(to_list(given, name))):
            if is_optional:
                return None
            known = ", ".join(self.columns)
            raise ValueError(f"{self.metric}: inputs, got none for {name}; expected {known}")
        return _read(f"{self.metric}: {shown or name}", rule, given)

    def stored(self, read: Mapping[str, Any]) -> dict[str, list[Any]]:
        """What `read` returned as plain rows of `features()`, in which a batch is kept."""
        n = next(len(_first(column)) for column in read.values() if column is not None)
        return {name: _stored(self.columns[name], read[name], n) for name in self.columns}

    def features(self) -> Any:
        """The columns as `datasets.Features`; texts are large, since those may be None."""
        import datasets  # brought by evaluate, whose modules alone ask for this

        return datasets.Features({name: _feature(rule) for name, rule in self.columns.items()})


def compared_option(inputs: Inputs, what: str, whose: str) -> Any:
    """Field `compared_with` of a metric's options, read as its predictions are."""
    return option(
        None,
        f"{what} of the same pairs by another {whose}; adds paired differences",
        read=lambda where, value: inputs.read_column("predictions", value, where.split(": ")[1]),
        expected=f"{what} as in predictions",
        none="no comparison",
        is_quoted=False,
    )


def _read(where: str, rule: Rule | Nested, given: Any) -> Any:
    if isinstance(rule, Values):
        return read_values(where, given, rule)
    return rule.read(where, given)


def _check_ids(metric: str, given: Mapping[str, Any]) -> None:
    """Refuses a prediction that says another id than the reference of its row."""
    sides = [given.get(name) for name in ("predictions", "references")]
    if any(hasattr(side, "__next__") or "id" not in field_names(side) for side in sides):
        return
    ids = [to_list(read_columns("", side, ["id"])["id"]) for side in sides]
    for i, (got, expected) in enumerate(zip(*ids, strict=False)):
        if str(got) != str(expected) and not (is_missing(got) or is_missing(expected)):
            wanted = f"{shown(expected)}, as in references: put both into one order"
            raise ValueError(f"{metric}: predictions[{i}]: id, got {shown(got)}; expected {wanted}")


def _is_blank(column: Any, rule: Values | Nested) -> bool:
    """Whether a field holds nothing; batches keep a list of no records where there are none."""
    if isinstance(rule, Nested):
        return all(value is None or (isinstance(value, list) and not value) for value in column)
    return is_blank(column)


def _first(column: Any) -> Any:
    """A column, or one of those that rows consist of."""
    return next(iter(column.values())) if isinstance(column, dict) else column


def _stored(rule: Rule, column: Any, n: int) -> list[Any]:
    if column is None:
        return [None] * n
    if not isinstance(rule, Rows):
        return _plain(column)
    blank: dict[str, list[Any]] = {
        name: [[] if isinstance(field, Nested) else None] * n for name, field in rule.fields.items()
    }
    return rows_of(blank | {name: _plain(values) for name, values in column.items()})


def _plain(column: Any) -> list[Any]:
    return list(column.tolist() if hasattr(column, "tolist") else column)


def _feature(rule: Rule | Nested) -> Any:
    import datasets

    if isinstance(rule, Rows):
        return {name: _feature(field) for name, field in rule.fields.items()}
    if isinstance(rule, Nested):
        return datasets.List(_texts(rule.fields))
    feature: Any = datasets.Value(TYPES.get(rule.kind, "large_string"))
    for _ in range(rule.depth):
        feature = datasets.List(feature)
    return feature


def _texts(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _texts(below) if isinstance(below, Mapping) else _feature(Values("text"))
        for name, below in fields.items()
    }


class ScoringModule:
    """Base of our evaluate modules: checks the options and scores the columns.

    `compute()` takes whole columns past evaluate's row-by-row encoding, which costs a hundred times
    the score itself. Where batches were added before, or several processes share the work,
    evaluate's own path is taken, so that 50 added and 7 passed rows are scored as 57.
    """

    contract: Inputs
    options: type[CheckedOptions]
    score: Callable[..., dict[str, Any]]

    def _info(self) -> Any:
        """What evaluate asks of a module: texts of its file, columns of its contract."""
        import evaluate  # whose module this is

        text = vars(sys.modules[type(self).__module__])
        kinds = ("Comparison", "Measurement", "Metric")
        kind = next(name for name in kinds if isinstance(self, getattr(evaluate, name)))
        homepage = re.search(r'^\s*url = "([^"]+)"', text["_CITATION"], re.MULTILINE)
        return getattr(evaluate, f"{kind}Info")(
            description=text["_DESCRIPTION"],
            citation=text["_CITATION"],
            homepage=homepage[1] if homepage else "",  # of the paper; staged, it is an entry
            license=LICENCE,
            inputs_description=text["_KWARGS_DESCRIPTION"],
            features=self.contract.features(),
            reference_urls=text.get("_REFERENCE_URLS", []),
        )

    def compute(self, *, predictions: Any = None, references: Any = None, **options: Any) -> Any:
        """Scores whole columns of any type, together with whatever was added before.

        `predictions` and `references` are one per item; further input columns and the options below
        have names. A dict of results comes out, of numbers only with scalars=True, None on all
        processes but the first; a ValueError for an input or option that is not what it should be.
        """
        run = {} if options.get("run") is None else options["run"]  # an array has no truth
        if isinstance(run, Mapping):
            run = run_of_rows(references) | dict(run)
            options |= {"run": run} if run else {}
        result = self._score_columns(predictions, references, **options)
        return numbers_of(result) if result and options.get("scalars") else result

    def _score_columns(self, predictions: Any, references: Any, **options: Any) -> Any:
        module: Any = self
        main = {"predictions": predictions, "references": references}
        given = {name: column for name, column in main.items() if column is not None} | options
        columns = {name: given.pop(name, None) for name in self.contract.columns}
        is_added, is_given = module.writer is not None, any(c is not None for c in columns.values())
        if is_added or module.num_process > 1:
            if is_given or not is_added:
                self.add_batch(**columns)
            parent: Any = super()
            return parent.compute(**given)
        return module._compute(**columns, **given)

    def _compute(self, **given: Any) -> dict[str, Any]:
        """Scores columns; whatever is no column is an option. A ValueError names the metric."""
        columns = {name: given.pop(name, None) for name in self.contract.columns}
        try:
            return self.score(columns, self.options.read(given))
        except (ValueError, ArithmeticError) as error:
            if str(error).startswith(f"{self.contract.metric}: "):
                raise
            raise ValueError(f"{self.contract.metric}: {error}") from error

    def add_batch(self, *, predictions: Any = None, references: Any = None, **columns: Any) -> None:
        """Adds items, read as `compute` reads them; nothing of a batch that is refused."""
        parent: Any = super()
        given = {"predictions": predictions, "references": references, **columns}
        kept = {name: column for name, column in given.items() if column is not None}
        parent.add_batch(**self.contract.stored(self.contract.read(kept)))

    def _enforce_nested_string_type(self, schema: Any, obj: Any) -> None:
        """Evaluate's look at the first item; the contract has looked at all."""

    def trainer_scores(
        self,
        read: Callable[[Any, Any], Any],
        inputs: Sequence[Mapping[str, Any]],
        references: Any,
        dataset: Any,
        options: Mapping[str, Any],
    ) -> "TrainerScores":
        """A `compute_metrics` that scores what `read` makes of predictions and label ids."""
        settings = {**options, "scalars": True}
        return TrainerScores(
            lambda found: self.compute(predictions=found, references=references, **settings),
            read,
            inputs,
            dataset,
        )

    def add(self, *, prediction: Any = None, reference: Any = None, **columns: Any) -> None:
        """Adds one item, as `add_batch` does."""
        one = {"predictions": prediction, "references": reference, **columns}
        names = self.contract.columns
        self.add_batch(**{n: [v] for n, v in one.items() if n in names or v is not None})


def numbers_of(result: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of a result, nan among them: no tables, texts, options or truth values."""
    return {
        name: value
        for name, value in result.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }


def plain_rows(where: str, given: Any) -> list[dict[str, Any]]:
    """Rows of any kind as dicts, for what asks a model about each."""
    names = column_names(given)
    if names is None:
        rows = to_list(given, where)
        if other := [row for row in rows if not isinstance(row, Mapping)]:
            raise ValueError(f"{where}, got {shown(other[0])}; expected rows of the data set")
        return [dict(row) for row in rows]
    return rows_of({name: to_list(given[name], where) for name in names})


def said_by(where: str, model: Any, inputs: Sequence[str]) -> list[Any]:
    """What a function says of each input, asked once about each; a ValueError for no function."""
    if not callable(model):
        raise ValueError(f"{where}: model, got {shown(model)}; expected a function of a text")
    said = {text: model(text) for text in dict.fromkeys(inputs)}
    return [said[text] for text in inputs]


def no_predictions(where: str, name: str, predictions: Any) -> None:
    """Raises a ValueError where predictions are given beside the model that makes them."""
    if predictions is not None:
        raise ValueError(f"{where}: {name}, got it and predictions; expected one of the two")


HIDDEN = -100
BMES = ("B", "M", "E", "S")


class TrainerScores:
    """A `compute_metrics`: called with what Trainer predicted, it returns numbers by name.

    `dataset` is what to evaluate on, tokenized, in its order; None without a tokenizer: then
    evaluate on `inputs`, plain rows, each with the `id` of its item.
    """

    def __init__(
        self,
        score: Callable[..., dict[str, Any]],
        read: Callable[[Any, Any], Any],
        inputs: Sequence[Mapping[str, Any]],
        dataset: Any = None,
    ) -> None:
        """Takes the metric's `compute`, what makes its predictions of logits and label ids."""
        self._score, self._read = score, read
        self.inputs, self.dataset = inputs, dataset

    def __call__(self, evaluation: Any) -> dict[str, float]:
        """Scores an `EvalPrediction`, or predictions and label ids; a ValueError for other rows."""
        if hasattr(evaluation, "predictions"):
            evaluation = evaluation.predictions, evaluation.label_ids
        given, labels = evaluation
        n = len(given[0]) if isinstance(given, tuple) else len(given)
        if n != len(self.inputs):
            expected = f"{len(self.inputs)}, one for each input in their order"
            raise ValueError(
                f"for_trainer: predictions, got {n}; expected {expected}: evaluate on `dataset`"
            )
        return self._score(self._read(given, labels))


def first_array(given: Any) -> FloatArray:
    """The logits, where a model returns more than these."""
    return np.asarray(given[0] if isinstance(given, tuple | list) else given)


def positive_logits(given: Any) -> FloatArray:
    """Log-odds of the positive class of each row, of one or two logits; a ValueError for more."""
    logits = first_array(given).astype(np.float64).reshape(len(first_array(given)), -1)
    if (n := logits.shape[1]) > 2:
        expected = "2, negative and positive, or one"
        raise ValueError(f"for_trainer: logits, got {n} a row; expected {expected}")
    return logits[:, 0] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]


def word_logits(given: Any, labels: Any, words: Sequence[Sequence[str]]) -> Iterator[FloatArray]:
    """Logits of the words of each input: those of its first subword.

    Logits have shape (inputs, positions, labels), label ids (inputs, positions), -100 where a
    position is no first subword; a ValueError where there are fewer or more of these than words.
    """
    shown = np.asarray(labels) != HIDDEN
    for i, (row, is_shown) in enumerate(zip(first_array(given), shown, strict=True)):
        found = row[: len(is_shown)][is_shown]
        if len(found) != len(words[i]):
            expected = f"{len(words[i])}, one for each of {''.join(words[i])[:40]!r}"
            got = f"labelled positions, got {len(found)}; expected {expected}"
            raise ValueError(f"for_trainer: input {i}: {got}: is it cut off?")
        yield found


def cut_words(characters: Sequence[str], tags: Sequence[str]) -> list[str]:
    """Words of characters tagged B, M, E, S; a word begins at B and S, and after E and S."""
    words: list[str] = []
    for i, (character, tag) in enumerate(zip(characters, tags, strict=True)):
        if i == 0 or tag in ("B", "S") or tags[i - 1] in ("E", "S"):
            words.append("")
        words[-1] += character
    return words


def tags_of_words(words: Sequence[str]) -> list[str]:
    """The tags of a sentence's characters, from its words."""
    return [tag for w in words for tag in ("S" if len(w) == 1 else f"B{'M' * (len(w) - 2)}E")]


def token_dataset(tokenizer: Any, words: Sequence[Sequence[str]], labels: Sequence[Any]) -> Any:
    """Inputs of token classification as a `datasets.Dataset`, labels on first subwords."""
    encoded = tokenizer([list(row) for row in words], is_split_into_words=True, truncation=True)
    aligned = []
    for i, of_words in enumerate(labels):
        places = encoded.word_ids(batch_index=i)
        first = [p is not None and p not in places[:k] for k, p in enumerate(places)]
        aligned.append([of_words[p] if f else HIDDEN for p, f in zip(places, first, strict=True)])
    return row_dataset({**encoded, "labels": aligned})


def tagger(
    tokenizer: Any, texts: Sequence[Any], golds: Sequence[Any], labels: Sequence[str]
) -> tuple[Callable[[Any, Any], list[list[str]]], Any]:
    """What reads logits of B, M, E, S as words, and what to tag; None without a tokenizer."""

    def read(given: Any, label_ids: Any) -> list[list[str]]:
        rows = zip(texts, word_logits(given, label_ids, texts), strict=True)
        return [cut_words(text, [labels[k] for k in row.argmax(axis=1)]) for text, row in rows]

    if tokenizer is None:
        return read, None
    ids = [[labels.index(tag) for tag in tags_of_words(gold)] for gold in golds]
    return read, token_dataset(tokenizer, texts, ids)


def text_dataset(tokenizer: Any, texts: Sequence[str], labels: Sequence[Any]) -> Any:
    """Inputs of classification, or of generation where labels are texts, as a `Dataset`."""
    encoded = dict(tokenizer(list(texts), truncation=True))
    if labels and isinstance(labels[0], str):
        labels = tokenizer(list(labels), truncation=True)["input_ids"]
    return row_dataset({**encoded, "labels": list(labels)})


def generated_texts(tokenizer: Any, given: Any) -> list[str]:
    """Texts of generated token ids, -100 taken for padding."""
    ids: IntArray = np.asarray(given[0] if isinstance(given, tuple) else given)
    if ids.ndim != 2:
        expected = "token ids: evaluate with predict_with_generate=True"
        got = f"got {ids.ndim} dimensions; expected {expected}"
        raise ValueError(f"for_trainer: predictions, {got}")
    filled = np.where(ids == HIDDEN, tokenizer.pad_token_id, ids)
    return [text.strip() for text in tokenizer.batch_decode(filled, skip_special_tokens=True)]


def row_dataset(columns: Mapping[str, Any]) -> Any:
    """Columns as a `datasets.Dataset`."""
    import datasets  # brought by evaluate, whose modules alone ask for this

    return datasets.Dataset.from_dict(dict(columns))


# --- From the labels of a training view to its rows

HUB = "GARDEN_PATH_HUB"
PARTS = ("validation", "test", "train")
KINDS = ("items", "words", "constructions")


def class_labels(given: Any) -> IntArray | None:
    """Labels 0 and 1, one for each row, as shape (n,); None where something else is given."""
    if not isinstance(given, np.ndarray | list) or len(given) == 0:
        return None
    if isinstance(given, list) and not isinstance(given[0], int | np.integer):
        return None
    found = np.asarray(given)
    is_whole = found.ndim == 1 and found.dtype.kind in "iu"
    return found.astype(np.int64) if is_whole and set(np.unique(found)) <= {0, 1} else None


def score_labelled(
    metric: str,
    module: str,
    labels: IntArray,
    views: tuple[str, str, str],
    score: Callable[[list[dict[str, Any]]], dict[str, float]],
) -> dict[str, float]:
    """Scores of the rows of the view that begins with these labels, shape (n,).

    Views (the suite, its views with the labels and with the rows, without their kind) are looked
    for in the folder or namespace that GARDEN_PATH_HUB names, else where `module` was loaded from,
    else under the bare name of the suite. Where several begin so, which ERAS has by design, their
    rows have to give the same scores.

    Raises:
        ValueError: No view begins so, or several do whose scores differ.
    """
    import datasets  # brought by evaluate, whose modules alone ask for this

    suite, labelled, described = views
    owners = [name.split("--")[0] for name in module.split(".") if "--" in name]
    owner = os.environ.get(HUB) or (owners[0] if owners else "")  # a folder or a namespace
    place = f"{owner}/{suite}" if owner else suite
    found = {
        f"{labelled}_{kind} ({part})": (f"{described}_{kind}", part)
        for kind in KINDS
        for part, known in _labels_of(place, f"{labelled}_{kind}").items()
        if np.array_equal(known[: len(labels)], labels)
    }
    views_of = [datasets.load_dataset(place, config)[part] for config, part in found.values()]
    results = [score(_named(view.select(range(len(labels))))) for view in views_of]
    if len({repr(result) for result in results}) != 1:
        got = f"{len(labels)} labels, with which {', '.join(found) or 'no view'} of {place} begins"
        expected = "those of one, from its first row on"
        raise ValueError(f"{metric}: references, got {got}; expected {expected}")
    return results[0]


def _named(rows: Any) -> list[dict[str, Any]]:
    """Rows of a data set in which the labels of words are names."""
    columns = rows.to_dict()
    for name, feature in rows.features.items():
        names = getattr(getattr(feature, "feature", None), "names", None)
        if names:
            columns[name] = [[names[k] for k in row] for row in columns[name]]
    return rows_of(columns)


@functools.cache
def _labels_of(place: str, config: str) -> dict[str, IntArray]:
    import datasets

    parts = datasets.load_dataset(place, config)
    return {part: np.asarray(parts[part]["label"][:]) for part in PARTS}
