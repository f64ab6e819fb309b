"""Placement: the templates. And the authors' own clauses rebuilt from their subject-verb-object
ones."""

from collections import Counter
from collections.abc import Mapping, Sequence

import pytest

from builders.sorts.lexicon import read_lexicon
from builders.sorts.realizer import PLACEMENTS, capitalized, pronouns_among, slots
from builders.sorts.released import SCHEMES, find_files, gold_columns, read_treebank
from metrics.subject_object_las.inputs import SVO, WORD_ORDERS
from tests.support.cases import cases
from tests.support.results import across

PARTS = {
    "S": ["der", "Leser"],
    "F": ["wird"],
    "PP": ["in", "dem", "Jahr"],
    "O": ["einen", "Roman"],
    "I": ["lesen"],
    "ADV": ["deshalb"],
    "SUB": ["weil"],
}


def arrange(
    parts: Mapping[str, Sequence[str]], order: str, placement: str, pronouns: str
) -> list[str]:
    """Words of a clause in an order: the parts S, O, F, I, PP, ADV, SUB in their slots."""
    words: list[str] = []
    for _, symbol in slots(order, placement, pronouns):
        words += parts.get(symbol, ()) if symbol.isupper() else (symbol,)
    return [capitalized(words[0]), *words[1:]]


@pytest.mark.parametrize(*cases("sorts_placement/every_part_stands_in_its_place"))
def test_every_part_stands_in_its_place(word_order, placement, pronouns, parts, expected):
    assert " ".join(arrange(PARTS | parts, word_order, placement, pronouns)) == expected


@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("word_order", WORD_ORDERS)
@pytest.mark.parametrize("pronouns", ["any", "subject", "object", "both"])
def test_every_template_holds_subject_object_and_verb_once_in_the_named_order(
    placement, word_order, pronouns
):
    fields, symbols = zip(*slots(word_order, placement, pronouns), strict=True)
    assert [symbols.count(symbol) for symbol in "SOF"] == [1, 1, 1]
    is_subject_first = "[S" in word_order and "[O]LK" not in word_order
    assert (symbols.index("S") < symbols.index("O")) == is_subject_first
    assert fields.count("VF") == word_order.startswith("VF")
    assert symbols[-1] == ("?" if word_order.startswith("LK") else ".")


def test_an_unknown_order_or_placement_is_refused():
    with pytest.raises(ValueError, match=r"word order: got 'SVO'; expected LK\[V\]MF\[SO\], .*"):
        slots("SVO", "paper", "any")
    with pytest.raises(ValueError, match="placement: got 'free'; expected idiomatic, paper, head"):
        slots(SVO, "free", "any")


# Words that the authors begin a clause with and that are neither nouns nor names nor in our own
# tables of closed classes.
ALSO_LOWER = {"alles", "frühe", "mancher", "viel"}
PERSONAL = {
    *("er", "sie", "es", "ihn", "ihm", "ihr", "ihnen"),
    *("mich", "dich", "uns", "euch", "ich", "du", "wir"),
}
AUXILIARY = {"werde", "wirst", "wird", "werden", "werdet"}


def closed_class():
    lexicon = read_lexicon()
    forms = {row.nominative for row in lexicon.determiner_forms.values()}
    return forms | {form for p in lexicon.pronouns for form in p.nominative} | ALSO_LOWER


def split_svo(tokens, verb, lower):
    """S, F, PP, O, I of a clause in the order subject, verb, object. The finite verb is the main
    verb or the auxiliary before it."""
    auxiliaries = [i for i, token in enumerate(tokens[:verb]) if i and token in AUXILIARY]
    has_auxiliary = verb == len(tokens) - 2 and bool(auxiliaries)
    finite = auxiliaries[0] if has_auxiliary else verb
    rest = tokens[finite + 1 : -1 - has_auxiliary]
    has_pp = rest[:3] == ["in", "dem", "Jahr"]
    first = tokens[0].lower() if tokens[0].lower() in lower else tokens[0]
    parts = {
        "S": [first, *tokens[1:finite]],
        "F": [tokens[finite]],
        "O": rest[3 * has_pp :],
        "ADV": ["deshalb"],
        "SUB": ["weil"],
    }
    return parts | {"PP": rest[:3] * has_pp, "I": [tokens[verb]] * has_auxiliary}


def rebuilt(columns, placement):
    """Counts per word order the clauses that come out of their item's first clause. Gives the
    others."""
    lower, right, wrong, parts, pronouns = closed_class(), Counter(), [], {}, "any"
    for order, tokens, verb, tags in across(columns, "word_order", "tokens", "verb", "properties"):
        if order == SVO:
            parts = split_svo(tokens, verb, lower)
            is_object = len(parts["O"]) == 1 and parts["O"][0] in PERSONAL
            pronouns = pronouns_among(parts["S"][0] in PERSONAL, is_object)
        if arrange(parts, order, placement, pronouns) == tokens:
            right[order] += 1
        else:
            wrong.append((order, "-".join(tags), " ".join(tokens)))
    return right, wrong


@pytest.mark.parametrize(*cases("sorts_placement/the_authors_clauses_come_out_of_their_first_ones"))
def test_the_authors_clauses_come_out_of_their_first_ones(
    released, version, split, placement, n_clauses, n_wrong
):
    found = find_files(released / "sorts")[version, split, "gold"]
    right, wrong = rebuilt(gold_columns(read_treebank(found), SCHEMES[version]), placement)
    print(wrong[:20])
    assert (right.total() + len(wrong), len(wrong)) == (n_clauses, n_wrong)
    assert all((order, tags) == ("MF[SO]VC[V]", "pp-sinan") for order, tags, _ in wrong)
