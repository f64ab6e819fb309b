"""Training views: their columns, and that no two parts share what their kind promises."""

import json
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from datasets import ClassLabel, List, load_dataset

from builders.eras import views as eras_views
from builders.shallow import bar, shallow_readers
from builders.suites import suites_with
from builders.views import (
    LEAST_TRAINING_ROWS,
    PARTS,
    SHARES,
    Promise,
    assign,
    broken_promises,
    containments,
    hashed_part,
    overlaps,
    too_small,
)
from dataset_scripts.registry import suite_builder
from dataset_scripts.suite import canary
from publish.build.build import build_suite
from publish.build.manifest import read_provenance
from publish.build.parquet import canary_of, write_split
from publish.build.training_views import (
    built_views,
    overlap_text,
    training_text,
    view_problems,
    views_table,
)
from publish.hub.export import export
from tests.support.cases import cases, golden
from tests.support.centerbench_draw import counted

# what each format promises a script; the first column is, or holds, the text
COLUMNS, LABELS = (golden(f"training_views/{name}") for name in ("columns", "labels"))
NO_CONSTRUCTIONS = (("squad", "constructions"), ("choice", "constructions"))
JSON_VIEW = ("roles_items", "validation")


def configs(suite: str) -> list[str]:
    """Those that a build with views has and one without has not."""
    builder = suite_builder(suite)
    views = {c.name for c in builder.BUILDER_CONFIGS if c.kind == "training"}
    assert not views & set(builder.config_names())
    return [name for name in builder.config_names(views=True) if name in views]


@pytest.mark.parametrize("suite", sorted(COLUMNS))
def test_views_have_the_columns_of_the_scripts(suite):
    features = {c.name: c.features for c in suite_builder(suite).BUILDER_CONFIGS}
    for format, columns in COLUMNS[suite].items():
        for kind in ("items", "words", "constructions"):
            if (format, kind) not in NO_CONSTRUCTIONS:
                assert list(features[f"{format}_{kind}"]) == columns
    for name, labels in LABELS[suite].items():
        format, _, column = name.partition(".")
        feature = features[f"{format}_items"][column]
        inner = feature.feature if isinstance(feature, List) else feature
        assert isinstance(inner, ClassLabel)
        assert inner.names == labels


def test_containments_are_found_from_a_length_on():
    words = ["护士", "护士服", "服", "schreiben", "beschreiben"]
    assert set(containments(words)) == {("护士", "护士服"), ("schreiben", "beschreiben")}
    assert ("服", "护士服") in containments(words, least_length=1)


def test_a_hash_divides_by_the_shares():
    parts = [hashed_part(str(i), "test") for i in range(4_000)]
    for part, share in zip(PARTS, SHARES, strict=True):
        assert parts.count(part) / 4_000 == pytest.approx(share, abs=0.03)


def test_an_assignment_keeps_the_shares_of_every_feature():
    groups = {f"g{i}": {"a" if i % 2 else "b": 1 + i % 5} for i in range(200)}
    parts = assign(groups, "test")
    for feature in "ab":
        total = sum(weights.get(feature, 0) for weights in groups.values())
        for part, share in zip(PARTS, SHARES, strict=True):
            got = sum(w.get(feature, 0) for g, w in groups.items() if parts[g] == part)
            assert got / total == pytest.approx(share, abs=0.03)


def test_broken_promises_are_named():
    words = {"train": {"护士", "手"}, "validation": {"笔"}, "test": {"手", "护士服"}}
    parts = {part: {"word": own} for part, own in (words | {"published": {"笔"}}).items()}
    lines = broken_promises(parts, Promise(("word",), ("word",), contained=("word",)))
    assert lines == [
        "word: shared by train and test, got 1, such as '手'; expected none",
        "word: shared by validation and published, got 1, such as '笔'; expected none",
        "word: '护士' of train lies in '护士服' of test; expected both in one part",
    ]
    assert [one.n_shared for one in overlaps(parts, Promise((), ()))] == [0, 1, 0, 0, 1]


def test_no_sentence_is_asked_the_same_twice(hub):
    for config in ("messages_items", "completion_words", "preference_constructions"):
        for part in PARTS:
            table = pq.read_table(hub / "centerbench" / config / f"{part}-00000-of-00001.parquet")
            asked = [str(row.get("prompt", row.get("messages"))) for row in table.to_pylist()]
            assert len(set(asked)) == len(asked)


def test_a_view_stands_beside_its_best_shallow_reader(hub):
    """Cutters of words have a null and a better shortcut; text without a label has neither."""
    for suite, config, score in (
        ("morphseg", "text2text_items", "f1"),
        ("pp_attachment", "attachment_items", "accuracy"),
    ):
        best = bar(suite, f"{config}/test", score)
        card = views_table(suite, hub / suite, read_provenance(hub / suite))
        (line,) = (line for line in card.split("\n") if line.startswith(f"| `{config}` |"))
        assert best is not None
        assert line.endswith(f"| {100 * best.value:.1f} |")
    for suite in suites_with("headline"):
        found = {one.config for one in shallow_readers(suite) if one.is_shallow}
        for _, config in built_views(suite, hub / suite):
            assert config.startswith("lm_") is (f"{config}/test" not in found)


def test_a_view_with_few_training_rows_is_dropped_with_its_reason():
    assert too_small("view", LEAST_TRAINING_ROWS) == ""
    assert too_small("view", 499) == "view: training rows, got 499; expected at least 500"


def test_views_of_another_draw_are_refused(tmp_path):
    with pytest.raises(ValueError, match="--views, got it with seed; expected the published draw"):
        build_suite("eras", tmp_path, {"seed": 1}, views=True)


def test_a_sentence_tells_its_paradigm_and_fillers():
    paradigm, fillers = eras_views.read_sentence("邻居醉心机动的吊车。")
    assert (paradigm.row.paradigm_id, fillers) == (5, ("邻居", "吊车"))
    with pytest.raises(ValueError, match="templates that make it, got 0"):
        eras_views.read_sentence("邻居醉心吊车。")


def test_the_site_tells_what_parts_share(hub, tmp_path):
    """That promises are kept, `test_build` asks of all suites at once."""
    told = overlap_text(hub / "centerbench", "centerbench")
    assert ", promised" in told
    header = told.splitlines()[0].strip("| ").split(" | ")
    assert header[:2] == ["views", "shared"]
    assert {column.split(" in ")[0] for column in header[2:]} == {"train"}
    card = training_text("centerbench", hub / "centerbench", read_provenance(hub / "centerbench"))
    summary, names = card.split("the other parts: noun (")[1].split("</summary>\n\n", 1)
    listed = names.split("\n")[0].split(", ")
    assert len(listed) == int(summary.removesuffix(")"))
    assert listed == sorted(set(listed))
    assert overlap_text(tmp_path, "sorts") == ""
    assert not built_views("sorts", tmp_path)


@pytest.mark.parametrize("suite", sorted(COLUMNS))
def test_built_views_have_a_canary_of_their_own(suite, hub):
    assert built_views(suite, hub / suite)
    for config in configs(suite):
        for part in PARTS:
            path = hub / suite / config / f"{part}-00000-of-00001.parquet"
            assert canary_of(path) == canary(f"{suite}/training") != canary(suite)


@pytest.mark.parametrize(*cases("training_views/a_leak_of_one_row_is_found", every=3))
def test_a_leak_of_one_row_is_found(suite, config, published, line, hub, tmp_path):
    folder = tmp_path / suite
    folder.mkdir()
    for other in (hub / suite).iterdir():
        # what is published, and of the views this one and what says the words of its rows
        if other.name not in configs(suite) or "parsing" in other.name:
            (folder / other.name).symlink_to(other)
    features = next(c.features for c in suite_builder(suite).BUILDER_CONFIGS if c.name == config)
    for part in PARTS:
        table = pq.read_table(hub / suite / config / f"{part}-00000-of-00001.parquet")
        if part == "train":
            leaked = pq.read_table(hub / suite / f"{published}-00000-of-00001.parquet")
            table = pa.concat_tables([table.slice(1), leaked.slice(0, 1)])
        write_split([table], features, folder / config, part, "")
    found = [each for each in view_problems(suite, folder) if f"{config}: " in each]
    assert any(line in each for each in found), found


def test_sentiment_rows_stand_in_the_order_of_sentiment(hub):
    for kind in ("items", "words", "constructions"):
        sentiment = load_dataset(str(hub / "eras"), f"sentiment_{kind}")
        rows = load_dataset(str(hub / "eras"), f"sentiment_rows_{kind}")
        for part in PARTS:
            assert sentiment[part]["text"][:] == rows[part]["text"][:]
            signs = [sign == "+" for sign in rows[part]["true_sentiment"]]
            assert signs == [bool(label) for label in sentiment[part]["label"]]


def test_a_phrase_is_told_from_its_clause(hub):
    phrases = load_dataset(str(hub / "pp_attachment"), "attachment_words", split="validation")
    trees = load_dataset(str(hub / "pp_attachment"), "parsing_words", split="validation")
    assert phrases.num_rows == trees.num_rows
    upos = trees.features["upos"].feature.names
    relations = trees.features["deprels"].feature.names
    for row, tree in zip(phrases, trees, strict=True):
        assert row["text"] == " ".join(tree["tokens"])
        assert row["phrase"] in row["text"]
        labels = [relations[label] for label in tree["deprels"]]
        noun = tree["heads"][labels.index("case")] - 1
        assert row["phrase"].split(" ")[-1] == tree["tokens"][noun]
        on_verb = upos[tree["upos"][tree["heads"][noun] - 1]] == "VERB"
        assert row["label"] == on_verb


def test_answers_of_squad_stand_where_they_say(hub):
    rows = load_dataset(str(hub / "centerbench"), "squad_words", split="train")
    for row in rows:
        (text,), (start,) = row["answers"]["text"], row["answers"]["answer_start"]
        assert row["context"][start : start + len(text)] == text
        assert row["question"].endswith("?")


CROSSED_KINDS = ("items", "words")


@pytest.mark.parametrize("kind", CROSSED_KINDS)
def test_every_choice_of_a_part_has_a_counterpart_whose_other_option_is_right(kind, hub):
    """As many nouns after the noun, as many words to the verb: one answer as often as the other."""
    parts = load_dataset(str(hub / "centerbench"), f"choice_{kind}")
    sizes = {part: len(rows) for part, rows in parts.items()}
    assert sizes == {"train": 3840, "validation": 480, "test": 960}
    for rows in parts.values():
        sides: Counter[object] = Counter()
        for row in rows:
            assert len(set(row["choices"])) == 2
            cell = cell_of(row["id"])
            sentence = row["question"].partition(". ")[0] + "."
            sign = -1 if row["label"] else 1
            sides[cell, counted(row["id"], sentence)] += sign
        assert set(sides.values()) == {0}


@pytest.mark.parametrize("kind", CROSSED_KINDS)
def test_squad_asks_for_the_agents_of_choice(kind, hub):
    """One of the two nouns in the question; either comes first in half of the rows."""
    squads = load_dataset(str(hub / "centerbench"), f"squad_{kind}")
    choices = load_dataset(str(hub / "centerbench"), f"choice_{kind}")
    for part in PARTS:
        answers = {row["id"].rpartition(":")[0]: row["answers"]["text"] for row in squads[part]}
        assert answers == {
            row["id"]: [row["choices"][row["label"]]]
            for row in choices[part]
            if cell_of(row["id"])[1] == "agent_identification"
        }
        options = [row["question"].rstrip("?").rpartition(", ")[2] for row in squads[part]]
        texts = [row["answers"]["text"][0] for row in squads[part]]
        firsts = [o.startswith(f"{text} or ") for o, text in zip(options, texts, strict=True)]
        assert sum(firsts) * 2 == len(firsts)


def cell_of(identifier: str) -> tuple[str, str, bool]:
    """Member, type of a question with options, whether events branch to the right:
    `words-test-8-00011-i-agent_identification-0-5-2` has (i, agent_identification, False)."""
    *_, member, question_type, n_right, _, _ = identifier.split("-")
    return member, question_type, n_right != "0"


def test_a_view_is_exported_as_conllu():
    text = export("sorts", "conllu", "parsing_items", "validation")
    first = text.split("\n\n")[0].splitlines()
    words = [line.split("\t") for line in first if not line.startswith("#")]
    assert all(len(cells) == 10 for cells in words)
    assert {cells[7] for cells in words} >= {"nsubj", "obj", "root"}
    assert sum(cells[6] == "0" for cells in words) == 1


def test_a_view_is_exported_as_json_with_its_labels_as_numbers():
    rows = [json.loads(line) for line in export("sorts", "json", *JSON_VIEW).splitlines()]
    assert len(rows) > 100
    for row in rows:  # a clause has one subject, one object and one verb
        assert sorted(tag for tag in row["tags"] if tag < 3) == [0, 1, 2]
