"""A store at an address of fsspec: in memory, in a folder, on an S3 server of this machine."""

import argparse
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ground.addresses import Address, AddressError, Place, place_of, whole_at
from ground.claims import Claims, Held, ObjectClaims, claims_in
from ground.journal import ENDING, ObjectJournal, journal_of, recover
from ground.loop import Failed, Loop, Row, Stage, tasks_of
from ground.store import Store, StoreError, make_key
from studies.__main__ import main
from studies.options import local_store

pytestmark = pytest.mark.clock

SCHEMA = pa.schema([("text", pa.string()), ("n", pa.int64())])
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "us", "AWS_SECRET_ACCESS_KEY": "secret"}


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """The address of a bucket on a server of this process; options come from the environment."""
    pytest.importorskip("s3fs")
    server_module = pytest.importorskip("moto.server", reason="could not import 'moto'")
    with pytest.MonkeyPatch.context() as patch:
        server = server_module.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        server.start()
        host, port = server.get_host_and_port()
        for name, value in {**CREDENTIALS, "AWS_ENDPOINT_URL": f"http://{host}:{port}"}.items():
            patch.setenv(name, value)
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        import s3fs

        s3fs.S3FileSystem(skip_instance_cache=True).mkdir("garden")
        yield "s3://garden"
        server.stop()


@pytest.fixture(params=["folder", "memory", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "folder":
        return tmp_path / "store"
    root = "memory://garden" if request.param == "memory" else request.getfixturevalue("s3")
    found = place_of(f"{root}/{uuid.uuid4().hex}/")
    assert isinstance(found, Address)
    return found


def rows_of(keys: tuple[str, ...]) -> dict[str, Row]:
    return {key: {"text": key, "n": i} for i, key in enumerate(keys)}


def test_a_store_is_the_same_wherever_it_lies(place: Place) -> None:
    store, reader = Store(place, SCHEMA), Store(place, SCHEMA)
    assert store.keys() == set()
    assert store.read().num_rows == 0
    for i in range(6):
        store.append([f"{i}", "x"], {"text": [f"{i}", "x"], "n": [i, 0]})
    assert reader.missing(["0", "7", "5"]) == ["7"]
    assert len(store.shards()) == 6
    store.compact(4)
    assert len(store.shards()) == 1
    again = Store(place, SCHEMA)
    assert again.read(["n"]).to_pydict() == {"key": [*"012345", "x"], "n": [0, 1, 2, 3, 4, 5, 0]}
    assert reader.rows(["3"]) == {"3": {"text": "3", "n": 3}}
    assert reader.done(["3", "8"]) == {"3"}


def test_a_shard_has_the_same_bytes_wherever_it_lies(place: Place, tmp_path: Path) -> None:
    store, local = Store(place, SCHEMA), Store(tmp_path / "local", SCHEMA)
    for one in (store, local):
        one.append_rows(rows_of(("a", "b")))
    assert store.shards()[0].read_bytes() == local.shards()[0].read_bytes()


def test_a_store_of_other_columns_is_set_aside(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    Store(place / "answers", SCHEMA).append_rows(rows_of(("a",)))
    other = Store(place / "answers", pa.schema([("score", pa.float64())]))
    assert other.keys() == set()
    assert "answers: store, got other columns" in capsys.readouterr().err
    assert Store(place / "answers.old-1", SCHEMA).keys() == {"a"}


def test_what_is_no_parquet_is_named(place: Place) -> None:
    store = Store(place, SCHEMA)
    store.append_rows(rows_of(("a",)))
    (place / "000001-broken.parquet").write_bytes(b"PAR1 and then the power went")
    with pytest.raises(StoreError, match=r"000001-broken\.parquet: shard, got a file that cannot"):
        store.keys()


def test_an_upload_that_is_cut_leaves_nothing(place: Place) -> None:
    def write() -> None:
        with whole_at(place / "000000-x.parquet") as part:
            part.write_bytes(b"half of a")
            raise KeyError("killed")

    with pytest.raises(KeyError):
        write()
    assert list(place.glob("*")) == []


def test_a_claim_has_one_owner_and_runs_out(place: Place) -> None:
    first, second = claims_in(place / "claims"), claims_in(place / "claims")
    assert first.take("a")
    assert not second.take("a")
    assert second.take("b")
    first.release(["a"])
    assert second.take("a")
    second.lease = first.lease = -1.0  # whatever was claimed before has run out
    assert first.take("a")


def test_a_claim_of_a_process_that_is_gone_is_free() -> None:
    folder = Address(f"memory://garden/{uuid.uuid4().hex}")
    code = "import os, socket; print(socket.gethostname(), os.getpid())"
    gone = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    (folder / "a.0").write_bytes(gone.strip())
    (folder / "b.0").write_bytes(b"another-machine 1")
    claims = ObjectClaims(folder)
    assert claims.take("a")
    assert not claims.take("b")
    assert [path.name for path in folder.glob("a.*")] == [claims.held["a"].name]


def test_what_a_process_that_is_gone_left_behind_is_swept_at_the_end() -> None:
    folder = Address(f"memory://garden/{uuid.uuid4().hex}")
    code = "import os, socket; print(socket.gethostname(), os.getpid())"
    gone = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    for name in ("a.0", "a.1", "b.2"):
        (folder / name).write_bytes(gone.strip())
    (folder / "c.3").write_bytes(b"another-machine 1")
    with ObjectClaims(folder) as claims:
        assert claims.take("d")
    assert [path.name for path in folder.glob("*")] == ["c.3"]


def test_of_many_that_want_a_claim_at_once_at_most_one_has_it(place: Place) -> None:
    for i in range(5):
        claims = [claims_in(place / "claims") for _ in range(4)]
        start, owners = threading.Barrier(4), []

        def want(one: Held, name: str, start: threading.Barrier, owners: list[Held]) -> None:
            start.wait()
            if one.take(name):
                owners.append(one)

        threads = [threading.Thread(target=want, args=(c, f"t{i}", start, owners)) for c in claims]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(owners) <= 1
        if not owners:  # all gave up; asked again, one has it
            assert claims[0].take(f"t{i}")


def test_a_claim_is_renewed_as_long_as_its_owner_lives() -> None:
    folder = Address(f"memory://garden/{uuid.uuid4().hex}")
    with ObjectClaims(folder, lease=0.4) as first:
        assert first.take("a")
        put = first.held["a"].modified()
        time.sleep(0.6)
        assert first.held["a"].modified() - put > timedelta(0)
        assert not ObjectClaims(folder, lease=0.4).take("a")
    assert folder.glob("*") == []


def test_rows_of_a_dead_process_go_into_a_shard(place: Place) -> None:
    store = Store(place, SCHEMA)
    with journal_of(store) as journal:
        assert journal is not None
        journal.add({"a": {"text": "ja", "n": 1}})
        journal.add({"b": {"text": "nein", "n": None}})
        assert recover(store) == 0  # its process lives
    assert recover(store) == 2
    assert store.rows(["b"]) == {"b": {"text": "nein", "n": None}}
    assert not list(place.glob(f"*{ENDING}"))


def test_a_journal_of_objects_is_empty_once_a_shard_holds_its_rows() -> None:
    folder = Address(f"memory://garden/{uuid.uuid4().hex}")
    with ObjectJournal(Store(folder, SCHEMA), folder) as journal:
        journal.add(rows_of(("a",)))
        journal.add(rows_of(("b",)))
        assert len(folder.glob(f"*{ENDING}")) == 2
        journal.clear()
        assert folder.glob(f"*{ENDING}") == []
    assert folder.glob("*") == []
    assert (folder / "claims").glob("*") == []


def test_two_loops_share_a_store_and_do_nothing_twice(place: Place) -> None:
    keys = [make_key(i=i) for i in range(12)]
    seen: list[str] = []

    def call(given: None, parts: tuple[str, ...]) -> Iterator[tuple[int, Row | Failed]]:
        for i, part in enumerate(parts):
            seen.append(part)
            time.sleep(0.01)
            yield i, {"text": part, "n": i}

    def fill(is_costly: bool) -> None:
        tasks = tasks_of({key: key for key in keys}, 3)
        stage = Stage("rows", Store(place, SCHEMA), lambda: tasks, call, is_costly=is_costly)
        Loop().fill(stage)

    threads = [threading.Thread(target=fill, args=(costly,)) for costly in (False, True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == sorted(keys)
    assert Store(place, SCHEMA).keys() == set(keys)
    assert not list((place / "claims").glob("*"))


def test_a_repository_takes_few_commits() -> None:
    repository = Address("hf://datasets/us/store")
    store = Store(Path("nowhere"), SCHEMA)
    assert store.write_cost == 1
    store.folder = repository
    assert store.write_cost > 1
    with journal_of(store) as journal:
        assert journal is None
    assert type(claims_in(repository / "claims")) is Held
    assert type(claims_in(Path("claims"))) is Claims


def test_a_place_is_a_folder_or_an_address() -> None:
    assert place_of("a/b") == Path("a/b")
    assert place_of("file:///a/b") == Path("/a/b")
    assert str(place_of("memory://a/b/")) == "memory://a/b"
    address = place_of("memory://a/b")
    assert (address / "c").name == "c"
    assert str((address / "c").with_name("d")) == "memory://a/b/d"
    assert local_store(address) == Path("store")
    assert local_store(Path("x")) == Path("x")


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("s4://garden/store", "got 's4://garden/store', no protocol of fsspec; expected a folder"),
        ("memory://", "got 'memory://'; expected a folder, s3://BUCKET/FOLDER"),
        ("simplecache::memory://x", "got 'simplecache::memory://x'; expected a folder"),
    ],
)
def test_a_wrong_place_is_told_in_one_line(
    place: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eras", "nulls", "--draws", "1", "--store", place]) == 1
    told = capsys.readouterr().err
    assert said in told
    assert len(told.splitlines()) == 1


def test_a_protocol_without_its_package_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = pytest.importorskip("fsspec.registry")
    monkeypatch.delitem(sys.modules["fsspec.registry"]._registry, "s3", raising=False)
    monkeypatch.setitem(sys.modules, "s3fs", None)
    assert "s3" not in registry.registry
    with pytest.raises(argparse.ArgumentTypeError, match="Install s3fs to access S3"):
        place_of("s3://garden/store")


def test_a_bucket_that_is_not_there_is_named(s3: str) -> None:
    place = Address("s3://nowhere/store")
    with pytest.raises(AddressError, match=r"s3://nowhere/store/claims/a\.\w+: write, got .*make"):
        ObjectClaims(place / "claims").take("a")


def test_no_answer_and_no_access_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = pytest.importorskip("fsspec.implementations.memory").MemoryFileSystem
    place = Address("memory://garden/told")

    def denied(self: object, path: str, **settings: object) -> None:
        raise PermissionError("Access Denied")

    def away(self: object, path: str, **settings: object) -> None:
        raise ConnectionRefusedError("nobody listens")

    monkeypatch.setattr(memory, "ls", denied)
    with pytest.raises(AddressError, match="memory://garden/told: access, got Access Denied"):
        Store(place, SCHEMA)
    monkeypatch.setattr(memory, "ls", away)
    with pytest.raises(AddressError, match="store, got ConnectionRefusedError, nobody listens"):
        Store(place, SCHEMA)


def test_a_study_leaves_its_rows_on_s3(
    s3: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there, here = f"{s3}/{uuid.uuid4().hex}", str(tmp_path)
    shown = []
    for store in (there, there, here):
        assert main(["eras", "nulls", "--draws", "1", "--store", store]) == 0
        shown.append(capsys.readouterr())
    assert shown[0].out == shown[1].out == shown[2].out
    assert " to do" in shown[0].err
    assert " to do" not in shown[1].err  # all was stored
    shards = {path.parent for path in tmp_path.rglob("*.parquet")}
    assert shards
    for folder in shards:
        schema = pq.read_schema(next(folder.glob("*.parquet"))).remove_metadata()
        same = Store(Address(f"{there}/{folder.relative_to(tmp_path)}"), pa.schema([*schema][1:]))
        assert same.read().equals(Store(folder, pa.schema([*schema][1:])).read())
