"""The authors' edition: checksums, items, base items, pairs, irregularities. The figures that the
reference counted in the same files."""

import gzip
import re
import shutil
from collections import Counter

import pytest

from builders.sorts.gold import gold_columns, read_gold_tsv
from builders.sorts.items import base_items, find_items, find_partners, is_same_lexeme, modifiers
from builders.sorts.released import (
    Found,
    downloadable_files,
    find_files,
    irregularities,
    read_treebank,
    released_tables,
    sources,
    topological_fields,
)
from builders.sorts.writers import paper_conll
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
            for row in across(
                columns, "tokens", "heads", "deprels", "fields", "lemmas", "upos", "feats"
            ):
                assert len({len(column) for column in row}) == 1
            for subject, verb, object_, heads, deprels in across(
                columns, "subject", "verb", "object", "heads", "deprels"
            ):
                assert (heads[subject], heads[verb], heads[object_]) == (verb + 1, 0, verb + 1)
                assert (deprels[subject], deprels[verb], deprels[object_]) == (
                    "nsubj",
                    "root",
                    "obj",
                )
            assert all(item.startswith(f"{split}/") for item in columns["item_id"])
            assert set(columns["base_item_id"]) <= set(columns["item_id"])


def test_the_subject_precedes_the_object_where_the_order_says_so(tables):
    columns = clauses(tables, "paper", "amb")
    for order, subject, object_ in across(columns, "word_order", "subject", "object"):
        assert (subject < object_) == (order.endswith(("[SO]", "[SO]VC[V]")) or order == SVO)


ITEMS = {  # items, with 5, 8 and 4 orders
    ("paper", "part_amb"): (1884, 1411, 473, 0),
    ("paper", "amb"): (1349, 1043, 306, 0),
    ("head", "part_amb"): (1839, 1390, 434, 15),
    ("head", "amb"): (1315, 800, 188, 327),
}


@pytest.mark.parametrize("subset", SUBSETS, ids=IDS)
def test_items(tables, subset):
    sizes = Counter(Counter(clauses(tables, *subset)["item_id"]).values())
    assert (sum(sizes.values()), sizes[5], sizes[8], sizes[4]) == ITEMS[subset]


# Relations between an item and a modifier; at least so many found at the same or another place,
# or with one other word.
PARTNERS = {
    ("paper", "part_amb"): (2231, 2231 - 14),
    ("paper", "amb"): (1659, 1659 - 9),
    ("head", "part_amb"): (2177, 2177 - 10),
    ("head", "amb"): (1625, 1625 - 2),
}


@pytest.mark.parametrize("subset", SUBSETS, ids=IDS)
def test_partners(tables, subset):
    items = find_items(clauses(tables, *subset), "x")
    partners = find_partners(items)
    n_relations, n_found = PARTNERS[subset]
    assert sum(len(modifiers(item)) for item in items) == n_relations
    assert len(partners) >= n_found
    sure = sum(partner.match != "one other word" for partner in partners.values())
    assert sure / n_relations > 0.94
    for (name, tag), partner in partners.items():
        assert set(name.split("/")[0].split("-")) - {"base", "acc"} == partner.item.tags | {tag}


@pytest.mark.parametrize("subset", SUBSETS, ids=IDS)
def test_base_items_have_no_modifier_unless_they_have_no_partner(tables, subset):
    items = find_items(clauses(tables, *subset), "x")
    partners = find_partners(items)
    bases = base_items(items, partners)
    by_name = {item.name: item for item in items}
    with_modifier = {base for base in bases.values() if modifiers(by_name[base])}
    assert all(
        (base, tag) not in partners for base in with_modifier for tag in modifiers(by_name[base])
    )
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
    full = tables["released_head"]["part_amb"]
    assert {
        name: column
        for name, column in alone["released_head"]["part_amb"].items()
        if name != "irregularities"
    } == {name: column for name, column in full.items() if name != "irregularities"}


def test_an_unknown_version_is_refused(released, tmp_path):
    data = read_bytes(released / "sorts" / "paper_german_amb_gold.tsv.gz")
    (tmp_path / "german_ambiguous_gold.tsv").write_bytes(data.removesuffix(b"\r\n"))
    with pytest.raises(
        DataFileError,
        match=(
            r"german_ambiguous_gold.tsv: sha256, got [0-9a-f]{64}; expected a version "
            r"listed in released.toml"
        ),
    ):
        released_tables(tmp_path)


def test_a_folder_without_files_is_refused(tmp_path):
    write_whole(tmp_path / "other.conll", "no file of theirs")
    with pytest.raises(
        DataFileError,
        match=(
            r"got no gold file of the authors; expected one of "
            r"dutch/gold/dutch_amb_gold.conll, dutch/gold/"
        ),
    ):
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


@pytest.mark.parametrize("subset", SUBSETS, ids=IDS)
def test_clauses_with_werden_as_main_verb(tables, subset):
    columns = clauses(tables, *subset)
    wrong = {
        i
        for i, (tokens, verb) in enumerate(zip(columns["tokens"], columns["verb"], strict=True))
        if tokens[verb].lower() in WERDEN
    }
    assert set(flagged(tables, *subset, "auxiliary_as_verb")) == wrong
    assert len(wrong) == (50 if subset == ("paper", "amb") else 0)


@pytest.mark.parametrize("subset", SUBSETS, ids=IDS)
def test_clauses_with_other_properties_than_they_say(tables, subset):
    columns = clauses(tables, *subset)
    wrong = set()
    for i, (tokens, tags, object_, verb) in enumerate(
        zip(*(columns[name] for name in ("tokens", "properties", "object", "verb")), strict=True)
    ):
        words = [token.lower() for token in tokens]
        has_auxiliary = bool(WERDEN & set(words)) and words[verb] not in WERDEN
        is_name_with_pronoun = set(tags) == {"spron", "sname"} and words[object_] in (
            "ihn",
            "sie",
            "es",
        )
        has_dative = (
            ({words[object_], words[object_ - 1]} & DATIVE)
            and not has_auxiliary
            and "dat" not in tags
        )
        lacks_phrase = "pp" in tags and "in dem jahr" not in " ".join(words)
        if (
            (has_auxiliary and "aux" not in tags)
            or is_name_with_pronoun
            or lacks_phrase
            or (has_dative and "base" in tags and "regpol" in tags)
        ):
            wrong.add(i)
    assert set(flagged(tables, *subset, "wrong_properties")) == wrong
    assert len(wrong) == {
        ("paper", "part_amb"): 15 + 75 + 5 + 5 + 5,
        ("head", "part_amb"): 75 + 5,
    }.get(subset, 0)


@pytest.mark.parametrize("subset", SUBSETS, ids=IDS)
def test_sentences_that_occur_twice(tables, subset):
    columns = clauses(tables, *subset)
    places: dict[str, list[int]] = {}
    for i, sentence in enumerate(sentences(columns)):
        places.setdefault(sentence, []).append(i)
    twice = [rows for rows in places.values() if len(rows) > 1]
    with_two_golds = {
        row for rows in twice if len({columns["subject"][row] for row in rows}) > 1 for row in rows
    }
    repeated = {rows[-1] for rows in twice if rows[0] not in with_two_golds}
    assert set(flagged(tables, *subset, "two_golds")) == with_two_golds
    assert set(flagged(tables, *subset, "repeated_sentence")) == repeated
    assert (len(with_two_golds), len(repeated)) == {
        ("paper", "amb"): (22, 0),
        ("head", "amb"): (0, 0),
    }.get(subset, (0, 5))
    assert all(
        {columns["word_order"][row] for row in (rows[0], rows[-1])} == {SVO, OVS}
        for rows in twice
        if rows[0] in with_two_golds
    )


@pytest.mark.parametrize("subset", SUBSETS, ids=IDS)
def test_nichts_as_a_dative(tables, subset):
    columns = clauses(tables, *subset)
    objects = [
        tokens[object_].lower()
        for tokens, object_ in zip(columns["tokens"], columns["object"], strict=True)
    ]
    wrong = {
        i
        for i, (word, tags) in enumerate(zip(objects, columns["properties"], strict=True))
        if word == "nichts" and "dat" in tags
    }
    assert set(flagged(tables, *subset, "ungrammatical")) == wrong


@pytest.mark.parametrize("split", ["part_amb", "amb"])
def test_the_phrase_in_its_old_place(tables, split):
    columns = clauses(tables, "head", split)
    wrong = {
        i
        for i, (tokens, order, object_) in enumerate(
            zip(*(columns[name] for name in ("tokens", "word_order", "object")), strict=True)
        )
        if order == "MF[SO]VC[V]" and "Jahr" in tokens and tokens.index("Jahr") < object_
    }
    assert set(flagged(tables, "head", split, "old_placement")) == wrong
    assert len(wrong) == 1


def test_the_line_with_nine_columns_is_mended_and_flagged(tables, files):
    (row,) = flagged(tables, "head", "amb", "broken_line")
    assert clauses(tables, "head", "amb")["properties"][row] == ["aux", "sname"]
    assert clauses(tables, "head", "amb")["word_order"][row] == OVS
    lines = read_bytes(files["head", "amb", "gold"].path).decode().split("\n")
    assert [i for i, line in enumerate(lines, 1) if line and line.count("\t") != 9] == [16135]


def test_without_the_repair_the_line_is_refused(files):
    found = files["head", "amb", "gold"]
    other = Found(found.source.__class__(**(vars(found.source) | {"version": "paper"})), found.path)
    with pytest.raises(
        DataFileError,
        match=(
            rf"^{re.escape(str(found.path))}:16135: columns, got 9; expected 10, separated "
            rf"by tabs$"
        ),
    ):
        read_treebank(other)


def test_the_label_verb_of_the_full_trees(tables, files):
    (row,) = flagged(tables, "head", "amb", "label_verb")
    labels = read_treebank(files["head", "amb", "trees"]).lists("deprel").to_pylist()
    assert [i for i, words in enumerate(labels) if "verb" in words] == [row]
    assert sum(words.count("root") for words in labels) == 6811


@pytest.mark.parametrize(("split", "n"), [("amb", 27), ("part_amb", 1)])
def test_clauses_that_the_sentence_format_has_otherwise(tables, files, split, n):
    assert len(flagged(tables, "head", split, "not_in_tsv")) == n
    columns = clauses(tables, "head", split)
    rows = zip(
        sentences(columns),
        read_gold_tsv(files["head", split, "sentences"].path)["sentence"],
        strict=True,
    )
    assert sum(ours != theirs for ours, theirs in rows) == {"amb": 122, "part_amb": 1}[split]


def test_annotation_is_joined_by_words(tables, files):
    columns = clauses(tables, "head", "amb")
    assert not flagged(tables, "head", "amb", "not_annotated")
    treebank = read_conll(files["head", "amb", "annotated"].path, columns=ANNOTATED_COLUMNS)
    assert treebank.n_sentences == 6814
    theirs = {
        tuple(tokens): lemmas
        for tokens, lemmas in zip(
            treebank.lists("form").to_pylist(), treebank.lists("lemma").to_pylist(), strict=True
        )
    }
    assert [theirs[tuple(tokens)] for tokens in columns["tokens"]] == columns["lemmas"]
    assert columns["xpos"][0] == ["ART", "NN", "VVFIN", "NN", "$."]
    assert columns["upos"][0] == ["DET", "NOUN", "VERB", "NOUN", "PUNCT"]


def test_fields_are_those_of_the_authors(tables, files):
    treebank = read_conll(files["head", "amb", "annotated"].path, columns=ANNOTATED_COLUMNS)
    theirs: dict[tuple[str, ...], list[str]] = {}
    for tokens, features in zip(
        treebank.lists("form").to_pylist(), treebank.lists("feats").to_pylist(), strict=True
    ):
        theirs[tuple(tokens)] = [
            feature.rsplit("tf:", 1)[1].replace("UNK", "_") for feature in features
        ]
    columns = clauses(tables, "head", "amb")
    rows = zip(columns["tokens"], columns["fields"], strict=True)
    different = [tokens for tokens, fields in rows if theirs[tuple(tokens)] != fields]
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
        subject, verb, object_ = (mended[name][row] for name in ("subject", "verb", "object"))
        assert sorted(map(str.lower, tokens)) == sorted(map(str.lower, published["tokens"][row]))
        # the right bracket, before the finite verb of a verb-last clause
        assert verb == len(tokens) - (3 if order.startswith("MF[") else 2)
        assert tokens[verb].endswith("n")
        assert tokens[verb].lower() not in WERDEN
        assert (
            tokens[subject].lower() == published["tokens"][row][published["subject"][row]].lower()
        )
        assert mended["fields"][row][object_] in ("VF", "MF")
        assert (mended["heads"][row][subject], mended["heads"][row][object_]) == (
            verb + 1,
            verb + 1,
        )
    assert sum(published["tokens"][row] != mended["tokens"][row] for row in rows) == 5 * 4 + 2
    untouched = [row for row, flags in enumerate(published["irregularities"]) if not flags]
    assert all(published[name][row] == mended[name][row] for name in published for row in untouched)


def test_properties_are_put_right(tables):
    counts = Counter(
        tag for tags in tables["released_paper_repaired"]["part_amb"]["properties"] for tag in tags
    )
    assert (counts["aux"], counts["amb"], counts["dat"]) == (1467 + 15, 1335 - 15, 1285 + 5)
    assert (counts["spron"], counts["opron"]) == (1140 - 75, 1387 + 75)


def test_a_repaired_clause_can_be_written(tables):
    mended = tables["released_paper_repaired"]["amb"]
    rows = list(flagged(tables, "paper", "amb", "auxiliary_as_verb"))
    chosen = {
        name: [mended[name][row] for row in rows]
        for name in ("word_order", "properties", "tokens", "subject", "verb", "object")
    }
    assert paper_conll(chosen).count("\tverb\t") == 50


def test_published_counts_of_words_orders_and_properties(tables, released):
    for name, split in (("sorts_table7_counts", "amb"), ("sorts_table9_counts", "part_amb")):
        columns = clauses(tables, "paper", split)
        counts = Counter(columns["word_order"]) + Counter(
            tag for tags in columns["properties"] for tag in set(tags) - {"base", "acc"}
        )
        counts["base-acc"] = sum(tags == ["base", "acc"] for tags in columns["properties"])
        rows = published(released, name)
        assert counts == {row["class"]: int(row["sentences"]) for row in rows}


def test_every_listed_irregularity_is_used(tables):
    for entry in irregularities():
        assert any(
            flag.split(":")[0] == entry.kind
            for flag in flagged(tables, entry.version, entry.split, entry.kind).values()
        )


ORDERS = [SVO, OVS, "VF[ADV]LK[V]MF[SO]", "LK[V]MF[SO]", "MF[SO]VC[V]"]
SENTENCES = {
    "base-acc": [
        "Ein Hund sieht Katzen .",
        "Katzen sieht ein Hund .",
        "Deshalb sieht ein Hund Katzen .",
        "Sieht ein Hund Katzen ?",
        "Weil ein Hund Katzen sieht .",
    ]
}


def small(orders=ORDERS, texts=SENTENCES["base-acc"], block="base-acc"):
    return {
        "word_order": list(orders),
        "properties": [block.split("-")] * len(orders),
        "tokens": [text.split() for text in texts],
        "subject": [
            next(i for i, word in enumerate(text.split()) if word == "Hund") for text in texts
        ],
        "verb": [
            next(i for i, word in enumerate(text.split()) if word.lower() == "sieht")
            for text in texts
        ],
        "object": [
            next(i for i, word in enumerate(text.split()) if word == "Katzen") for text in texts
        ],
    }


def test_items_of_a_small_file():
    (item,) = find_items(small(), "x")
    assert (item.name, item.rows, dict(item.words)) == (
        "base-acc/00",
        (0, 1, 2, 3, 4),
        {"subject": "Hund", "verb": "sieht", "object": "Katzen"},
    )
    assert topological_fields(small(), [item.rows])[4] == ["C", "MF", "MF", "MF", "VC", "_"]


BAD_ITEMS = [
    (
        small(ORDERS[1:], SENTENCES["base-acc"][1:]),
        "x: clause 1, got VF[O]LK[V]MF[S] at the start of base-acc; expected VF[S]LK[V]MF[O]",
    ),
    (
        small([*ORDERS, OVS], [*SENTENCES["base-acc"], "Katzen sieht ein Hund ."]),
        "x: item base-acc/00, got VF[O]LK[V]MF[S] twice; expected each",
    ),
    (
        small(ORDERS[:2], ["Ein Hund sieht Katzen .", "Katzen sieht der Hund ."]),
        "x: item base-acc/00, got other words in VF[O]LK[V]MF[S]; expected those of "
        "VF[S]LK[V]MF[O]",
    ),
]


@pytest.mark.parametrize(
    ("columns", "message"), BAD_ITEMS, ids=["no first clause", "order twice", "other words"]
)
def test_bad_items_are_refused(columns, message):
    with pytest.raises(DataFileError, match=f"^{re.escape(message)}"):
        find_items(columns, "x")


def test_a_block_in_two_places_is_refused():
    columns = {name: 3 * values for name, values in small().items()}
    columns["properties"] = [["base", "acc"]] * 5 + [["base", "aux"]] * 5 + [["base", "acc"]] * 5
    with pytest.raises(
        DataFileError,
        match=(
            "x: blocks, got one property combination in two places; expected all its "
            "clauses together"
        ),
    ):
        find_items(columns, "x")


@pytest.mark.parametrize(*cases("sorts_released/forms_of_one_lexeme"))
def test_forms_of_one_lexeme(first, second, expected):
    assert is_same_lexeme(first, second) is expected
    assert is_same_lexeme(second, first) is expected


def test_gold_columns_of_the_authors_can_be_read_from_a_treebank(files):
    columns = gold_columns(read_treebank(files["head", "part_amb", "gold"]), "final")
    assert len(columns["tokens"]) == 10_482


def test_a_download_gives_the_files_that_the_configs_need(released, sources, tmp_path):
    """Fetched from the files at hand instead of the network: pinned, checked. Each version in a
    folder of its own."""
    from dataset_scripts.sorts import Sorts
    from ground.downloads import checksum, download

    at_hand = {
        checksum(content): content
        for content in map(
            gzip.decompress,
            (
                path.read_bytes()
                for folder in (released / "sorts", sources / "sorts" / "dutch")
                for path in folder.glob("*.gz")
            ),
        )
    }
    files = downloadable_files()
    assert Sorts.released_sources() == files
    assert {file.name.split("/")[0] for file in files} == {"paper", "head", "dutch_head"}
    assert all("/DiveFish/SORTS/" in file.url and "{" not in file.url for file in files)
    by_url = {file.url: at_hand[file.sha256] for file in files}
    folder = download(files, tmp_path, by_url.__getitem__)
    assert sorted(released_tables(folder)) == [
        "released_dutch_head",
        "released_head",
        "released_head_repaired",
        "released_paper",
        "released_paper_repaired",
    ]
