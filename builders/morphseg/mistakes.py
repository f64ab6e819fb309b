"""What is wrong with a segmented word: cuts that are missing, cuts that are too many."""

from itertools import accumulate

from builders.columns import Row
from builders.mistakes import Mistake, Pairs, Readers


def _morphemes(row: Row, item: Row, pairs: Pairs) -> Mistake | None:
    if item["is_correct"]:
        return None
    word, gold, found = row["word"], row["morphemes"], item["prediction"]
    true, cut = ({*accumulate(map(len, one[:-1]))} for one in (gold, found))
    facts = [f"No cut between {word[:i]} and {word[i:]}." for i in sorted(true - cut)]
    facts += [f"A cut inside a morpheme, after {word[:i]}." for i in sorted(cut - true)]
    right, read = " + ".join(gold), " + ".join(found)
    return Mistake(row["id"], [(word, "")], right, read, " ".join(facts), True, len(gold))


MISTAKES: Readers = {"morpheme_segmentation": _morphemes}
