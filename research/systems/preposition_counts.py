"""Counts what the phrases of each preposition hang on, from UD treebanks: `pp_prepositions.tsv`.

    python -m research.systems.preposition_counts FILE.conllu ... > pp_prepositions.tsv

The committed table is of UD_German-GSD (dev, test) and UD_German-PUD (test).
"""

import sys
from collections.abc import Sequence

from builders.pp_attachment.natural_rows import phrases_of

LEAST = 5  # phrases of a preposition
HEADER = (
    "# source: counted in UD_German-GSD (dev and test, commit 297fcf3, CC BY-SA 4.0) and"
    " UD_German-PUD (test, commit ff80846, CC BY-SA 3.0), by"
    " research/systems/preposition_counts.py",
    "# licence: CC BY 4.0 (numbers only; no text of the treebanks)",
    f"# notes: prepositions with at least {LEAST} phrases that have two candidate heads or more",
    "# key: preposition",
)


def table_text(places: Sequence[str]) -> str:
    """How often each preposition's phrase hangs on the verb and on a noun of CoNLL-U files."""
    counts: dict[str, list[int]] = {}
    for place in places:
        for phrase in phrases_of(place):
            counts.setdefault(phrase.preposition, [0, 0])[phrase.head != phrase.verb] += 1
    rows = [
        f"{preposition}\t{verb}\t{noun}"
        for preposition, (verb, noun) in sorted(counts.items())
        if verb + noun >= LEAST
    ]
    return "\n".join((*HEADER, "preposition\tn_verb\tn_noun", *rows)) + "\n"


def main(arguments: Sequence[str]) -> int:
    """Prints the table; gives the exit code."""
    if not arguments:
        print("preposition_counts: got no file; expected CoNLL-U files", file=sys.stderr)
        return 1
    sys.stdout.write(table_text(arguments))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
