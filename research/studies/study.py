"""The record that every study is, and the one way in which all of them run.

A study says where its rows come from, what is to be done with them, how that is scored and shown.
`run` reads the command line, does what is not stored yet, prints tables and, with `--write`, leaves
them for the cards: only for the default draw, so that the line it records gives the same file again
anywhere.
"""

import argparse
import contextlib
import ctypes
import dataclasses
import functools
import hashlib
import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from dataset_scripts.registry import suite_builder, suite_names
from ground.command_line import add_option
from ground.extras import require
from ground.files import write_whole
from ground.tables import read_settings
from metrics._shared.option_fields import LONGEST, read_signature
from research.engine import ray_engine
from research.engine.loop import Loop, Row, Stage
from research.engine.store import Store
from research.engine.work import Workers
from research.studies.options import SHARED, WORKER_OPTIONS, Option, flag, settings_of_kind
from research.studies.report import Shown, result_stamp, write_result
from research.systems.described import described
from research.systems.registry import known, load

M_MMAP_THRESHOLD = -3  # number of the setting in malloc.h
MAPPED_FROM = 2**16  # bytes of a piece of memory that is given back as soon as it is freed


def give_memory_back(*, is_driver: bool = False) -> None:
    """Has Arrow's memory come from the system, which of all gets it back the soonest.

    In a driver batches pass through several threads, and malloc, which raises its limit with each
    that is freed, would keep a heap for every thread. A process that computes itself is faster with
    that.
    """
    pa.set_memory_pool(pa.system_memory_pool())
    if is_driver:
        with contextlib.suppress(AttributeError, TypeError):  # another libc; Windows
            ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, MAPPED_FROM)


N_HEX = 12
VARIANTS = Path(__file__).resolve().parent / "data" / "variants.toml"


def about_run(
    suite: str, system: Any, *, config: str = "", split: str = "test", seed: int = 0
) -> dict[str, str]:
    """What a signature says of a run; without a config, of no draw: it is compared with none."""
    known = {"suite": suite} if suite in suite_names() else {}
    if known and config:
        is_released = config.startswith("released")
        known |= {
            "edition": "released" if is_released else "generated",
            "suite_version": suite_builder(suite).version_of(config),
            "config": config,
            "split": split,
            "draw": "" if is_released else str(seed),
        }
    known |= {"system": _fitting(system.name), "revision": _fitting(system.version)}
    return {name: text for name, text in known.items() if text}


def _fitting(text: str) -> str:
    """A text as a signature may hold it: a long one ends in a hash of all of it."""
    text = text.strip()
    if len(text) <= LONGEST:
        return text
    digits = hashlib.sha256(text.encode()).hexdigest()[:N_HEX]
    return f"{text[: LONGEST - N_HEX - 1]}#{digits}"


def signed_results(scored: Any) -> Iterator[Mapping[str, Any]]:
    """Results of metrics about one system, wherever they stand in what a study scored."""
    if isinstance(scored, Mapping):
        if isinstance(signature := scored.get("signature"), str):
            if "system" in read_signature(signature).run:
                yield scored
            return
        scored = scored.values()
    elif not isinstance(scored, list | tuple):
        return
    for value in scored:
        yield from signed_results(value)


def file_name(signature: str) -> str:
    """Name of a result's file: of its system, config and split, and a hash that tells it apart.

    Example:
        >>> file_name("suite:eras|config:lite|split:test|system:a:b|metric:gper|version:2.0.0")
        'a-b.lite.test.1c04c16d.json'
    """
    run = read_signature(signature).run
    parts = [run[name] for name in ("system", "config", "split") if name in run]
    digits = hashlib.sha256(signature.encode()).hexdigest()[:8]
    return ".".join([*(re.sub(r"[^\w-]+", "-", part) for part in parts), digits, "json"])


Options = argparse.Namespace
Rows = Sequence[Mapping[str, Any]]
Scored = Any


@dataclass
class Run:
    """A study under way with the command line's options; the loop shares out its work.

    `loaded` are its systems, by name.
    """

    study: "Study"
    options: Options
    loop: Loop = field(default_factory=Loop)
    loaded: dict[str, Any] = field(default_factory=dict)

    def store(self, name: str, schema: pa.Schema) -> Store:
        """The store of one kind of rows."""
        return Store(self.options.store / self.study.suite / self.study.name / name, schema)

    def fill(self, stage: Stage) -> None:
        """Does what is not done yet: `Loop.fill`."""
        self.loop.fill(stage)

    def done(self, stage: Stage) -> dict[Any, Row]:
        """The stored row of each piece of work."""
        tasks = list(stage.tasks())
        found = stage.store.rows([key for task in tasks for key in task.keys])
        pairs = (
            (part, key) for task in tasks for part, key in zip(task.parts, task.keys, strict=True)
        )
        return {part: found[key] for part, key in pairs}

    def settings(self) -> dict[str, Any]:
        """What systems are loaded with: the options of their kind that were given."""
        found = {
            option.attribute: getattr(self.options, option.attribute)
            for option in settings_of_kind(self.study.kind)
        }
        return {name: value for name, value in found.items() if value is not None}

    def system(self, name: str) -> Any:
        """A system by name, made once; where others predict it is not loaded, only told of."""
        if name not in self.loaded:
            kind, settings, is_here = self.study.kind, self.settings(), self.loop.workers.is_here
            made = load(kind, name, **settings) if is_here else described(kind, name, settings)
            self.loaded[name] = made
        return self.loaded[name]

    def loader(self, name: str) -> Callable[[], Any]:
        """Loads a system in another process, on the device that was chosen."""
        return functools.partial(load, self.study.kind, name, **self.settings())

    def about(self, system: Any, config: str = "", split: str = "test") -> dict[str, str]:
        """The option `run` of a metric whose result is about a system: `about_run`."""
        seed = getattr(self.options, "seed", 0)
        return about_run(self.study.suite, system, config=config, split=split, seed=seed)


@dataclass(frozen=True)
class Study:
    """A study.

    Attributes:
        module: Its module, `studies.<suite>.<name>`; `cards/results/` has a folder of that suite.
        about: The module's text: what it asks, command lines, source.
        rows: The rows that the options choose; something with a length.
        work: Does what is to be done with the rows, through `Run.fill`, by default nothing; True
            where nothing is to be scored then.
        kind: Kind of its systems, "" for a study without; `systems` are the default ones, and
            `settings` what they are loaded with in place of their kind's defaults, by attribute.
        has_workers: Whether its work runs in other processes, one for each core by default; else
            its systems predict in this process unless more workers or Ray are asked for.
        packages: Packages that its own work needs beside the extra `hub`.
        metrics, configs: By whose versions, and hash of rows, a written result is stamped; without
            configs, which the options choose, it is all of the draw. `stamp` gives something else.
        variants: The same question asked otherwise, by name: `--variant NAME` takes its defaults,
            so that its results too are what a recorded line makes again. All share one store.
        variant: Its name among them, "" for the study itself.
    """

    module: str
    about: str
    rows: Callable[[Options], Any]
    score: Callable[[Any, Run], Scored]
    show: Callable[[Scored, Options], Sequence[Shown]]
    work: Callable[[Any, Run], bool | None] = lambda rows, run: None
    options: tuple[Option, ...] = ()
    kind: str = ""
    systems: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    has_workers: bool = False
    packages: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    configs: Callable[[Options], Sequence[str]] = lambda options: ()
    stamp: Callable[[], Mapping[str, Any]] | None = None
    variants: Mapping[str, "Study"] = field(default_factory=dict)
    variant: str = ""

    @classmethod
    def of(cls, module: str, **fields: Any) -> "Study":
        """The study of a module: its text, and its functions `rows`, `score`, `show` and `work`.

        Without the last it may have a `stage`, whose rows are scores unless it has `score`.
        """
        own = vars(sys.modules[module])
        parts = {name: own[name] for name in ("rows", "score", "show", "work") if name in own}
        if "stage" in own and "work" not in own:
            made = own["stage"]
            parts["work"] = lambda rows, run: run.fill(made(rows, run))
            parts.setdefault("score", lambda rows, run: run.done(made(rows, run)))
        return cls(module, own["__doc__"], **parts | fields)

    def having(self, **variants: "Study") -> "Study":
        """The study with these variants."""
        named = {name: dataclasses.replace(one, variant=name) for name, one in variants.items()}
        return dataclasses.replace(self, variants=named)

    def otherwise(self, about: str, **changed: Any) -> "Study":
        """The same study, without variants, with other fields or defaults of its own options."""
        options = tuple(
            dataclasses.replace(one, default=changed.pop(one.attribute, one.default))
            for one in self.options
        )
        changed = {"options": options, "variants": {}, **changed}
        return dataclasses.replace(self, about=about, **changed)

    def with_variants(self, **fields: Mapping[str, Any]) -> "Study":
        """The study with its variants of `variants.toml`, and by variant what is code: `show`."""
        made = {}
        for name, told in read_settings(VARIANTS)[f"{self.suite} {self.name}"].items():
            title, _, rest = told.pop("asks").strip().partition("\n")
            about = f"{title}\n\n    python -m research {self.place} --variant {name}\n{rest}"
            told["systems"] = tuple(told.get("systems", self.systems))
            made[name] = self.otherwise(about, **told, **fields.get(name, {}))
        return self.having(**made)

    @property
    def suite(self) -> str:
        """The suite that it is about."""
        return self.module.split(".")[-2]

    @property
    def name(self) -> str:
        """Its name among those of the suite."""
        return self.module.split(".")[-1]

    @property
    def place(self) -> str:
        """How the command line names it: `<suite> <study>`, or one if alike; then `--variant`."""
        place = self.suite if self.suite == self.name else f"{self.suite} {self.name}"
        return f"{place} --variant {self.variant}" if self.variant else place

    @property
    def result(self) -> str:
        """Name of the files of a result that has none of its own."""
        return f"{self.name}_{self.variant}" if self.variant else self.name

    @property
    def title(self) -> str:
        """The first line of what it asks."""
        return self.about.split("\n", maxsplit=1)[0]

    def all_options(self) -> list[Option]:
        """Its own options and the shared ones that concern it."""
        text = f"any of {', '.join(known(self.kind))}" if self.kind else ""
        names = flag("systems", text, list(self.systems), "systems", many="+", metavar="NAME")
        of_kind = (
            dataclasses.replace(option, default=self.settings.get(option.attribute, option.default))
            for option in settings_of_kind(self.kind)
        )
        systems = (names, *of_kind) if self.kind else ()
        workers = WORKER_OPTIONS if self.has_workers or self.kind else ()
        return [*systems, *self.options, *workers, *SHARED]

    def parser(self) -> argparse.ArgumentParser:
        """Its command line."""
        variants = [f"--variant {name}: {one.title}" for name, one in self.variants.items()]
        made = _Parser(
            prog=f"python -m research {self.place}",
            description=self.about,
            epilog="\n".join(variants),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        for option in self.all_options():
            add_option(made, option.name, option.rule, option.default, shown=option.shown)
        return made

    def changed(self, options: Options) -> list[str]:
        """Options that are not the default and change what comes out, as on the command line."""
        return [
            f"--{option.name}"
            for option in self.all_options()
            if option.role == "result" and option.is_changed(options)
        ]

    def command(self, options: Options) -> str:
        """The line that makes a written result again on any machine."""
        names = list(getattr(options, "systems", self.systems))
        chosen = ["--systems", *names] if names != list(self.systems) else []
        return shlex.join(["python", "-m", "research", *self.place.split(), *chosen, "--write"])


def run(study: Study, arguments: Sequence[str]) -> int:
    """Runs a study; gives the exit code."""
    options = study.parser().parse_args(arguments)
    _check(study, options)
    loop = Loop(options.shard or (1, 1), _workers(study, options), options.set_aside)
    give_memory_back(is_driver=not loop.workers.is_here)
    try:
        return _run(study, options, loop)
    finally:
        ray_engine.stop()


def _run(study: Study, options: Options, loop: Loop) -> int:
    running = Run(study, options, loop)
    _check_packages(running)
    rows = study.rows(options)
    if not len(rows):
        raise ValueError("rows, got none; expected a selection that has some")
    if study.work(rows, running):
        return 0
    if options.shard:
        shard = "/".join(map(str, options.shard))
        left = f"{loop.n_elsewhere:,} pieces of other shards are left"
        print(f"shard {shard} is done; {left}; without --shard the study scores", file=sys.stderr)
        return 0
    scored = study.score(rows, running)
    for shown in study.show(scored, options):
        print(shown.report or shown.text)
        _leave(running, shown, scored)
    if options.out:
        _leave_results(scored, options.out)
    if loop.n_failed:
        print(f"{loop.n_failed:,} pieces of work failed and are left out", file=sys.stderr)
    return 1 if loop.n_failed else 0


def _check_packages(run: Run) -> None:
    """Loads the systems and asks for what is imported late, before any row is read."""
    study, options = run.study, run.options
    plots = ("matplotlib",) if options.write or options.out else ()
    ray = ("ray",) if getattr(options, "engine", "") == "ray" else ()
    require(*study.packages, *plots, *ray, command=f"research {study.place}")
    for name in getattr(options, "systems", ()):
        run.system(name)


def _workers(study: Study, options: Options) -> Workers:
    """What runs the work: one process, unless the study or the command line says more."""
    if not (study.has_workers or study.kind):
        return Workers()
    n, is_ray = options.processes, options.engine == "ray"
    if n is None and not (is_ray and options.address):
        n = (os.cpu_count() or 1) if study.has_workers or is_ray else 1
    return Workers(n, options.engine, options.address, options.gpus or 0)


class _Parser(argparse.ArgumentParser):
    """A parser whose errors end as all others do, in one line."""

    def error(self, message: str) -> Any:
        """Raises a ValueError of what the command line lacks."""
        raise ValueError(f"{message} (see --help)")


def _check(study: Study, options: Options) -> None:
    if options.write and options.shard:
        raise ValueError("--write, got --shard; expected one or the other: a shard has no scores")
    if options.write and (changed := study.changed(options)):
        raise ValueError(
            f"--write, got {', '.join(changed)}; expected the defaults: cards show the suite's"
            " default draw and settings only (--out DIR writes anything)"
        )
    names = getattr(options, "systems", ())
    for name in names if options.write else ():
        if Path(name).exists() or Path(name.partition(":")[2] or "?").exists():
            raise ValueError(
                f"--write, got system {name}, a file of this machine; expected one by a name that"
                " any machine knows"
            )
    if len(set(names)) < len(names):
        raise ValueError(f"--systems, got {' '.join(names)}; expected each once")


def _leave(run: Run, shown: Shown, scored: Scored) -> None:
    """Writes a result for the cards, or into a folder, as asked for."""
    study, options = run.study, run.options
    if not (options.write or options.out):
        return
    plot, name = shown.plot(), shown.name or study.result
    if options.out:
        write_whole(options.out / f"{name}.md", shown.report or shown.text)
        if plot is not None:
            write_whole(options.out / f"{name}.png", plot)
    if options.write:
        signatures = sorted({result["signature"] for result in signed_results(scored)})
        stamp = study.stamp() if study.stamp else None
        stamp = result_stamp(study.suite, study.metrics, stamp, study.configs(options))
        command = study.command(options)
        place = f"{study.suite}/{name}"
        path = write_result(place, stamp, shown, command, plot, signatures, run.loaded)
        print(f"written: {path}", file=sys.stderr)


def _leave_results(scored: Scored, folder: Path) -> None:
    """Writes every whole result of a metric in a file that push.py takes as a result."""
    for result in signed_results(scored):
        if "options" in result:
            text = json.dumps(result, ensure_ascii=False, indent=1)
            write_whole(folder / file_name(result["signature"]), f"{text}\n")
