"""The authors' edition: checksums, items, base items, pairs, irregularities. The figures that the
reference counted in the same files."""

import gzip
import re
import shutil
from collections import Counter
from types import SimpleNamespace

import pytest

from builders.sorts.items import base_items, find_items, find_partners, is_same_lexeme, modifiers
from builders.sorts.released import (
    Found,
    configs_in,
    downloadable_files,
    find_files,
    irregularities,
    read_gold_tsv,
    read_treebank,
    released_tables,
    sources,
    topological_fields,
)
from ground.files import write_whole
from ground.tables import DataFileError
from metrics._shared.treebanks import read_bytes, read_conll
from metrics.subject_object_las.inputs import ANNOTATED_COLUMNS, OVS, SVO
from tests.support.cases import cases
from tests.support.published import published
from tests.support.released_sorts import sorts_tables
from tests.support.results import across

WERDEN = {"werde", "wirst", "wird", "werden", "werdet"}
DATIVE = {"einer", "einem", "keiner", "keinem", "der", "dem", "ihr", "ihm", "ihnen"}
PER_WORD = ("tokens", "heads", "deprels", "fields", "lemmas", "upos", "feats")
ROLES = ("subject", "verb", "object")
SUBSETS = [("paper", "part_amb"), ("paper", "amb"), ("head", "part_amb"), ("head", "amb")]
IDS = ["-".join(subset) for subset in SUBSETS]


@pytest.fixture(scope="module")
def tables(released):
    return sorts_tables(released)


@pytest.fixture(scope="module")
def files(released):
    return find_files(released / "sorts")


def clauses(tables, version, split):
    return tables[f"released_{version}"][split]


def sentences(columns):
    return [" ".join(tokens) for tokens in columns["tokens"]]


def test_every_config_has_the_clauses_of_its_version(tables):
    assert {
        config: {split: len(columns["id"]) for split, columns in splits.items()}
        for config, splits in tables.items()
    } == {
        "released_paper": {"part_amb": 10_839, "amb": 7_663},
        "released_paper_repaired": {"part_amb": 10_839, "amb": 7_663},
        "released_head": {"part_amb": 10_482, "amb": 6_812},
        "released_head_repaired": {"part_amb": 10_482, "amb": 6_812},
    }


def test_every_row_of_every_config_is_whole(tables):
    for splits in tables.values():
        for split, columns in splits.items():
            assert len(set(columns["id"])) == len(columns["id"])
            assert {len(column) for column in columns.values()} == {len(columns["id"])}
            for row in across(columns, *PER_WORD):
                assert len({len(column) for column in row}) == 1
            for *places, heads, deprels in across(columns, *ROLES, "heads", "deprels"):
                verb = places[1]
                assert [heads[place] for place in places] == [verb + 1, 0, verb + 1]
                assert [deprels[place] for place in places] == ["nsubj", "root", "obj"]
            assert all(item.startswith(f"{split}/") for item in columns["item_id"])
            assert set(columns["base_item_id"]) <= set(columns["item_id"])


def test_the_subject_precedes_the_object_where_the_order_says_so(tables):
    columns = clauses(tables, "paper", "amb")
    for order, subject, object_ in across(columns, "word_order", "subject", "object"):
        assert (subject < object_) == (order.endswith(("[SO]", "[SO]VC[V]")) or order == SVO)


@pytest.mark.parametrize(*cases("sorts_released/items_and_partners"))
def test_items_and_partners(tables, version, split, sizes, n_relations, n_missing):
    columns = clauses(tables, version, split)
    found = Counter(Counter(columns["item_id"]).values())
    assert [found.total(), found[5], found[8], found[4]] == sizes
    items = find_items(columns, "x")
    partners = find_partners(items)
    assert sum(len(modifiers(item)) for item in items) == n_relations
    assert len(partners) >= n_relations - n_missing
    for (name, tag), partner in partners.items():
        assert set(name.split("/")[0].split("-")) - {"base", "acc"} == partner.tags | {tag}

    # base items have no modifier unless they have no partner
    bases = base_items(items, partners)
    by_name = {item.name: item for item in items}
    with_modifier = {base for base in bases.values() if modifiers(by_name[base])}
    for base in with_modifier:
        assert not [tag for tag in modifiers(by_name[base]) if (base, tag) in partners]
    assert len(with_modifier) <= 14
    assert Counter(bases.values())["base-acc/00"] >= 40


def test_a_triple_is_one_in_both_splits(tables):
    shared = [set(tables["released_paper"][split]["triple_id"]) for split in ("part_amb", "amb")]
    assert (len(shared[0]), len(shared[1]), len(shared[0] & shared[1])) == (266, 149, 145)


def test_the_checksums_are_those_of_the_files(files):
    # not among the reference files
    missing = {
        source for source in sources() if (source.version, source.kind) == ("paper", "annotated")
    }
    german = {source for source in sources() if source.version != "dutch_head"}
    assert {found.source for found in files.values()} == german - missing
    for found in files.values():
        assert len(read_bytes(found.path)) == found.source.bytes


def test_renamed_and_paper_files_give_the_same_clauses(released, tables, tmp_path):
    for path in (released / "sorts").glob("paper-renamed_*"):
        shutil.copy(path, tmp_path)
    assert released_tables(tmp_path)["released_paper"] == tables["released_paper"]


def test_one_split_alone(released, tables, tmp_path):
    (tmp_path / "german" / "gold").mkdir(parents=True)  # the folders of a clone
    data = read_bytes(released / "sorts" / "head_german_part-amb_gold.conll.gz")
    (tmp_path / "german" / "gold" / "german_part-amb_gold.conll").write_bytes(data)
    alone = released_tables(tmp_path)
    assert list(alone) == ["released_head", "released_head_repaired"]
    assert list(alone["released_head"]) == ["part_amb"]
    full, part = (one["released_head"]["part_amb"] for one in (tables, alone))
    assert {**part, "irregularities": full["irregularities"]} == full


def test_an_unknown_version_is_refused(released, tmp_path):
    data = read_bytes(released / "sorts" / "paper_german_amb_gold.tsv.gz")
    (tmp_path / "german_ambiguous_gold.tsv").write_bytes(data.removesuffix(b"\r\n"))
    message = r"_gold.tsv: sha256, got [0-9a-f]{64}; expected a version listed in released.toml"
    with pytest.raises(DataFileError, match=message):
        released_tables(tmp_path)


def test_a_folder_without_files_is_refused(tmp_path):
    write_whole(tmp_path / "other.conll", "no file of theirs")
    message = r"got no gold file of the authors; expected one of dutch/gold/dutch_amb_gold.conll, "
    with pytest.raises(DataFileError, match=message):
        released_tables(tmp_path)


# --- What is wrong with the files, found again from the words.
def flagged(tables, version, split, kind):
    columns = clauses(tables, version, split)
    return {
        row: flag
        for row, flags in enumerate(columns["irregularities"])
        for flag in flags
        if flag.split(":")[0] == kind
    }


def has_werden_as_verb(row):
    return row.words[row.verb] in WERDEN


def has_nichts_as_dative(row):
    return row.words[row.object] == "nichts" and "dat" in row.properties


def has_phrase_in_its_old_place(row):
    is_last = row.word_order == "MF[SO]VC[V]" and "jahr" in row.words
    return row.version == "head" and is_last and row.words.index("jahr") < row.object


def has_other_properties(row):
    words, tags = row.words, set(row.properties)
    has_auxiliary = bool(WERDEN & set(words)) and words[row.verb] not in WERDEN
    named = tags == {"spron", "sname"} and words[row.object] in ("ihn", "sie", "es")
    dative = {words[row.object], words[row.object - 1]} & DATIVE and not has_auxiliary
    lacks_phrase = "pp" in tags and "in dem jahr" not in " ".join(words)
    lacks_dative = dative and "dat" not in tags and {"base", "regpol"} <= tags
    return (has_auxiliary and "aux" not in tags) or named or lacks_phrase or lacks_dative


WRONG = {  # how many clauses are so
    "auxiliary_as_verb": (has_werden_as_verb, {("paper", "amb"): 50}),
    "wrong_properties": (
        has_other_properties,
        {("paper", "part_amb"): 15 + 75 + 5 + 5 + 5, ("head", "part_amb"): 75 + 5},
    ),
    "ungrammatical": (has_nichts_as_dative, None),
    "old_placement": (
        has_phrase_in_its_old_place,
        {("head", "part_amb"): 1, ("head", "amb"): 1},
    ),
}


@pytest.mark.parametrize("subset", SUBSETS, ids=IDS)
@pytest.mark.parametrize("kind", WRONG)
def test_what_is_flagged_is_wrong_by_its_words(tables, subset, kind):
    columns = clauses(tables, *subset)
    is_wrong, counts = WRONG[kind]
    wrong = set()
    for i, values in enumerate(across(columns, *columns)):
        row = SimpleNamespace(**dict(zip(columns, values, strict=True)), version=subset[0])
        row.words = [token.lower() for token in row.tokens]
        wrong |= {i} if is_wrong(row) else set()
    assert set(flagged(tables, *subset, kind)) == wrong
    assert counts is None or len(wrong) == counts.get(subset, 0)


@pytest.mark.parametrize("subset", SUBSETS, ids=IDS)
def test_sentences_that_occur_twice(tables, subset):
    columns = clauses(tables, *subset)
    places: dict[str, list[int]] = {}
    for i, sentence in enumerate(sentences(columns)):
        places.setdefault(sentence, []).append(i)
    twice = [rows for rows in places.values() if len(rows) > 1]
    subjects = [{columns["subject"][row] for row in rows} for rows in twice]
    both = [rows for rows, of in zip(twice, subjects, strict=True) if len(of) > 1]
    with_two_golds = {row for rows in both for row in rows}
    repeated = {rows[-1] for rows in twice if rows[0] not in with_two_golds}
    assert set(flagged(tables, *subset, "two_golds")) == with_two_golds
    assert set(flagged(tables, *subset, "repeated_sentence")) == repeated
    counts = {("paper", "amb"): (22, 0), ("head", "amb"): (0, 0)}
    assert (len(with_two_golds), len(repeated)) == counts.get(subset, (0, 5))
    for rows in both:
        assert {columns["word_order"][row] for row in (rows[0], rows[-1])} == {SVO, OVS}


def test_the_line_with_nine_columns_is_mended_and_flagged_else_refused(tables, files):
    (row,) = flagged(tables, "head", "amb", "broken_line")
    columns, found = clauses(tables, "head", "amb"), files["head", "amb", "gold"]
    assert (columns["properties"][row], columns["word_order"][row]) == (["aux", "sname"], OVS)
    lines = read_bytes(found.path).decode().split("\n")
    assert [i for i, line in enumerate(lines, 1) if line and line.count("\t") != 9] == [16135]
    other = Found(found.source.__class__(**(vars(found.source) | {"version": "paper"})), found.path)
    message = f"{found.path}:16135: columns, got 9; expected 10, separated by tabs"
    with pytest.raises(DataFileError, match=f"^{re.escape(message)}$"):
        read_treebank(other)


def test_the_label_verb_of_the_full_trees(tables, files):
    (row,) = flagged(tables, "head", "amb", "label_verb")
    labels = read_treebank(files["head", "amb", "trees"]).lists("deprel").to_pylist()
    assert [i for i, words in enumerate(labels) if "verb" in words] == [row]
    assert sum(words.count("root") for words in labels) == 6811


@pytest.mark.parametrize(("split", "n"), [("amb", 27), ("part_amb", 1)])
def test_clauses_that_the_sentence_format_has_otherwise(tables, files, split, n):
    assert len(flagged(tables, "head", split, "not_in_tsv")) == n
    theirs = read_gold_tsv(files["head", split, "sentences"].path)["sentence"]
    rows = zip(sentences(clauses(tables, "head", split)), theirs, strict=True)
    assert sum(ours != theirs for ours, theirs in rows) == {"amb": 122, "part_amb": 1}[split]


def test_annotation_is_joined_by_words_and_fields_are_those_of_the_authors(tables, files):
    columns = clauses(tables, "head", "amb")
    assert not flagged(tables, "head", "amb", "not_annotated")
    treebank = read_conll(files["head", "amb", "annotated"].path, columns=ANNOTATED_COLUMNS)
    assert treebank.n_sentences == 6814
    lists = (treebank.lists(name).to_pylist() for name in ("form", "lemma", "feats"))
    theirs = {tuple(tokens): told for tokens, *told in zip(*lists, strict=True)}
    found = [theirs[tuple(tokens)] for tokens in columns["tokens"]]
    assert [lemmas for lemmas, _ in found] == columns["lemmas"]
    assert columns["xpos"][0] == ["ART", "NN", "VVFIN", "NN", "$."]
    assert columns["upos"][0] == ["DET", "NOUN", "VERB", "NOUN", "PUNCT"]
    fields = [[one.rsplit("tf:", 1)[1].replace("UNK", "_") for one in of] for _, of in found]
    different = [one for one in zip(columns["fields"], fields, strict=True) if one[0] != one[1]]
    # slips of their tagger: a verb in the middle field, an object or a noun outside of any field
    assert len(different) == 5


def test_full_trees_agree_with_gold_and_fill_every_word(tables):
    columns = clauses(tables, "head", "amb")
    assert all(None not in heads for heads in columns["heads"])
    assert Counter(label for labels in columns["deprels"] for label in labels)["root"] == 6812


def test_what_can_be_put_right_is(tables):
    published, mended = (
        tables[config]["amb"] for config in ("released_paper", "released_paper_repaired")
    )
    rows = list(flagged(tables, "paper", "amb", "auxiliary_as_verb"))
    for row in rows:
        tokens, order = mended["tokens"][row], mended["word_order"][row]
        subject, verb, object_ = (mended[name][row] for name in ROLES)
        before, heads = published["tokens"][row], mended["heads"][row]
        assert sorted(map(str.lower, tokens)) == sorted(map(str.lower, before))
        # the right bracket, before the finite verb of a verb-last clause
        assert verb == len(tokens) - (3 if order.startswith("MF[") else 2)
        assert tokens[verb].endswith("n")
        assert tokens[verb].lower() not in WERDEN
        assert tokens[subject].lower() == before[published["subject"][row]].lower()
        assert mended["fields"][row][object_] in ("VF", "MF")
        assert (heads[subject], heads[object_]) == (verb + 1, verb + 1)
    assert sum(published["tokens"][row] != mended["tokens"][row] for row in rows) == 5 * 4 + 2
    untouched = [row for row, flags in enumerate(published["irregularities"]) if not flags]
    assert all(published[name][row] == mended[name][row] for name in published for row in untouched)


def test_properties_are_put_right(tables):
    properties = tables["released_paper_repaired"]["part_amb"]["properties"]
    counts = Counter(tag for tags in properties for tag in tags)
    assert (counts["aux"], counts["amb"], counts["dat"]) == (1467 + 15, 1335 - 15, 1285 + 5)
    assert (counts["spron"], counts["opron"]) == (1140 - 75, 1387 + 75)


def test_published_counts_of_words_orders_and_properties(tables, released):
    for name, split in (("sorts_table7_counts", "amb"), ("sorts_table9_counts", "part_amb")):
        columns = clauses(tables, "paper", split)
        tags = [tag for tags in columns["properties"] for tag in {*tags} - {"base", "acc"}]
        counts = Counter([*columns["word_order"], *tags])
        counts["base-acc"] = sum(tags == ["base", "acc"] for tags in columns["properties"])
        rows = published(released, name)
        assert counts == {row["class"]: int(row["sentences"]) for row in rows}


def test_every_listed_irregularity_is_used(tables):
    for entry in irregularities():
        assert flagged(tables, entry.version, entry.split, entry.kind)


ORDERS = [SVO, OVS, "VF[ADV]LK[V]MF[SO]", "LK[V]MF[SO]", "MF[SO]VC[V]"]
SENTENCES = [
    "Ein Hund sieht Katzen .",
    "Katzen sieht ein Hund .",
    "Deshalb sieht ein Hund Katzen .",
    "Sieht ein Hund Katzen ?",
    "Weil ein Hund Katzen sieht .",
]


def small(orders=ORDERS, texts=SENTENCES):
    lowered = [text.lower().split() for text in texts]
    return {
        "word_order": list(orders),
        "properties": [["base", "acc"]] * len(orders),
        "tokens": [text.split() for text in texts],
        "subject": [words.index("hund") for words in lowered],
        "verb": [words.index("sieht") for words in lowered],
        "object": [words.index("katzen") for words in lowered],
    }


def test_items_of_a_small_file():
    (item,) = find_items(small(), "x")
    assert (item.name, item.rows, dict(item.words)) == (
        "base-acc/00",
        (0, 1, 2, 3, 4),
        {"subject": "Hund", "verb": "sieht", "object": "Katzen"},
    )
    assert topological_fields(small(), [item.rows])[4] == ["C", "MF", "MF", "MF", "VC", "_"]


TAGS = [["base", tag] for tag in ("acc", "aux", "acc") for _ in ORDERS]
BAD_ITEMS = {
    "clause 1, got VF[O]LK[V]MF[S] at the start of base-acc; expected VF[S]LK[V]MF[O]": small(
        ORDERS[1:], SENTENCES[1:]
    ),
    "item base-acc/00, got VF[O]LK[V]MF[S] twice; expected each": small(
        [*ORDERS, OVS], [*SENTENCES, SENTENCES[1]]
    ),
    "item base-acc/00, got other words in VF[O]LK[V]MF[S]; expected those of VF[S]LK": small(
        ORDERS[:2], [SENTENCES[0], "Katzen sieht der Hund ."]
    ),
    "blocks, got one property combination in two places; expected all its clauses together": (
        small(3 * ORDERS, 3 * SENTENCES) | {"properties": TAGS}
    ),
}


@pytest.mark.parametrize("message", BAD_ITEMS)
def test_bad_items_are_refused(message):
    with pytest.raises(DataFileError, match=f"^x: {re.escape(message)}"):
        find_items(BAD_ITEMS[message], "x")


@pytest.mark.parametrize(*cases("sorts_released/forms_of_one_lexeme"))
def test_forms_of_one_lexeme(first, second, expected):
    assert is_same_lexeme(first, second) is expected
    assert is_same_lexeme(second, first) is expected


def test_a_download_gives_the_files_that_the_configs_need(released, sources, tmp_path):
    """Fetched from the files at hand instead of the network: pinned, checked. Each version in a
    folder of its own."""
    from dataset_scripts.sorts import Sorts
    from ground.downloads import checksum, download

    folders = (released / "sorts", sources / "sorts" / "dutch")
    packed = [path.read_bytes() for folder in folders for path in folder.glob("*.gz")]
    at_hand = {checksum(content): content for content in map(gzip.decompress, packed)}
    files = downloadable_files()
    assert Sorts.released_sources() == files
    assert {file.name.split("/")[0] for file in files} == {"paper", "head", "dutch_head"}
    assert all("/DiveFish/SORTS/" in file.url and "{" not in file.url for file in files)
    by_url = {file.url: at_hand[file.sha256] for file in files}
    folder = download(files, tmp_path, by_url.__getitem__)
    german = {
        f"released_{version}{end}" for version in ("head", "paper") for end in ("", "_repaired")
    }
    assert set(configs_in(folder)) == {"released_dutch_head", *german}
