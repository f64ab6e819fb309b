"""What stands beside the true word in a string of the extended paradigms."""

from builders.eras.extended import WrittenParadigm


def has_short_neighbour(paradigm: WrittenParadigm) -> bool:
    """Whether the word of the test beside the true one, in the string, has one character."""
    test, row = paradigm.templates.test, paradigm.row
    beside = test[test.index(row.true_word) + (1 if row.branching == "left" else -1)]
    return isinstance(beside, str) and len(beside) == 1
