"""The user's package: tests of the suites, predictions in, four lines out."""

import json
import math
import re
import shlex
import shutil
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import garden_path
from builders.reference_lines import ScoreLine, digest_of, kept_items, lines_of
from builders.suites import SuiteTest, find_test, suites_with
from builders.suites import tests_of as all_tests_of
from garden_path.__main__ import COMMANDS, main
from garden_path.model_scores import sampled
from garden_path.readers.predictions import checked_tokens, read_trees
from garden_path.result import Result, over_shortcut
from garden_path.rows import load, origin
from garden_path.scoring import inputs_of, score
from tests.conftest import ROOT
from tests.support.cases import cases

LITE = "simplified_lite"


SUITES = ("eras", "sorts", "pp_attachment", "centerbench", "morphseg")
TREE = ("tokens", "heads", "deprels")


@pytest.fixture(scope="module")
def hub(hub):
    """What is built, as the place of all rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GARDEN_PATH_HUB", str(hub))
        yield hub


@pytest.fixture(scope="module")
def few(hub, tmp_path_factory):
    """A part of the rows of every test, in a folder of their own."""
    folder = tmp_path_factory.mktemp("few")
    for test in (test for suite in SUITES for test in all_tests_of(suite)):
        place = folder / test.suite / test.config / f"{test.split}-00000-of-00001.parquet"
        place.parent.mkdir(parents=True, exist_ok=True)
        table = load(test.suite, test.config, test.split)
        rows = sampled(table.to_pylist(), 300)
        pq.write_table(pa.Table.from_pylist(rows, table.schema), place)
    return folder


def rows_of(suite, config=""):
    test = find_test(suite, config)
    return load(suite, test.config, test.split).to_pylist()


def written(path, records):
    path.write_text("".join(f"{json.dumps(one)}\n" for one in records), encoding="utf-8")
    return path


def test_every_suite_has_tests_whose_rows_are_built(hub):
    assert tuple(suites_with("tests")) == SUITES
    for suite in SUITES:
        for test in all_tests_of(suite):
            assert load(suite, test.config, test.split).num_rows >= 200


def test_gold_is_perfect_in_every_suite(few, monkeypatch):
    monkeypatch.setenv("GARDEN_PATH_HUB", str(few))

    def tree(row):
        return [{name: row[name] for name in TREE}]

    golds = {
        "eras": lambda row: [row["test_words"], row["control_words"]],
        "sorts": tree,
        "pp_attachment": tree,
        "centerbench": lambda row: [row["answer"]],
        "morphseg": lambda row: [row["morphemes"]],
    }
    for suite, gold in golds.items():
        result = score(suite, [one for row in rows_of(suite) for one in gold(row)])
        assert result.headline == result["headline"] == 1.0, suite
        assert len(result.summary().split("\n")) == 4
        assert str(result) == result.summary()
        assert result.conclusion().startswith(("Above", "Not shown")), suite


def test_a_file_is_found_by_its_texts_and_scored(hub, tmp_path, capsys):
    sentences, _ = inputs_of("eras", LITE)
    path, result = tmp_path / "words.txt", tmp_path / "result.json"
    path.write_text("\n".join(" ".join(text) for text in reversed(sentences)), encoding="utf-8")
    given = ["score", "eras", str(path), "--config", LITE, "--hub", str(hub)]
    assert main([*given, "--json", str(result)]) == 0
    told = capsys.readouterr().out
    assert "3,900 of 3,900 rows matched by text" in told
    assert "words.txt on eras simplified_lite: pair accuracy 0.0 %" in told
    assert json.loads(result.read_text(encoding="utf-8"))["headline"] == 0.0


def test_inputs_are_shown_with_their_ids(hub, capsys):
    for suite in SUITES:
        assert main(["inputs", suite, "--format", "tsv"]) == 0
        lines = capsys.readouterr().out.split("\n")
        assert len({line.split("\t")[0] for line in lines}) == len(lines)
    assert main(["inputs", "eras", "--format", "conllu"]) == 1
    assert "--format, got 'conllu' for the kind segmenter; expected tsv" in capsys.readouterr().err


@pytest.mark.parametrize(*cases("garden_path/what_cannot_be_meant_is_refused_in_one_line"))
def test_what_cannot_be_meant_is_refused_in_one_line(given, tokens, told, hub, tmp_path, capsys):
    path = tmp_path / "tokens.jsonl"
    texts = inputs_of("sorts", "pairs").inputs
    written(path, [{"text": text, "tokens": tokens} for text in texts])
    assert main(given.format(tokens=path, folder=tmp_path).split()) == 1
    err = capsys.readouterr().err.strip()
    assert told in err
    assert "\n" not in err


@pytest.mark.parametrize("has_rows", [True, False])
def test_the_list_needs_no_rows(has_rows, hub, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("GARDEN_PATH_HUB", str(hub if has_rows else tmp_path))
    assert main(["list"]) == 0
    told = capsys.readouterr().out
    assert max(map(len, told.split("\n"))) <= 100
    for suite in SUITES:
        for test in all_tests_of(suite):
            assert f"{suite}, {test.kind.replace('_', ' ')}\n" in told
            assert f"\n  {test.name} " in told
    assert ("no rows here" in told) is not has_rows


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("", r"this package: rows, got no .*`make hub` builds them"),
        (".", r"rows, got no eras/simplified_lite/test; expected suites"),
        ("no", r"no: rows, got no such folder; expected one .*package datasets is not installed"),
    ],
)
def test_rows_that_are_nowhere_are_said_to_be(place, message, tmp_path, monkeypatch):
    monkeypatch.delenv("GARDEN_PATH_HUB", raising=False)
    monkeypatch.setattr("garden_path.rows.PACKAGED", tmp_path / "hub")
    monkeypatch.setitem(sys.modules, "datasets", None)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=message):
        load("eras", "simplified_lite", hub=place)


@pytest.mark.parametrize(*cases("garden_path/mistakes_end_in_one_line"))
def test_mistakes_end_in_one_line(arguments, message, hub, capsys):
    assert main(arguments) == 1
    told = capsys.readouterr().err.strip()
    assert message in told
    assert "\n" not in told


MISSING = "predictions, got none, 3,240 are missing; expected at least one"
NO_TREE = r"predictions\[0\]: got .*; expected a row with heads"


@pytest.mark.parametrize(
    ("test", "given", "message"),
    [
        ("centerbench", 7, "questions_lite: predictions, got 7; expected a file, a system, or one"),
        ("centerbench", "the dog " * 999, "got no such file; expected one file, or a system"),
        ("centerbench", [None] * 3240, MISSING),
        ("centerbench", [math.nan] * 3240, MISSING),
        ("eras/simplified_lite", [["a"]], "predictions, got 1; expected 3,900"),
        ("sorts/dutch_lite/part_amb", ["x"] * 798, NO_TREE),
        ("sorts/dutch_lite/part_amb", [("x",)] * 798, NO_TREE),
    ],
)
def test_what_is_no_prediction_is_refused(test, given, message, hub):
    suite, _, config = test.partition("/")
    with pytest.raises(ValueError, match=message):
        score(suite, given, config)


def test_the_gold_beside_a_column_of_another_name_is_refused(hub, tmp_path):
    """Golds alone are scored, and so is a suite's own row; `gpt-4` may be the system's column."""
    names, rows = ("id", "sentence", "answer"), rows_of("centerbench")
    kept = [{name: row[name] for name in names} for row in rows]
    assert score("centerbench", written(tmp_path / "golds.jsonl", kept)).headline == 1
    path = written(tmp_path / "given.jsonl", [row | {"gpt-4": "I refuse."} for row in kept])
    with pytest.raises(ValueError, match=r"got the gold answer .* gpt-4"):
        score("centerbench", path)


def test_gold_words_beside_the_words_of_a_system_are_refused(hub, tmp_path):
    """Two columns of words that differ are refused by the reader, golds alone by what they are."""
    sides, rows = ("test", "control"), rows_of("eras", LITE)
    golds = [(f"{row['id']}/{side}", row[f"{side}_words"]) for row in rows for side in sides]
    marks = {" ": "got others in the column jieba", "+": r"gold test_words .* jieba"}
    for mark, message in marks.items():
        lines = [{"id": i, "words": w, "jieba": mark.join("".join(w))} for i, w in golds]
        with pytest.raises(ValueError, match=message):
            score("eras", written(tmp_path / "given.jsonl", lines), LITE, kind="segmenter")


def test_what_is_not_scored_or_not_read_is_said_of_lists_too(hub):
    unread = score("centerbench", ["I cannot answer."] * 3240)
    assert unread.told == "Nothing could be read in 100.0 % of the replies."
    assert "280 of 3,240 rows." in unread.summary()
    missing = score("centerbench", [None, math.nan, *["the dog"] * 3238])
    assert missing.told.split("\n")[0] == "predictions: 2 of 3,240 missing"
    first, second, *others = [row["morphemes"] for row in rows_of("morphseg")]
    swapped = score("morphseg", [second, first, *others])
    assert swapped.told == "The morphemes of 2 words do not spell their word."
    assert swapped.summary().count("80.6 %") == 2  # the shortcut, on the same items
    trees = [{name: row[name] for name in TREE} for row in rows_of("pp_attachment")]
    golds = score("pp_attachment", trees)
    assert golds.told == "154 rows are undecided and not scored."
    assert "104 pairs of 846 rows." in golds.summary()


def test_a_difference_that_its_test_denies_is_not_shown(hub):
    """Five pairs, all wrong: the interval excludes 0, and p is above 0.05."""
    rows = sampled(rows_of("centerbench"), 330)
    told = score("centerbench", ["none"] * len(rows), limit=330).conclusion()
    assert told.startswith("Not shown to differ from the best shortcut")
    assert "excludes 0, but the test does not (p = 0.0625): too few items decide." in told


def test_a_split_that_is_none_says_which_there_are(hub):
    with pytest.raises(ValueError, match=r"expected one of sorts/dutch_lite/amb, sorts"):
        load("sorts", "dutch_lite")


@pytest.mark.parametrize("case", [str.lower, str.upper])
def test_labels_of_tiger_are_read_in_either_case(hub, case):
    """A treebank has them in capitals, a parser that learnt from it in small letters."""
    own = {"nsubj": "sb", "obj": "oa", "iobj": "da", "root": "root"}
    rows = rows_of("sorts", "conll_lite/amb")
    labels = [[case(own.get(label, "mo")) for label in row["deprels"]] for row in rows]
    trees = [{**row, "deprels": own} for row, own in zip(rows, labels, strict=True)]
    result = score("sorts", trees, "conll_lite/amb")
    assert result.headline == 1
    assert result.told.split("\n")[0] == "Labels are read as those of TIGER."
    shouted = [{**row, "deprels": [*map(str.upper, row["deprels"])]} for row in rows]
    with pytest.raises(ValueError, match="they look like UD in upper case: lower them"):
        score("sorts", shouted, "conll_lite/amb")


def test_clauses_without_trees_are_read_back_and_refused(hub, tmp_path):
    """What `inputs` writes of clauses is CoNLL-U by whose ids trees are matched."""
    path = tmp_path / "clauses.conllu"
    assert main(["inputs", "pp_attachment", "--out", str(path)]) == 0
    assert path.read_text(encoding="utf-8").endswith("_\n\n")  # behind the last sentence too
    items = inputs_of("pp_attachment")
    with pytest.raises(ValueError, match=r"clauses.conllu:3: heads, got none; expected numbers of"):
        read_trees(path, items.inputs, items.ids)
    word = r"(?m)^(\d+)((?:\t[^\t]*){5})\t_\t_"
    roots = re.sub(word, r"\1\2\t0\troot", path.read_text("utf-8"))
    path.write_text(roots, encoding="utf-8")
    with pytest.raises(ValueError, match="got 1,000 trees with several roots; expected trees"):
        read_trees(path, items.inputs, items.ids)
    first, *others = roots.split("\n\n")
    hung = [re.sub(r"(?m)^((?!1\t)\d+(?:\t[^\t]*){5})\t0\t", r"\1\t1\t", one) for one in others]
    path.write_text("\n\n".join([first, *hung]), encoding="utf-8")
    trees = read_trees(path, items.inputs, items.ids)
    assert (trees.matched.by, trees.matched.n_missing) == ("id", 0)
    assert [tree["tokens"] for tree in trees.values] == items.inputs
    assert "; 1 tree with several roots" in trees.report()


def test_a_part_is_written_and_scored_by_the_same_limit(hub, tmp_path, capsys):
    asked, words = tmp_path / "sentences.tsv", tmp_path / "words.txt"
    part = ["--limit", "30"]
    assert main(["inputs", "eras", "--out", str(asked), *part]) == 0
    lines = asked.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 2 * 30
    words.write_text("".join(f"{' '.join(line.split(chr(9))[1])}\n" for line in lines))
    assert main(["score", "eras", str(words), *part]) == 0
    assert "A sample of 30 of 13,375 rows" in capsys.readouterr().out
    assert main(["score", "eras", str(words)]) == 1
    assert "`inputs --limit N` and `score --limit N`" in capsys.readouterr().err


SCORES = "unit,a,b\nx,1,2\ny,2,3\nz,4,5\n"


def scores_in(folder):
    path = folder / "scores.csv"
    path.write_text(SCORES)
    return path


def test_nothing_is_written_on_what_is_read(tmp_path, capsys):
    table, before = scores_in(tmp_path), SCORES.encode()
    for given, out in ((table, table), (tmp_path, table)):
        assert main(["rank", str(given), "--lower-is-better", "--json", str(out)]) == 1
        assert f"--json, got {out}, which is read; expected another" in capsys.readouterr().err
    assert main(["rank", str(table), "--json", str(tmp_path)]) == 1
    assert f"--json, got the folder {tmp_path}" in capsys.readouterr().err
    assert table.read_bytes() == before


@pytest.mark.parametrize(*cases("garden_path/two_outputs_need_two_files"))
def test_two_outputs_need_two_files(command, first, second, tmp_path, capsys):
    assert main(command.format(tmp_path, tmp_path.name).split()) == 1
    err = capsys.readouterr().err
    assert f"--{first}, got {tmp_path}" in err
    assert f", as --{second} has it; expected another" in err
    assert not [*tmp_path.iterdir()]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_what_is_found_is_shown_where_no_file_takes_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("GARDEN_PATH_HUB", str(tmp_path))
    table = scores_in(tmp_path)
    ranked, no_folder = ["rank", str(table), "--lower-is-better"], str(table / "o")
    for command in (["list", "--json"], ["list", "--out"], [*ranked, "--json"]):
        for place, named in (("/dev/full", "/dev/full"), (no_folder, str(table))):
            assert main([*command, place]) == 1
            told = capsys.readouterr()
            assert told.out.count("\n") > 4
            assert told.err.split(": ")[1] == named


def test_a_link_stays_and_its_target_is_written(tmp_path, monkeypatch):
    monkeypatch.setenv("GARDEN_PATH_HUB", str(tmp_path))
    link, target = tmp_path / "link.json", tmp_path / "target.json"
    link.symlink_to(target)
    for _ in range(2):
        assert main(["list", "--json", str(link)]) == 0
        assert link.is_symlink()
        assert json.loads(target.read_text(encoding="utf-8"))


@pytest.mark.parametrize(*cases("garden_path/tokens_cover_their_text_once"))
def test_tokens_cover_their_text_once(tokens, message):
    with pytest.raises(ValueError, match=message):
        checked_tokens("x", "abcdefgh", tokens)
    shared = [[0, 4, -1.0], [3, 4, -1.0], [4, 8, -1.0]]  # bytes of one character
    assert len(checked_tokens("x", "abcdefgh", shared).starts) == 3
    assert len(checked_tokens("x", "ab cd", [[0, 2, -1.0], [3, 5, -1.0]]).starts) == 2


def test_a_whole_config_has_the_lines_of_its_part(hub, tmp_path):
    """The package holds the parts; a folder of the Hub has the whole configs too."""
    whole, part = find_test("centerbench", "questions"), find_test("centerbench")
    assert (whole.config, whole.part, part.whole) == ("questions", part.config, "questions")
    shown = {line.name: line for line in lines_of(whole)}
    assert shown["plausibility"].config == "questions"  # measured on all questions
    searched = [line for line in shown.values() if line.says.endswith("found on questions_lite")]
    assert [line.kind for line in searched] == ["rule", "shortcut", "null"]
    assert lines_of(find_test("eras", "simplified"))
    with pytest.raises(ValueError, match=r"expected one of .*lite, pairs, conll$"):
        find_test("pp_attachment", "whole")
    answers = tmp_path / "answers.txt"
    golds = load("centerbench", "questions")["answer"].to_pylist()
    answers.write_text("\n".join(golds), encoding="utf-8")
    assert score("centerbench", answers, "questions").headline == 1.0


def test_a_result_says_which_draw_its_rows_are_of(hub, tmp_path):
    kinds = {"suite_version": "2.0.0", "draw": "0", "edition": "generated"}
    assert origin("eras", "extended", str(hub)) == kinds
    folder = tmp_path / "eras"
    folder.mkdir()
    assert origin("eras", "extended", str(tmp_path)) == {}
    for options, draw in (({"seed": 7}, "7"), ({"seed": 7, "size": 900}, "7/900")):
        told = {"version": "2.0.0", "options": options}
        (folder / "provenance.json").write_text(json.dumps(told), encoding="utf-8")
        assert origin("eras", "extended", str(tmp_path))["draw"] == draw
    assert "draw" not in origin("eras", "released_simplified", str(tmp_path))
    told |= {"commitment": "0" * 64}  # of a draw whose seed is a secret
    (folder / "provenance.json").write_text(json.dumps(told), encoding="utf-8")
    assert origin("eras", "extended", str(tmp_path)) == {"suite_version": "2.0.0"}


def test_questions_are_asked_in_the_words_of_the_paper(hub, tmp_path):
    path = tmp_path / "questions.jsonl"
    assert main(["inputs", "centerbench", "--prompt", "published", "--out", str(path)]) == 0
    first = json.loads(path.read_text(encoding="utf-8").split("\n")[0])
    system, user = (one["content"] for one in first["messages"])
    assert system.startswith("You are a precise question-answering assistant tasked to answer")
    sentence, question = user.split("\n")
    assert first["id"] == inputs_of("centerbench").ids[0]
    assert (sentence[:14], question[:10]) == ("Sentence: The ", "Question: ")


def test_pairs_are_written_as_their_field_has_them(hub, capsys):
    expected = {"sorts": ("sentence_good", 1200), "pp_attachment": ("sentence_good", 1376)}
    for suite, (name, n) in (expected | {"eras": ("first", 3900)}).items():
        assert main(["inputs", suite, "--config", "pairs"]) == 0
        rows = [json.loads(line) for line in capsys.readouterr().out.strip().split("\n")]
        assert len({row["id"] for row in rows}) == len(rows) == n
        assert list(rows[0])[1] == name
        if suite == "pp_attachment":  # of the other order
            first, told = rows_of(suite, "pairs")[0], rows[1]
            assert told["sentence_good"] == first["noun_noun"]
            assert told["sentence_bad"] == first["noun_verb"]


def test_the_example_of_every_command_runs(few, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("GARDEN_PATH_HUB", str(few))
    monkeypatch.chdir(tmp_path)
    sentences = inputs_of("eras").inputs
    for name, cut in (("a", 1), ("b", 2)):
        pieces = [[text[i : i + cut] for i in range(0, len(text), cut)] for text in sentences]
        Path("words.txt").write_text("\n".join(map(" ".join, pieces)), encoding="utf-8")
        assert main(["score", "eras", "words.txt", "--system", name, "--json", f"{name}.json"]) == 0
    shutil.copy(ROOT / "metrics/ranking_generalizability/examples/settled.csv", "scores.csv")
    for command in COMMANDS:
        capsys.readouterr()
        with pytest.raises(SystemExit):
            main([command, "--help"])
        told = capsys.readouterr().out
        (example,) = re.findall(r"Example: garden-path (.+)", told)
        assert {"--json", "--out"} <= set(re.findall(r"--\w+", told)), command
        assert main(shlex.split(example)) == 0, example


@pytest.mark.parametrize("command", ["score", "compare", "inputs"])
def test_a_name_of_json_is_not_for_the_text(command, capsys):
    with pytest.raises(SystemExit):
        main([command, "eras", "words.txt", "--out", "found.json"])
    told = capsys.readouterr().err
    assert "got 'found.json' for the text; expected --json found.json" in told


def test_python_says_the_same(hub, tmp_path):
    sentences = garden_path.inputs_of("eras", LITE).inputs
    cut = garden_path.score("eras", [[*text] for text in sentences], LITE, system="cut")
    whole = garden_path.score("eras", [[text] for text in sentences], LITE, per_item=True)
    assert "per_item" in whole
    assert "per_item" not in cut
    found = garden_path.compare(cut, whole)
    assert (found.headline, found["systems"]) == (0, ["cut", "predictions"])
    assert found.summary().startswith("`cut` is not shown to differ from `predictions`")
    ranked = garden_path.rank({"model": [*"abab"], "data": [*"xxyy"], "f1": [0.1, 0.2, 0.1, 0.3]})
    assert str(ranked).startswith("Read: system = model, unit = data, score = f1")
    picture = tmp_path / "result.svg"
    cut.plot(picture)
    assert "<svg" in picture.read_text(encoding="utf-8")
    with pytest.raises(AttributeError, match="no attribute 'skore'"):
        garden_path.skore  # noqa: B018


def test_the_best_shortcut_is_compared_on_the_same_items(hub):
    """What is kept of a shortcut's items gives its score again, and no difference from itself."""
    for test in (test for suite in SUITES for test in all_tests_of(suite)):
        scores = [line.score for line in lines_of(test)]
        assert scores == sorted(scores, reverse=True)
        if kept := kept_items(test):
            rows = load(test.suite, test.config, test.split).to_pylist()
            assert kept["digest"] == digest_of(rows), "run: python -m research shortcuts --write"
            named = [line.name for line in lines_of(test) if line.kind == "shortcut"]
            assert set(kept["systems"]) <= set(named)
            assert not named or named[0] in kept["systems"], "the best one, searched or not"
    result, rows = score("eras", in_twos(LITE), LITE), rows_of("eras", LITE)
    ids, test = [row["id"] for row in rows], find_test("eras", LITE)
    other = over_shortcut("maxmatch", test, result.whole, rows, ids)
    scores = {line.name: line.score for line in result.lines}
    assert (other.n, other.cluster, other.n_clusters) == (1950, "family", 19)
    assert other.value == pytest.approx(result.headline - scores["maxmatch"])
    assert other.low < other.value < other.high
    assert result.conclusion().startswith("Not shown to differ from NULL: the 95 % interval")
    assert over_shortcut("maxmatch", test, result.whole, rows[1:], ids) is None
    told = score("eras", in_twos("extended"), "extended").conclusion()
    assert told.startswith("Below the best shortcut (word bigrams of the People's Daily): on the")


def in_twos(config):
    sentences = inputs_of("eras", config).inputs
    return [[text[i : i + 2] for i in range(0, len(text), 2)] for text in sentences]


@pytest.mark.parametrize(
    *cases("garden_path/the_conclusion_compares_the_interval_with_the_best_line")
)
def test_the_conclusion_compares_the_interval_with_the_best_line(own, low, high, says, monkeypatch):
    lines = [ScoreLine("cue", "shortcut", 0.5, "one cue", "lite")]
    monkeypatch.setattr("garden_path.result.lines_of", lambda test: lines)
    assert result_of(own, low, high).conclusion().startswith(says)


def result_of(own, low, high):
    test = SuiteTest("s", "c", "test", "parser", "?", "m", "f1", "F1", "f1_null", "a coin", ())
    found = {"f1": own, "f1_low": low, "f1_high": high, "f1_null": 0.3, "n": 10}
    return Result(found, test, "mine")


def test_the_summary_names_a_system_as_it_is_and_where_it_was_measured(monkeypatch):
    """Of models that differ in their seed the best, by its own name: nothing else can be asked."""
    scores = {"p:m/2": 0.6, "p:m/0": 0.5, "p:n/1": 0.4}
    lines = [
        ScoreLine(n, "system", s, "on whole" if "m" in n else "", "c") for n, s in scores.items()
    ]
    monkeypatch.setattr("garden_path.result.lines_of", lambda test: lines)
    monkeypatch.setattr("garden_path.result.published_of", lambda test: [])
    monkeypatch.setattr("garden_path.result.people_of", lambda test: "")
    summary = result_of(0.7, 0.6, 0.8).summary()
    assert "this project: p:m/2 on whole 60.0 %, p:n/1 40.0 %; people" in summary


@pytest.mark.parametrize(
    ("suite", "config", "whole"),
    [("sorts", "conll_lite/amb", "conll"), ("pp_attachment", "lite", "conll")],
)
def test_a_line_of_another_config_says_so(suite, config, whole):
    systems = [line for line in lines_of(find_test(suite, config)) if line.kind == "system"]
    assert systems
    assert {(line.config, line.says) for line in systems} == {(whole, f"on {whole}")}
