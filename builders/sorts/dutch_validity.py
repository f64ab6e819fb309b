"""Rules of Dutch that every clause keeps, told from its words, tags and fields alone."""

from collections.abc import Iterator
from pathlib import Path

from builders.sorts.checked_clauses import CheckedClause
from builders.sorts.resolution import EXPERIENCERS, ORDER, is_weak
from metrics.subject_object_las.inputs import SVO, UNDECIDED

OPEN_STATUSES = (ORDER, *UNDECIDED)


def dutch_problems(clause: CheckedClause, tables: Path) -> Iterator[str]:
    """What a clause breaks, a line each."""
    if clause.object < clause.subject and clause.fields[clause.object] != "VF":
        yield "order, got the object before the subject; expected it there in the Vorfeld only"
    if clause.resolved_by in OPEN_STATUSES:
        expected = _is_settled_by_order(clause, tables)
        if (clause.resolved_by == ORDER) != expected:
            yield f"resolved_by, got {clause.resolved_by}; expected {ORDER} where it settles"
    if _is_indefinite_subject(clause):
        yield "subject, got an indefinite one; expected er beside it, or a definite one"
    particles = [i for i, label in enumerate(clause.deprels) if label == "compound:prt"]
    if particles and (clause.fields[particles[0]], clause.fields[clause.verb]) != ("VC", "LK"):
        yield "particle, got it apart at the clause's end; expected one word with its verb"


def _is_settled_by_order(clause: CheckedClause, tables: Path) -> bool:
    first = clause.tokens[clause.subject].lower()
    is_pronoun = clause.upos[clause.subject] == "PRON"
    if clause.id.endswith(SVO):
        return is_pronoun and is_weak(first, tables)
    is_first = clause.subject < clause.object and clause.fields[clause.subject] == "MF"
    is_experiencer = clause.triple_id.split("/")[0] in EXPERIENCERS
    return is_first and not is_pronoun and not is_experiencer


def _is_indefinite_subject(clause: CheckedClause) -> bool:
    # Daarom leest er een student .    er stands beside an indefinite subject; none is here but in
    # Een koe vangt een haas .         proverbs, which are of all cows
    words = [i for i, head in enumerate(clause.heads) if head == clause.subject + 1]
    is_indefinite = any("Definite=Ind" in clause.feats[i] for i in words)
    is_bare = clause.upos[clause.subject] == "NOUN" and not words
    return (is_indefinite or is_bare) and not clause.triple_id.startswith("prov")
