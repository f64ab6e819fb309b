"""The statement of what a build was made of, its signature, and the packages it was made with."""

import json
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption
from cryptography.hazmat.primitives.serialization import PrivateFormat as Private
from cryptography.hazmat.primitives.serialization import PublicFormat as Public
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

import push
from publish.build.build import stage_metric
from publish.build.manifest import write_manifest
from publish.hub.attest import ATTESTATION, PACKAGES, locked, packages
from tests.conftest import ROOT
from tests.support.processes import captured

NAME = "split_characteristics"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A staged metric beside two pairs of keys."""
    stage_metric(NAME, tmp_path)
    for name in ("ours", "theirs"):
        key = Ed25519PrivateKey.generate()
        private = key.private_bytes(Encoding.PEM, Private.PKCS8, NoEncryption())
        (tmp_path / f"{name}.pem").write_bytes(private)
        public = key.public_key().public_bytes(Encoding.PEM, Public.SubjectPublicKeyInfo)
        (tmp_path / f"{name}.pub.pem").write_bytes(public)
    return tmp_path


def attest(out: Path, *words: str) -> int:
    return push.main(["attest", NAME, "--out", str(out), *words])


def test_what_was_signed_is_told_from_what_was_not(out, capsys):
    verify = ["--verify", str(out / "ours.pub.pem")]
    assert attest(out) == 0
    assert attest(out, *verify) == 1
    assert "signatures, got 0, none by" in capsys.readouterr().err
    assert attest(out, "--key", str(out / "theirs.pem")) == 0
    assert attest(out, *verify) == 1
    assert "signatures, got 1, none by" in capsys.readouterr().err
    assert attest(out, "--key", str(out / "ours.pem")) == 0
    assert attest(out, *verify) == 0
    assert "1 folders" in capsys.readouterr().out
    (out / NAME / "more.py").write_text("", encoding="utf-8")
    write_manifest(out / NAME)  # a manifest that was rewritten
    assert attest(out, *verify) == 1
    assert "build, got another than was signed" in capsys.readouterr().err


def test_a_statement_that_was_changed_is_no_longer_signed(out, capsys):
    assert attest(out, "--key", str(out / "ours.pem")) == 0
    path = out / ATTESTATION
    held = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**held, "payload": held["payload"][:-8] + "AAAAAAAA"}))
    assert attest(out, "--verify", str(out / "ours.pub.pem")) == 1
    path.write_text("[]")
    assert attest(out, "--verify", str(out / "ours.pub.pem")) == 1
    assert "got no statement" in capsys.readouterr().err


@pytest.mark.parametrize(("option", "said"), [("--key", "private"), ("--verify", "public")])
def test_what_is_no_key_is_named(out, option, said, capsys):
    assert attest(out, "--key", str(out / "ours.pem")) == 0
    (out / "none.pem").write_text("none", encoding="utf-8")
    assert attest(out, option, str(out / "none.pem")) == 1
    assert f"none.pem: got no {said} key" in capsys.readouterr().err


def test_a_build_that_was_changed_is_not_stated(out, capsys):
    (out / NAME / "more.py").write_text("", encoding="utf-8")
    assert attest(out) == 1
    assert "more.py: file, got one that is not in" in capsys.readouterr().err
    assert not (out / ATTESTATION).exists()


def test_the_packages_are_those_of_the_lock(out):
    assert attest(out) == 0
    text = (out / PACKAGES).read_text("utf-8")
    assert text == packages() + "\n"
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    names = {one["name"] for one in json.loads(text)["components"]}
    lines = (ROOT / "locks" / "test.txt").read_text("utf-8").split("\n")
    assert names == {line.partition("==")[0] for line in lines if "==" in line}
    assert {"datasets", "torch"} <= names
    assert all(hashes for _, _, hashes in locked())


@pytest.mark.slow
def test_no_package_has_a_known_weakness():
    """Of a version that is known to have one, advisories must say so, or there are none here."""

    def audited(path: Path | str) -> list[dict[str, object]]:
        tool = [sys.executable, "-m", "pip_audit", "--no-deps", "--disable-pip"]
        command = [*tool, "-r", str(path), "-f", "json"]
        run = captured(command)
        found: list[dict[str, object]] = json.loads(run.stdout)["dependencies"]
        return [one for one in found if one.get("vulns")]

    if not audited(ROOT / "tests" / "golden" / "weak_package.txt"):
        pytest.skip("the advisories are not at hand: the package index here has none")
    assert audited(ROOT / "locks" / "test.txt") == []
