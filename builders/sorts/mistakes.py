"""What misled a parser: order, animacy, and meaning where a twin says the reverse."""

from builders.columns import Row
from builders.mistakes import UNDECIDED, Mistake, Pairs, Readers, decided_by, pieces_of

FACTS = (
    ("sinan", "The subject is inanimate."),
    ("oan", "The object is animate."),
    ("invan", "The object is animate and the subject is not."),
)


def _roles(row: Row, item: Row, pairs: Pairs) -> Mistake | None:
    lost = [name for name in ("subject", "object") if not item[f"is_{name}_right"]]
    if not lost or row["resolved_by"] in UNDECIDED:
        return None
    words, is_swapped = row["tokens"], item["is_swapped"]
    subject, target = words[row["subject"]], words[row["object"]]
    read = (
        f"subject {target}, object {subject}" if is_swapped else f"{' and '.join(lost)} not found"
    )
    is_reversed = row["object"] < row["subject"]
    order = "The subject comes first, so word order does not mislead here."
    if is_reversed:
        order = "The object comes first, where word order alone expects the subject."
    is_odd = row.get("condition") == "implausible"
    facts = [order, *(fact for name, fact in FACTS if name in row["properties"])]
    if is_odd:
        facts.append("In the other roles the nouns would be likelier.")
    pieces = pieces_of(
        words, {row["subject"]: "right", row["object"]: "misled" if is_swapped else ""}
    )
    right = f"subject {subject}, object {target}{decided_by(row)}"
    group = (row["word_order"], row["resolved_by"])
    told = is_swapped and (is_reversed or is_odd)
    return Mistake(row["id"], pieces, right, read, " ".join(facts), told, group)


MISTAKES: Readers = {"subject_object_las": _roles}
