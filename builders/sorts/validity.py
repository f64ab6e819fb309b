"""Checks rows of the suite against what they claim: readings, trees, ids, one tree per sentence.

What the realizer meant is derived again from words and tables.
"""

import functools
from collections.abc import Callable, Iterable, Iterator
from operator import itemgetter
from pathlib import Path

import pyarrow as pa

from builders.columns import Row
from builders.sorts.design import SYNCRETISM
from builders.sorts.lexicon import GERMAN, read_lexicon
from builders.sorts.likelihoods import question_problems, same_word_problems
from builders.sorts.readings import clause_readings, is_case_marked
from builders.sorts.resolution import EXPERIENCERS, ORDER, is_weak
from metrics.subject_object_las.inputs import SVO, UNDECIDED

ROWS_AT_ONCE = 1_000  # as Python objects they need ten times the memory
PER_WORD = ("lemmas", "xpos", "feats", "heads", "deprels", "fields")
SETTLED_BY_FORM = ("case", "agreement")
GOLD_READING = [0]  # the first of the two phrases, which is the subject


def problems(table: pa.Table, tables: Path = GERMAN) -> list[str]:
    """One line per problem of rows, beginning with the row's id; [] for a valid table."""
    if "cluster" in table.column_names:
        columns = table.to_pydict()
        return list((question_problems if "question" in columns else same_word_problems)(columns))
    batches = table.to_batches(max_chunksize=ROWS_AT_ONCE)
    rows = (row for batch in batches for row in batch.to_pylist())
    reading = functools.partial(_reading_problems, tables=tables)
    ambiguous = "sentence, got it with another subject and object elsewhere"
    gold, expected = itemgetter("subject", "object"), "expected one tree per sentence"
    return list(row_problems(rows, (_tree_problems, reading), gold, f"{ambiguous}; {expected}"))


def row_problems(
    rows: Iterable[Row],
    rules: tuple[Callable[[Row], Iterator[str]], Callable[[Row], Iterator[str]]],
    gold: Callable[[Row], object],
    ambiguous: str,
) -> Iterator[str]:
    """A line for each problem of a row's tree, else of its readings, and of its id and sentence.

    `ambiguous` is said of a sentence that stands elsewhere with another gold.
    """
    of_tree, of_readings = rules
    seen, golds = set[str](), dict[str, object]()
    for row in rows:
        wrong = list(of_tree(row)) or list(of_readings(row))
        if row["id"] in seen:
            wrong.append("id, got it twice; expected unique ids")
        if golds.setdefault(" ".join(row["tokens"]), gold(row)) != gold(row):
            wrong.append(ambiguous)
        seen.add(row["id"])
        yield from (f"{row['id']}: {problem}" for problem in wrong)


def _phrase(row: Row, head: int) -> list[str]:
    """Words of a head and of what depends on it."""
    return [t for i, t in enumerate(row["tokens"]) if i == head or row["heads"][i] == head + 1]


def _tree_problems(row: Row) -> Iterator[str]:
    n_words = len(row["tokens"])
    if lengths := [name for name in PER_WORD if len(row[name]) != n_words]:
        n_found = len(row[lengths[0]])
        yield f"{lengths[0]}, got {n_found}; expected one per token, {n_words}"
        return
    roots = [i for i, head in enumerate(row["heads"]) if head == 0]
    if roots != [row["verb"]]:
        yield f"roots, got {roots}; expected the main verb alone, {row['verb']}"
    for name, label in (("subject", "nsubj"), ("object", "obj")):
        place, expected = row[name], (label, row["verb"] + 1)
        got = (row["deprels"][place], row["heads"][place])
        if got != expected or row["deprels"].count(label) != 1:
            of = f"expected the only {label}, of {row['verb'] + 1}"
            yield f"{name}, got {got[0]} of {got[1]}; {of}"
    if len(finite := list(_finite_verbs(row))) != 1:
        yield f"feats, got {len(finite)} finite verbs; expected 1"


def _finite_verbs(row: Row) -> Iterator[str]:
    for token, features in zip(row["tokens"], row["feats"], strict=True):
        if "VerbForm=Fin" in features.split("|"):
            yield token


def _reading_problems(row: Row, tables: Path) -> Iterator[str]:
    lexicon = read_lexicon(tables)
    verb = lexicon.verbs[row["lemmas"][row["verb"]]]
    (finite,) = _finite_verbs(row)
    subject, object_ = _phrase(row, row["subject"]), _phrase(row, row["object"])
    readings = clause_readings((subject, object_), verb, finite, tables=tables)
    # neither phrase may tell its case, nor both their number
    if row["id"].startswith(f"{SYNCRETISM}/") or SYNCRETISM in row["properties"]:
        if len(readings) != 2:
            yield f"readings, got {len(readings)}; expected 2"
        marked = [p for p in (subject, object_) if is_case_marked(p, verb, tables)]
        if marked:
            expected = "expected forms that are both nominative and the object's case"
            yield f"case, got {' '.join(marked[0])!r}; {expected}"
    elif readings != GOLD_READING:
        yield f"readings, got {len(readings)}; expected the gold one alone"
    if (row["resolved_by"] in SETTLED_BY_FORM) != (len(readings) == 1):
        got = f"resolved_by, got {row['resolved_by']} with {len(readings)} readings"
        yield f"{got}; expected case or agreement with one, else another"
    # *Es liest die Leserin .      the accusative `es` cannot be stressed, so it never stands first
    # *Ze leest de dichteres .     Dutch, of ballads that she reads
    if lexicon.grammar == "dutch":
        weak = is_weak(row["tokens"][0].lower(), tables)
    else:
        is_neuter = {"Gender=Neut", "Case=Acc"} <= {*row["feats"][0].split("|")}
        weak = is_neuter and row["xpos"][0] == lexicon.tags["personal"]
    if row["object"] == 0 and weak:
        yield f"Vorfeld, got the accusative {row['tokens'][0]!r}; expected a stressable object"
    if lexicon.grammar == "dutch":
        yield from dutch_problems(row, tables)


OPEN_STATUSES = (ORDER, *UNDECIDED)


def dutch_problems(row: Row, tables: Path) -> Iterator[str]:
    """What a clause breaks, a line each."""
    fields, subject = row["fields"], row["subject"]
    if row["object"] < subject and fields[row["object"]] != "VF":
        yield "order, got the object before the subject; expected it there in the Vorfeld only"
    is_pronoun, family = row["upos"][subject] == "PRON", row["triple_id"].split("/")[0]
    if row["resolved_by"] in OPEN_STATUSES:
        is_first = subject < row["object"] and fields[subject] == "MF"
        is_settled = is_first and not is_pronoun and family not in EXPERIENCERS
        if row["id"].endswith(SVO):
            is_settled = is_pronoun and is_weak(row["tokens"][subject].lower(), tables)
        if (row["resolved_by"] == ORDER) != is_settled:
            yield f"resolved_by, got {row['resolved_by']}; expected {ORDER} where it settles"
    # Daarom leest er een student .    er stands beside an indefinite subject; none is here but in
    # Een koe vangt een haas .         proverbs, which are of all cows
    words = [i for i, head in enumerate(row["heads"]) if head == subject + 1]
    is_indefinite = any("Definite=Ind" in row["feats"][i] for i in words)
    is_bare = row["upos"][subject] == "NOUN" and not words
    if (is_indefinite or is_bare) and not family.startswith("prov"):
        yield "subject, got an indefinite one; expected er beside it, or a definite one"
    particles = [i for i, label in enumerate(row["deprels"]) if label == "compound:prt"]
    if particles and (fields[particles[0]], fields[row["verb"]]) != ("VC", "LK"):
        yield "particle, got it apart at the clause's end; expected one word with its verb"
