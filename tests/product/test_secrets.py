"""Keys of every common provider are found, plain or wrapped; what only looks like one is not."""

import base64
import gzip
import random
import string

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from publish.check.secrets import secret_in, secret_in_file, secret_problems
from tests.conftest import ROOT

LETTERS = string.ascii_letters + string.digits


def letters(n: int, alphabet: str = LETTERS) -> str:
    return "".join(random.Random(n).choices(alphabet, k=n))


HF = "hf_" + letters(34)
KEYS = {
    "Hub": HF,
    "Hub, of an organisation": "api_org_" + letters(34),
    "Hub, after a letter": "x" + HF,
    "endpoint": "sk-" + letters(48),
    "endpoint, of a project": "sk-proj-" + letters(48),
    "AWS": "AKIA" + letters(16, string.ascii_uppercase + string.digits),
    "AWS, for a while": "ASIA" + letters(16, string.ascii_uppercase + string.digits),
    "GitHub": "ghp_" + letters(36),
    "GitHub, fine-grained": "github_pat_" + letters(22) + "_" + letters(59),
    "GitLab": "glpat-" + letters(20),
    "Google": "AIza" + letters(35),
    "Slack": "xoxb-123456789012-1234567890123-" + letters(24),
    "Groq": "gsk_" + letters(52),
    "Replicate": "r8_" + letters(37),
    "PyPI": "pypi-AgEIcHlwaS5vcmc" + letters(80),
    "xAI": "xai-" + letters(80),
    "npm": "npm_" + letters(36),
    "Stripe": "sk_live_" + letters(24),
    "SendGrid": f"SG.{letters(22)}.{letters(43)}",
    "PEM": "-----BEGIN RSA PRIVATE KEY-----\nMIIE",
    "PEM, encrypted": "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIE",
    "JWT": f"eyJ{letters(30)}.eyJ{letters(30)}.{letters(40)}",
    "Azure": "AccountKey=" + letters(86) + "==",
    "over two lines": f'"{HF[:20]}"\n  "{HF[20:]}"',
}
NO_KEYS = [
    "hf_" + "a" * 29,
    "sk-" + "x" * 19,
    "XAKIA" + "Q" * 16,
    "a risk-" + "x" * 20,
    "hf_hub_download(repo_id, filename)\nfrom_the_latest_revision_of_it = 1",
    "die Donaudampfschifffahrtsgesellschaftskapitaenswitwe",
    base64.b64encode(b"a sentence that nobody minds").decode(),
]
WRAPPINGS = {
    "plain": lambda text: text,
    "UTF-16": lambda text: text.decode().encode("utf-16"),
    "base64": lambda text: b'{"blob": "' + base64.b64encode(text) + b'"}',
    "gzip": gzip.compress,
    "gzip in base64": lambda text: base64.b64encode(gzip.compress(text)),
}


@pytest.mark.parametrize("kind", KEYS)
def test_a_key_is_found_however_it_is_wrapped(kind):
    text = f"say {KEYS[kind]} here\n".encode()
    assert [name for name, wrap in WRAPPINGS.items() if not secret_in(wrap(text))] == []


@pytest.mark.parametrize("text", NO_KEYS)
def test_what_looks_like_a_key_is_none(text):
    assert secret_in(text.encode()) == ""


@pytest.mark.parametrize("shape", ["text", "list", "struct"])
@pytest.mark.parametrize("text", [NO_KEYS[0], HF, base64.b64encode(HF.encode()).decode()])
def test_a_key_is_found_in_the_strings_of_parquet(tmp_path, text, shape):
    values = ["a", f"say {text} here", None]
    column = {"text": values, "list": [["b"], values, None], "struct": [{"c": v} for v in values]}
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"x": column[shape]}), path, compression="zstd")
    found = secret_problems(tmp_path)
    expected = [f"{path}: text, got what looks like a key of Hugging Face; expected none"]
    assert found == ([] if text in NO_KEYS else expected)


def test_our_own_files_hold_none():
    folders = [ROOT / name for name in ("builders", "cards", "dataset_scripts", "metrics")]
    files = [p for folder in folders for p in folder.rglob("*") if p.is_file()]
    assert len(files) > 300
    assert [(path, found) for path in files if (found := secret_in_file(path))] == []


def test_a_stream_that_unpacks_without_end_is_left(tmp_path):
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(bytes(100_000_000), 1) + HF.encode())
    assert secret_in_file(path) == "Hugging Face"  # what follows is plain
    path.write_bytes(b"\x1f\x8bbroken")
    assert secret_in_file(path) == ""
