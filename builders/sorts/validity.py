"""Checks rows of the suite against what they claim: readings, trees, ids, one tree per sentence.

What the realizer meant is derived again from words and tables.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from builders.sorts.design import SYNCRETISM
from builders.sorts.lexicon import GERMAN, read_lexicon
from builders.sorts.likelihoods import question_problems, same_word_problems
from builders.sorts.readings import clause_readings, is_case_marked
from builders.sorts.resolution import EXPERIENCERS, ORDER, is_weak
from metrics.subject_object_las.inputs import SVO, UNDECIDED


class CheckedClause(NamedTuple):
    """A row, with the columns that are checked."""

    id: str
    triple_id: str
    properties: Sequence[str]
    resolved_by: str
    tokens: Sequence[str]
    lemmas: Sequence[str]
    upos: Sequence[str]
    xpos: Sequence[str]
    feats: Sequence[str]
    heads: Sequence[int]
    deprels: Sequence[str]
    fields: Sequence[str]
    subject: int
    verb: int
    object: int

    def phrase(self, head: int) -> list[str]:
        """Words of a head and of what depends on it."""
        words = enumerate(self.tokens)
        return [token for i, token in words if i == head or self.heads[i] == head + 1]

    @property
    def is_syncretic(self) -> bool:
        """Whether neither phrase may tell its case, nor both their number."""
        return self.id.startswith(f"{SYNCRETISM}/") or SYNCRETISM in self.properties


CHECKED = CheckedClause._fields

ROWS_AT_ONCE = 1_000  # as Python objects they need ten times the memory
PER_WORD = ("lemmas", "xpos", "feats", "heads", "deprels", "fields")
SETTLED_BY_FORM = ("case", "agreement")
GOLD_READING = [0]  # the first of the two phrases, which is the subject


def problems(table: pa.Table, tables: Path = GERMAN) -> list[str]:
    """One line per problem of rows, beginning with the row's id; [] for a valid table."""
    if "cluster" in table.column_names:
        columns = table.to_pydict()
        return list((question_problems if "question" in columns else same_word_problems)(columns))
    found: list[str] = []
    seen, golds = set[str](), dict[str, tuple[int, int]]()
    for clause in (
        CheckedClause(*values)
        for batch in table.select(CHECKED).to_batches(max_chunksize=ROWS_AT_ONCE)
        for values in zip(*batch.to_pydict().values(), strict=True)
    ):
        wrong = list(_tree_problems(clause))
        wrong += [] if wrong else _reading_problems(clause, tables)
        if clause.id in seen:
            wrong.append("id, got it twice; expected unique ids")
        arguments = (clause.subject, clause.object)
        if golds.setdefault(" ".join(clause.tokens), arguments) != arguments:
            got = "sentence, got it with another subject and object elsewhere"
            wrong.append(f"{got}; expected one tree per sentence")
        seen.add(clause.id)
        found += [f"{clause.id}: {problem}" for problem in wrong]
    return found


def _tree_problems(clause: CheckedClause) -> Iterator[str]:
    n_words = len(clause.tokens)
    if lengths := [name for name in PER_WORD if len(getattr(clause, name)) != n_words]:
        n_found = len(getattr(clause, lengths[0]))
        yield f"{lengths[0]}, got {n_found}; expected one per token, {n_words}"
        return
    roots = [i for i, head in enumerate(clause.heads) if head == 0]
    if roots != [clause.verb]:
        yield f"roots, got {roots}; expected the main verb alone, {clause.verb}"
    for name, label in (("subject", "nsubj"), ("object", "obj")):
        place, expected = getattr(clause, name), (label, clause.verb + 1)
        got = (clause.deprels[place], clause.heads[place])
        if got != expected or clause.deprels.count(label) != 1:
            of = f"expected the only {label}, of {clause.verb + 1}"
            yield f"{name}, got {got[0]} of {got[1]}; {of}"
    if len(finite := list(_finite_verbs(clause))) != 1:
        yield f"feats, got {len(finite)} finite verbs; expected 1"


def _finite_verbs(clause: CheckedClause) -> Iterator[str]:
    for token, features in zip(clause.tokens, clause.feats, strict=True):
        if "VerbForm=Fin" in features.split("|"):
            yield token


def _reading_problems(clause: CheckedClause, tables: Path) -> Iterator[str]:
    lexicon = read_lexicon(tables)
    verb = lexicon.verbs[clause.lemmas[clause.verb]]
    (finite,) = _finite_verbs(clause)
    subject, object_ = clause.phrase(clause.subject), clause.phrase(clause.object)
    readings = clause_readings((subject, object_), verb, finite, tables=tables)
    if clause.is_syncretic:
        if len(readings) != 2:
            yield f"readings, got {len(readings)}; expected 2"
        marked = [p for p in (subject, object_) if is_case_marked(p, verb, tables)]
        if marked:
            expected = "expected forms that are both nominative and the object's case"
            yield f"case, got {' '.join(marked[0])!r}; {expected}"
    elif readings != GOLD_READING:
        yield f"readings, got {len(readings)}; expected the gold one alone"
    if (clause.resolved_by in SETTLED_BY_FORM) != (len(readings) == 1):
        got = f"resolved_by, got {clause.resolved_by} with {len(readings)} readings"
        yield f"{got}; expected case or agreement with one, else another"
    # *Es liest die Leserin .      the accusative `es` cannot be stressed, so it never stands first
    # *Ze leest de dichteres .     Dutch, of ballads that she reads
    if lexicon.grammar == "dutch":
        weak = is_weak(clause.tokens[0].lower(), tables)
    else:
        is_neuter = {"Gender=Neut", "Case=Acc"} <= {*clause.feats[0].split("|")}
        weak = is_neuter and clause.xpos[0] == lexicon.tags["personal"]
    if clause.object == 0 and weak:
        yield f"Vorfeld, got the accusative {clause.tokens[0]!r}; expected a stressable object"
    if lexicon.grammar == "dutch":
        yield from dutch_problems(clause, tables)


OPEN_STATUSES = (ORDER, *UNDECIDED)


def dutch_problems(clause: CheckedClause, tables: Path) -> Iterator[str]:
    """What a clause breaks, a line each."""
    fields, subject = clause.fields, clause.subject
    if clause.object < subject and fields[clause.object] != "VF":
        yield "order, got the object before the subject; expected it there in the Vorfeld only"
    is_pronoun, family = clause.upos[subject] == "PRON", clause.triple_id.split("/")[0]
    if clause.resolved_by in OPEN_STATUSES:
        is_first = subject < clause.object and fields[subject] == "MF"
        is_settled = is_first and not is_pronoun and family not in EXPERIENCERS
        if clause.id.endswith(SVO):
            is_settled = is_pronoun and is_weak(clause.tokens[subject].lower(), tables)
        if (clause.resolved_by == ORDER) != is_settled:
            yield f"resolved_by, got {clause.resolved_by}; expected {ORDER} where it settles"
    # Daarom leest er een student .    er stands beside an indefinite subject; none is here but in
    # Een koe vangt een haas .         proverbs, which are of all cows
    words = [i for i, head in enumerate(clause.heads) if head == subject + 1]
    is_indefinite = any("Definite=Ind" in clause.feats[i] for i in words)
    is_bare = clause.upos[subject] == "NOUN" and not words
    if (is_indefinite or is_bare) and not family.startswith("prov"):
        yield "subject, got an indefinite one; expected er beside it, or a definite one"
    particles = [i for i, label in enumerate(clause.deprels) if label == "compound:prt"]
    if particles and (fields[particles[0]], fields[clause.verb]) != ("VC", "LK"):
        yield "particle, got it apart at the clause's end; expected one word with its verb"
