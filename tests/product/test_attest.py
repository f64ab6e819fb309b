"""The statement of what a build was made of, its signature, and the packages it was made with."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption
from cryptography.hazmat.primitives.serialization import PrivateFormat as Private
from cryptography.hazmat.primitives.serialization import PublicFormat as Public
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

import push
from publish.build.manifest import write_manifest
from publish.hub.attest import ATTESTATION, PACKAGES, locked, packages
from tests.conftest import ROOT
from tests.support.processes import captured
from tests.support.publishing import METRIC


@pytest.fixture
def out(small: Path, tmp_path: Path) -> Path:
    """A staged metric beside two pairs of keys, and what is no key."""
    shutil.copytree(small / METRIC, tmp_path / METRIC)
    for name in ("ours", "theirs"):
        key = Ed25519PrivateKey.generate()
        private = key.private_bytes(Encoding.PEM, Private.PKCS8, NoEncryption())
        (tmp_path / f"{name}.pem").write_bytes(private)
        public = key.public_key().public_bytes(Encoding.PEM, Public.SubjectPublicKeyInfo)
        (tmp_path / f"{name}.pub.pem").write_bytes(public)
    (tmp_path / "none.pem").write_text("none", encoding="utf-8")
    return tmp_path


@pytest.fixture
def attest(out: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs the command with a key; gives what it says, of an error its line."""

    def run(option: str = "", key: str = "") -> str:
        more = [option, str(out / key)] if option else []
        code = push.main(["attest", METRIC, "--out", str(out), *more])
        told = capsys.readouterr()
        return told.err if code else told.out

    return run


def test_what_was_signed_is_told_from_what_was_not(out, attest):
    verify = ("--verify", "ours.pub.pem")
    attest()
    assert "signatures, got 0, none by" in attest(*verify)
    attest("--key", "theirs.pem")
    assert "signatures, got 1, none by" in attest(*verify)
    attest("--key", "ours.pem")
    assert "1 folders" in attest(*verify)
    assert "none.pem: got no public key" in attest("--verify", "none.pem")
    (out / METRIC / "more.py").write_text("", encoding="utf-8")
    write_manifest(out / METRIC)  # a manifest that was rewritten
    assert "build, got another than was signed" in attest(*verify)


def test_a_statement_that_was_changed_is_no_longer_signed(out, attest):
    attest("--key", "ours.pem")
    path = out / ATTESTATION
    held = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**held, "payload": held["payload"][:-8] + "AAAAAAAA"}))
    assert "signatures, got 1, none by" in attest("--verify", "ours.pub.pem")
    path.write_text("[]")
    assert "got no statement" in attest("--verify", "ours.pub.pem")


def test_a_build_that_was_changed_is_not_stated(out, attest):
    assert "none.pem: got no private key" in attest("--key", "none.pem")
    (out / METRIC / "more.py").write_text("", encoding="utf-8")
    assert "more.py: file, got one that is not in" in attest()
    assert not (out / ATTESTATION).exists()


def test_the_packages_are_those_of_the_lock(out, attest):
    attest()
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
