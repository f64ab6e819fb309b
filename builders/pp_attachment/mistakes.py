"""What misled a parser: the nearest noun."""

from builders.columns import Row
from builders.mistakes import NOTHING, UNDECIDED, Mistake, Pairs, Readers, decided_by, pieces_of


def _attachment(row: Row, item: Row, pairs: Pairs) -> Mistake | None:
    if item["is_head_right"] or row["resolved_by"] in UNDECIDED:
        return None
    words, head, chosen = row["tokens"], row["head"], item["chosen"]
    phrase = f"{words[row['adposition']]} … {words[row['pp']]}"
    read, misled = "neither the verb nor a noun", f"{NOTHING}: no candidate was taken."
    if chosen is not None:
        before = [place for place in row["candidates"] if place < row["adposition"]]
        is_near = chosen == max(before, default=-1)
        where = "the nearest candidate before the phrase" if is_near else "further from the phrase"
        read = f"{phrase} belongs to {words[chosen]}"
        misled = f"{words[chosen]} is a {'verb' if chosen == row['verb'] else 'noun'}, {where}."
    right = f"{phrase} belongs to {words[head]}{decided_by(row)}"
    pieces = pieces_of(words, {chosen: "misled", head: "right"})
    group = (row["position"], row["resolved_by"], row["preposition"])
    return Mistake(row["id"], pieces, right, read, misled, chosen is not None, group)


MISTAKES: Readers = {"pp_attachment_accuracy": _attachment}
