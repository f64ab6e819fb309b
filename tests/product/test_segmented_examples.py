"""Gold-segmented text as `run_ner.py` reads it, from a file of the Bakeoff's kind and a corpus."""

import json

import pytest

from examples.segmented_to_json import main


def test_every_character_has_its_tag_and_every_fortieth_line_is_for_validation(
    tmp_path, monkeypatch, capsys
):
    text = tmp_path / "msr_training.utf8"
    lines = [f"第　{i}　次　大会　开幕　。" for i in range(80)]
    text.write_text("\r\n".join([*lines, ""]), encoding="utf-8")
    out = tmp_path / "msr"
    monkeypatch.setattr("sys.argv", ["segmented_to_json", str(text), "--out", str(out)])
    main()
    assert f"{out / 'train.json'}: 78 sentences" in capsys.readouterr().out
    rows = {
        part: [json.loads(line) for line in (out / f"{part}.json").open(encoding="utf-8")]
        for part in ("train", "validation")
    }
    assert [len(found) for found in rows.values()] == [78, 2]
    assert rows["train"][0] == {"tokens": list("第0次大会开幕。"), "tags": list("SSSBEBES")}
    assert rows["validation"][1]["tokens"] == list("第79次大会开幕。")


def test_what_is_no_text_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr("sys.argv", ["segmented_to_json", "nothing", "--out", str(tmp_path)])
    with pytest.raises(ValueError, match="nothing: texts, got no such file; expected one, or one"):
        main()
