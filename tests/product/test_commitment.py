"""Private draws: what is committed to, what opens it, and that the secret is nowhere before."""

import json
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from huggingface_hub import HfApi

import publish.hub.upload
import push
from publish.build.commitment import (
    FIELDS,
    check_private,
    commitment_of,
    read_commitment,
    salt_of,
    verify_rows,
    verify_seed,
)
from publish.build.manifest import draw_id
from publish.check.check import check_folder
from publish.hub.plan import PushRefusedError
from publish.hub.upload import PushOptions, plan_push
from tests.support.cases import cases

SECRET = 271828182845904523536028747135266249775
SIZE = 390


@pytest.fixture(scope="module")
def private(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A private draw of ERAS, as the command line makes it."""
    out = tmp_path_factory.mktemp("private")
    given = ["build", "eras", "--seed", str(SECRET), "--size", str(SIZE), "--commit"]
    assert push.main([*given, "--out", str(out)]) == 0
    return out


def test_the_commitment_is_a_hash_of_salt_and_rows():
    """By sha256sum of the line `salt`, a line feed, and the JSON without a line feed."""
    draw = {"suite": "s", "version": "1.0.0", "size": None, "content_hash": "00"}
    digest = "46d2fc91243af3861b23d8090101698860c906cf93e1d98a44fe6559e8711c86"
    assert commitment_of("salt", draw) == digest
    assert commitment_of("salt", {**draw, "content_hash": "01"}) != digest
    assert commitment_of("pepper", draw) != digest
    assert salt_of(SECRET, "eras") != salt_of(SECRET + 1, "eras") != salt_of(SECRET, "sorts")


def test_what_is_published_says_nothing_of_the_draw(private):
    made = read_commitment(private / "eras.commitment.json")
    assert tuple(made) == FIELDS
    assert (made["suite"], made["size"]) == ("eras", SIZE)
    provenance = json.loads((private / "eras" / "provenance.json").read_text(encoding="utf-8"))
    assert provenance["options"] == {"private": made["commitment"][:12], "size": SIZE}
    assert provenance["content_hash"] not in json.dumps(made)
    assert salt_of(SECRET, "eras") not in json.dumps(provenance)


def test_the_secret_is_in_no_file_and_no_name(private):
    forms = [str(SECRET), f"{SECRET:x}", salt_of(SECRET, "eras"), draw_id({"seed": SECRET})]
    forms.append(draw_id({"seed": SECRET, "size": SIZE}))
    texts = [str(path.relative_to(private)) for path in private.rglob("*")]
    for path in private.rglob("*"):
        if path.suffix == ".parquet":
            table = pq.read_table(path)
            texts += [str(table.schema.metadata), str(table.to_pydict())]
        elif path.is_file():
            texts.append(path.read_bytes().decode("latin-1"))
    assert len(texts) > 20
    assert [form for form in forms for text in texts if form in text] == []


def test_a_private_build_is_in_order_and_is_not_published(private, monkeypatch):
    assert check_folder("eras", private / "eras") == []
    monkeypatch.setattr(publish.hub.upload, "check", lambda *_, **__: [])
    message = r"^eras: draw, got a private one; expected one that"
    with pytest.raises(PushRefusedError, match=message):
        plan_push(HfApi(), private, ["eras"], PushOptions("ns"))


def test_the_secret_opens_the_commitment_and_another_does_not(private):
    path = private / "eras.commitment.json"
    assert verify_seed(path, SECRET) == salt_of(SECRET, "eras")
    with pytest.raises(ValueError, match=r"commitment, got \w{12}; expected \w{12}: this is anoth"):
        verify_seed(path, SECRET + 1)


def test_the_rows_are_compared_without_the_secret(private, small):
    path, salt = private / "eras.commitment.json", salt_of(SECRET, "eras")
    public = small / "eras"  # the published draw of the same size
    verify_rows(path, private / "eras", salt)
    with pytest.raises(ValueError, match="this is another draw, or another salt"):
        verify_rows(path, private / "eras", salt_of(1, "eras"))
    with pytest.raises(ValueError, match="this is another draw, or another salt"):
        verify_rows(path, public, salt)
    with pytest.raises(ValueError, match=r"^--salt, got another text; expected 64 hexadecimal"):
        verify_rows(path, public, "salt")
    with pytest.raises(ValueError, match="Parquet files, got none; expected those of eras"):
        verify_rows(path, private, salt)


@pytest.mark.slow
def test_the_command_reveals(private, capsys):
    path = str(private / "eras.commitment.json")
    assert push.main(["reveal", path, "--seed", str(SECRET)]) == 0
    shown = capsys.readouterr().out
    salt = re.search(r"--salt (\w{64})$", shown, re.MULTILINE)
    assert salt is not None
    assert push.main(["reveal", path, "--rows", str(private / "eras"), "--salt", salt[1]]) == 0
    assert push.main(["reveal", path, "--seed", "5"]) == 1


@pytest.mark.parametrize(*cases("commitment/a_doctored_commitment_is_refused"))
def test_a_doctored_commitment_is_refused(private, tmp_path, change, message):
    made = json.loads((private / "eras.commitment.json").read_text(encoding="utf-8"))
    path = tmp_path / "eras.commitment.json"
    path.write_text(json.dumps({**made, **change}), encoding="utf-8")
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))}: {re.escape(message)}"):
        verify_seed(path, SECRET)


@pytest.mark.parametrize(
    ("options", "views", "message"),
    [
        ({}, False, "--seed, got one that can be guessed; expected a whole number from 2^64 on"),
        ({"seed": 987654321}, False, "--seed, got one that can be guessed"),
        ({"seed": SECRET}, True, "eras: --commit, got it with --views; expected --seed and --size"),
        ({"seed": SECRET, "natural": ("as",)}, False, "eras: --commit, got it with --natural"),
    ],
)
def test_what_is_no_secret_is_refused_and_not_repeated(options, views, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}") as refusal:
        check_private("eras", options, views=views)
    assert "987654321" not in str(refusal.value)
    assert str(SECRET) not in str(refusal.value)


def test_a_metric_has_no_private_draw(capsys):
    assert push.main(["build", "gper", "--seed", str(SECRET), "--commit"]) == 1
    shown = capsys.readouterr()
    assert "--commit, got it for gper; expected suites: metrics have no draw" in shown.err
    assert str(SECRET) not in shown.out + shown.err
