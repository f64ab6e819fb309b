"""Who made a build, of what: a statement that can be signed, and the packages it was made with.

    push.py attest                            hub/attestation.json and hub/sbom.json, unsigned
    push.py attest --key private.pem          the same, signed
    push.py attest --verify public.pem        is this the build that was signed?

The statement has the form of in-toto 1 with the predicate of SLSA 1, in an envelope of DSSE: its
subjects are the manifests of the built folders, which hold the SHA-256 of every file. It names the
commit of the sources, the lock files, and the hash of each suite's rows. The list of packages is
CycloneDX 1.6. A manifest is a checksum; only a signature says whose it is.
"""

import json
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ground.files import write_whole
from ground.paths import ROOT
from publish.build.manifest import MANIFEST, check_whole, read_provenance, sha256_of

if TYPE_CHECKING:
    from securesystemslib.signer import SSlibKey

ATTESTATION, PACKAGES = "attestation.json", "sbom.json"
PAYLOAD = "application/vnd.in-toto+json"
LOCKED = re.compile(
    r"^([\w.-]+)==([^\s\\]+)((?:\s*\\\n\s*--hash=sha256:[0-9a-f]{64})+)", re.MULTILINE
)


def statement(out: Path, names: Sequence[str]) -> dict[str, Any]:
    """The in-toto statement of built folders; a ValueError where one was changed."""
    check_whole(out, names)
    made = {name: read_provenance(out / name) for name in names}
    locks = sorted((ROOT / "locks").glob("*.txt"))
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [_subject(f"{name}/{MANIFEST}", out / name / MANIFEST) for name in names],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "urn:garden-path:push.py:build:1",
                "externalParameters": {name: made[name].get("options", {}) for name in names},
                "resolvedDependencies": [
                    {"uri": "git+file:.", "digest": {"gitCommit": _commit()}},
                    *(_subject(f"locks/{path.name}", path) for path in locks),
                ],
            },
            "runDetails": {
                "builder": {"id": "urn:garden-path:push.py"},
                "metadata": {
                    name: {key: one.get(key) for key in ("version", "content_hash", "source_hash")}
                    for name, one in made.items()
                },
            },
        },
    }


def attest(out: Path, names: Sequence[str], key: Path | None = None) -> list[Path]:
    """Writes the statement, signed where a key is given, and the list of packages.

    A key is PEM in PKCS 8 without a password, such as `openssl genpkey -algorithm ed25519` writes.
    """
    from cryptography.hazmat.primitives.serialization import load_pem_private_key
    from securesystemslib.dsse import Envelope
    from securesystemslib.signer import CryptoSigner

    payload = json.dumps(statement(out, names), sort_keys=True).encode()
    envelope = Envelope(payload, PAYLOAD, {})
    if key is not None:
        try:
            private = load_pem_private_key(key.read_bytes(), None)
        except (TypeError, ValueError):
            raise ValueError(f"{key}: got no private key; expected PEM, no password") from None
        envelope.sign(CryptoSigner(private))
    write_whole(out / ATTESTATION, json.dumps(envelope.to_dict(), indent=1) + "\n")
    write_whole(out / PACKAGES, packages() + "\n")
    return [out / ATTESTATION, out / PACKAGES]


def verify(out: Path, key: Path) -> list[str]:
    """Names of the folders of the statement, all of which are as this public key has signed."""
    from securesystemslib.dsse import Envelope
    from securesystemslib.exceptions import VerificationError

    path = out / ATTESTATION
    try:
        envelope = Envelope.from_dict(json.loads(path.read_text("utf-8")))
        envelope.verify([_public(key)], 1)
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError):
        raise ValueError(f"{path}: got no statement; expected what push.py attest wrote") from None
    except VerificationError:
        n = len(envelope.signatures)
        raise ValueError(f"{path}: signatures, got {n}, none by {key}; expected one") from None
    said = json.loads(envelope.payload)
    names = [one["name"].partition("/")[0] for one in said["subject"]]
    check_whole(out, names)
    if problems := [
        f"{out / name}: build, got another than was signed; expected the same"
        for name, one in zip(names, said["subject"], strict=True)
        if sha256_of(out / name / MANIFEST) != one["digest"]["sha256"]
    ]:
        raise ValueError("\n".join(problems))
    return names


def packages() -> str:
    """The packages of `locks/test.txt` as CycloneDX 1.6, in JSON; the same bytes each time."""
    from cyclonedx.model import HashAlgorithm, HashType
    from cyclonedx.model.bom import Bom
    from cyclonedx.model.component import Component, ComponentType
    from cyclonedx.output.json import JsonV1Dot6
    from packageurl import PackageURL

    bom = Bom()
    for name, version, hashes in locked():
        purl = PackageURL("pypi", None, name, version)
        digests = [HashType(alg=HashAlgorithm.SHA_256, content=one) for one in hashes]
        kind: dict[str, Any] = {"type": ComponentType.LIBRARY, "bom_ref": purl.to_string()}
        one = Component(name=name, version=version, hashes=digests, purl=purl, **kind)
        bom.components.add(one)
    found = json.loads(JsonV1Dot6(bom).output_as_string())
    del found["serialNumber"], found["metadata"]["timestamp"]  # other bytes each time
    return json.dumps(found, indent=1)


def locked() -> Iterator[tuple[str, str, list[str]]]:
    """Name, version and SHA-256s of each package that CI installs."""
    text = (ROOT / "locks" / "test.txt").read_text("utf-8")
    for name, version, hashes in LOCKED.findall(text):
        yield name, version, re.findall(r"sha256:(\w+)", hashes)


def _subject(name: str, path: Path) -> dict[str, Any]:
    return {"name": name, "digest": {"sha256": sha256_of(path)}}


def _commit() -> str:
    """The commit of the sources; `+changed` behind it where files differ from it."""

    def git(*words: str) -> str:
        run = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True)
        return run.stdout.strip()

    changed = git("status", "--porcelain", "--untracked-files=no")
    return (git("rev-parse", "HEAD") or "unknown") + ("+changed" if changed else "")


def _public(key: Path) -> "SSlibKey":
    from cryptography.hazmat.primitives.serialization import load_pem_public_key
    from securesystemslib.signer import SSlibKey

    try:
        return SSlibKey.from_crypto(load_pem_public_key(key.read_bytes()))
    except ValueError:
        raise ValueError(f"{key}: got no public key; expected PEM") from None
