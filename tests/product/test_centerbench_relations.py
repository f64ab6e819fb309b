"""The knowledge base: judgements on a small one, the schema's messages, the real one's forms."""

import gzip
import json
import math
import re
import shutil
from pathlib import Path

import pytest

from builders.centerbench.relations import DOMAINS, KnowledgeBase
from ground.tables import DataFileError
from tests.conftest import ROOT
from tests.support.cases import cases

SMALL = ROOT / "tests" / "golden" / "centerbench"
INVALID = ROOT / "tests" / "invalid" / "centerbench"


@pytest.fixture(scope="module")
def small() -> KnowledgeBase:
    return KnowledgeBase(SMALL)


@pytest.fixture(scope="module")
def knowledge() -> KnowledgeBase:
    return KnowledgeBase()


# subject, verb, object, status, restrictions that are broken; ranks: lynx 60, owl 50, shrew 20,
# beetle 6
@pytest.mark.parametrize(*cases("centerbench_relations/judgements"))
def test_judge(small, subject, verb, patient, status, restrictions):
    object_ = small.nouns[patient] if patient else None
    judgement = small.judge(small.nouns[subject], small.verbs[verb], object_)
    assert judgement == (status, tuple(restrictions))
    # of a verb that runs up or down the rank alone decides, of any other the subject's sort
    decisive = "rank" if small.verbs[verb].margin is not None and object_ else "subject_sort"
    is_wrong = small.has_wrong_subject(small.nouns[subject], small.verbs[verb], object_)
    assert is_wrong == (decisive in restrictions)
    if object_:
        licensed = small.licensed_verbs(small.nouns[subject], object_, [small.verbs[verb]])
        assert bool(licensed) == (status == "licensed")


@pytest.mark.parametrize(*cases("centerbench_relations/bad_files"))
def test_tables_that_contradict_each_other_are_refused(name, message, tmp_path):
    shutil.copytree(SMALL, tmp_path, dirs_exist_ok=True)
    table = name.split("__")[0]
    shutil.copyfile(INVALID / f"{name}.tsv", tmp_path / f"{table}.tsv")
    with pytest.raises(DataFileError, match=rf"{table}\.tsv(:\d+)?: {re.escape(message)}"):
        KnowledgeBase(tmp_path)


def test_knowledge_base_is_large_enough(knowledge):
    assert len(knowledge.nouns) >= 150
    assert len(knowledge.verbs) >= 200
    assert {knowledge.domain(noun) for noun in knowledge.nouns.values()} == set(DOMAINS)
    assert "lead" not in {verb.base for verb in knowledge.verbs.values()}
    assert {verb.frame for verb in knowledge.verbs.values() if verb.objects == ()} == {"final"}


def test_tails_hold_no_noun(knowledge):
    """The number of entities is no matter of taste: tails are particles, prepositions, adverbs."""
    tails = {word for verb in knowledge.verbs.values() for word in (verb.tail or "").split()}
    adverbs = "after around ashore aside away down downhill in off on out over past underground up"
    others = "about aground home back alongside free toward onto undercover"
    prepositions = {"at", "from", "to", "for", "before", "behind", "against", "under", "of"}
    assert tails <= {*adverbs.split(), *others.split(), *prepositions}


def test_restrictions_of_verbs_are_complete(knowledge):
    for verb in knowledge.verbs.values():
        assert (verb.margin is not None) == (verb.direction in ("down", "up")), verb.verb
        assert verb.passive is None or verb.frame == "transitive", verb.verb
        regular = f"{verb.participle} {verb.tail}" if verb.tail else verb.participle
        assert verb.passive in (None, regular), verb.verb
        assert verb.tail or verb.frame == "final" or verb.passive, verb.verb
        assert (verb.direction is None) == (verb.frame == "final"), verb.verb
        assert verb.past + (f" {verb.tail}" if verb.tail else "") == verb.verb
        assert not set(verb.subjects) & set(verb.tolerated), verb.verb


# forms that lemminflect 0.2.3 does not give: (base, tag) -> why ours is right
NOT_IN_LEMMINFLECT = {
    ("leap", "VBD"): "American leaped beside British leapt",
    ("leap", "VBN"): "American leaped beside British leapt",
}


def test_verb_forms_agree_with_lemminflect(knowledge):
    lemminflect = pytest.importorskip("lemminflect")
    unused = set(NOT_IN_LEMMINFLECT)
    for verb in knowledge.verbs.values():
        base = verb.base.split("-")[-1]
        forms = {"VBD": verb.past, "VBN": verb.participle, "VBG": verb.gerund, "VBZ": verb.third}
        for tag, form in forms.items():
            if form.split("-")[-1] not in (known := lemminflect.getInflection(base, tag)):
                assert (base, tag) in NOT_IN_LEMMINFLECT, f"{form} is not in {known}"
                unused.discard((base, tag))
    assert not unused


def test_frequencies_are_those_of_the_named_source(knowledge):
    lookups = pytest.importorskip("spacy_lookups_data")
    path = Path(lookups.__file__).parent / "data" / "en_lexeme_prob.json.gz"
    probabilities = json.loads(gzip.decompress(path.read_bytes()))
    texts = [(noun.noun, noun.zipf) for noun in knowledge.nouns.values()]
    texts += [(verb.past, verb.zipf) for verb in knowledge.verbs.values()]
    for text, zipf in texts:
        rarest = min(probabilities.get(word, -20.5) for word in re.split("[ -]", text))
        assert zipf == pytest.approx(max(0.0, rarest / math.log(10) + 9), abs=0.006), text


@pytest.mark.parametrize("domain", DOMAINS)
def test_wrong_subjects_are_those_that_are_found_one_by_one(knowledge, domain):
    nouns = [noun for noun in knowledge.nouns.values() if knowledge.domain(noun) == domain][::3]
    verbs = [verb for verb in knowledge.verbs.values() if verb.frame == "transitive"][::2]
    for verb in verbs:
        found = knowledge.wrong_subjects(verb, nouns)
        assert found.tolist() == [
            [knowledge.has_wrong_subject(subject, verb, patient) for patient in nouns]
            for subject in nouns
        ]
