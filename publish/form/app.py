"""The Space of a form: gives every rater a sheet, and writes the answers into a data set.

Each rater has one file, `answers/<number>.jsonl`. It is kept on this machine and committed by
huggingface_hub's CommitScheduler; the page keeps every answer until it is told that it is committed
and sends it again after a lost connection or a restart, so that the open page is the most that can
be lost. What is asked stands in `sheets.json`; the page is `form.js` and `form.css`.

Environment: HF_TOKEN, which may write to the data set that `space.toml` names.
"""

import json
import math
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import tomllib
from huggingface_hub import CommitScheduler, HfApi

if __package__:  # in the tree; in a Space the file stands beside this one
    from metrics._shared.plain_text import TextError, json_lines, lines_of
else:
    from plain_text import TextError, json_lines, lines_of  # type: ignore[import-not-found, no-redef]

HERE = Path(__file__).resolve().parent
NUMBER = re.compile(r"[0-9a-f]{12}")
GONE = "forgotten.txt"
BROKEN = ".broken"  # ending of the file that lines which are no answers are moved to
LARGEST_LINE = 20_000  # characters
DEEPEST = 5  # lists and objects in one another, the line itself included
LONGEST_TIME = 10**9  # milliseconds
MOST_WAITING = 10_000  # raters who have a sheet and have answered nothing
SHEETS_AT_ONCE, SHEET_EVERY = 300, 2.0  # new raters of an address, seconds: a class behind one
CALLS_AT_ONCE, CALL_EVERY = 120, 0.5  # calls of a rater, whose page makes one every three seconds
FIELDS = {
    *("form", "version", "seed", "sheet", "rater", "place", "item", "role", "answer"),
    *("milliseconds", "reading_milliseconds"),
}


class CallPace:
    """Lets callers through at a pace: each so many at once, then one every so many seconds."""

    def __init__(
        self, n_at_once: int, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.n_at_once, self.seconds, self.clock = n_at_once, seconds, clock
        self.free: dict[str, float] = {}  # when a caller has all its calls again

    def let(self, caller: str) -> None:
        """Counts a call; refuses one too many, which does not count."""
        now = self.clock()
        free = max(self.free.pop(caller, now), now)
        wait = free - now - (self.n_at_once - 1) * self.seconds
        self.free[caller] = free + self.seconds * (wait <= 0)
        if len(self.free) > MOST_WAITING:
            del self.free[next(iter(self.free))]  # who has called least lately
        expected = f"the next in {math.ceil(wait)} s"
        check(wait <= 0, f"calls, got more than {self.n_at_once} at once; expected {expected}")


class AnswerScheduler(CommitScheduler):
    """Commits the answers every now and then, and knows how many lines of each file it has."""

    def __init__(self, **options: Any) -> None:
        """Takes the options of CommitScheduler."""
        self.n_stored: dict[str, int] = {}
        super().__init__(**options)

    def push_to_hub(self) -> Any:
        """Commits what is new; the lines that were there before it began are stored then."""
        with self.lock:
            files = (self.folder_path / "answers").glob("*.jsonl")
            n_lines = {path.stem: n_in_order(read_lines(path)) for path in files}
        info = super().push_to_hub()
        self.n_stored |= n_lines
        return info


class Answers:
    """The answers of all raters, those that were committed before this process began included.

    The data set is made, private, where it is not there; `minutes` lie between two commits.
    """

    def __init__(
        self,
        dataset: str,
        sheets: Sequence[Mapping[str, Any]],
        minutes: float,
        folder: Path,
        api: HfApi | None = None,
    ) -> None:
        api = api or HfApi()
        api.create_repo(dataset, repo_type="dataset", private=True, exist_ok=True)
        patterns = ["answers/*.jsonl", f"answers/*{BROKEN}"]
        wanted = [*patterns, GONE]
        api.snapshot_download(dataset, repo_type="dataset", local_dir=folder, allow_patterns=wanted)
        self.sheets, self.folder = sheets, folder / "answers"
        self.folder.mkdir(exist_ok=True)
        gone = folder / GONE
        self.gone = set(gone.read_text(encoding="utf-8").split()) if gone.exists() else set()
        self.given: dict[str, int] = {}
        for path in sorted(self.folder.glob("*.jsonl")):
            set_broken_aside(path)
            numbers = [line.get("sheet") for line in read_lines(path)]
            if numbers and type(numbers[0]) is int and 0 <= numbers[0] < len(sheets):
                self.given[path.stem] = numbers[0]
        self.sheet_pace = CallPace(SHEETS_AT_ONCE, SHEET_EVERY)
        self.call_pace = CallPace(CALLS_AT_ONCE, CALL_EVERY)
        self.waiting: dict[str, int] = {}  # sheets of raters who have answered nothing, in order
        self.scheduler = AnswerScheduler(
            repo_id=dataset,
            repo_type="dataset",
            folder_path=folder,
            every=minutes,
            allow_patterns=patterns,
            hf_api=api,
        )

    def open_sheet(self, rater: str, sheet: int, address: str = "") -> dict[str, Any]:
        """The sheet of a rater: the one that the rater has or has begun, or one that fewest have.

        Those who answer count, and the last who opened one, as many as there are sheets: whoever
        opens thousands does not decide which the others get. An address has a pace and is not kept.
        """
        check(bool(NUMBER.fullmatch(rater)), f"rater, got {rater[:20]!r}; expected 12 hex digits")
        if rater not in self.given:
            self.sheet_pace.let(address)
            taken = Counter(n for one, n in self.given.items() if one not in self.waiting)
            taken.update(list(self.waiting.values())[-len(self.sheets) :])
            fewest = min(range(len(self.sheets)), key=lambda i: (taken[i], i))
            is_begun = type(sheet) is int and 0 <= sheet < len(self.sheets)
            self.given[rater] = self.waiting[rater] = sheet if is_begun else fewest
            if len(self.waiting) > MOST_WAITING:
                oldest = next(iter(self.waiting))
                del self.waiting[oldest], self.given[oldest]
        return dict(self.sheets[self.given[rater]])

    def answer(self, rater: str, first: int, lines: list[Any]) -> dict[str, Any]:
        """Takes answers from the place `first` on; those that are here already are passed over.

        Gives how many of the rater's answers are here (`arrived`) and committed (`stored`);
        `isGone` where the rater was forgotten.
        """
        check(rater in self.given, f"rater, got {rater[:20]!r}; expected one with a sheet")
        self.call_pace.let(rater)
        if rater in self.gone:
            return {"arrived": 0, "stored": 0, "isGone": True}
        path = self.folder / f"{rater}.jsonl"
        with self.scheduler.lock:
            set_broken_aside(path)
            n = n_in_order(read_lines(path))
            new = lines[n - first :] if 0 <= first <= n else []
            texts = [self._line(rater, n + i, line) for i, line in enumerate(new)]
            with path.open("a", encoding="utf-8") as file:
                file.writelines(texts)
            if new:
                self.waiting.pop(rater, None)
        if any(line.get("role") == "comment" for line in new):
            self.scheduler.trigger()
        stored = self.scheduler.n_stored.get(rater, 0)
        return {"arrived": n + len(new), "stored": stored, "isGone": False}

    def _line(self, rater: str, place: int, line: Any) -> str:
        sheet = self.sheets[self.given[rater]]
        most = 4 * len(sheet["pages"]) + 10
        check(isinstance(line, dict) and set(line) <= FIELDS, "answer: expected the page's fields")
        is_here = line.get("rater") == rater and type(line.get("place")) is int
        check(is_here and line["place"] == place < most, "answer: out of place")
        check(is_plain(line, DEEPEST), "answer: expected finite numbers and texts, not so deep")
        for name in sorted({"form", "version", "seed"} & set(line) & set(sheet)):
            check(line[name] == sheet[name], f"answer: {name}, expected that of the sheet")
        roles = {page.get("id"): page.get("role") for page in sheet["pages"]}
        roles["comment"] = "comment"  # the one page that is on every sheet and is no item
        item, role = line.get("item"), line.get("role")
        check(isinstance(item, str) and item in roles, "answer: item, expected one of the sheet")
        check(role is None or role == roles[item], "answer: role, expected that of the item")
        check(isinstance(line.get("answer", {}), dict), "answer: expected an object")
        for name in ("milliseconds", "reading_milliseconds"):
            time_taken = line.get(name, 0)
            is_time = type(time_taken) in (int, float) and 0 <= time_taken <= LONGEST_TIME
            check(is_time, f"answer: {name}, expected a time")
        text = json.dumps(line, ensure_ascii=False)
        check(len(text) < LARGEST_LINE, "answer: too long")
        return f"{text}\n"


def check(is_right: bool, message: str) -> None:
    """Refuses what no page of ours sends."""
    if not is_right:
        raise ValueError(message)


def is_plain(value: Any, depth: int) -> bool:
    """Whether a value is made of texts, finite numbers and at most `depth` levels around them."""
    if isinstance(value, dict | list):
        parts = [*value, *value.values()] if isinstance(value, dict) else value
        return depth > 0 and all(is_plain(part, depth - 1) for part in parts)
    if isinstance(value, str):
        return not any("\ud800" <= character <= "\udfff" for character in value)
    if isinstance(value, int) and not isinstance(value, bool):
        return abs(value) < 2**53
    return value is None or isinstance(value, bool) or math.isfinite(value)


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Whole lines of a file of answers, those left out that are none; [] where there is none."""
    return [record for line in _whole_lines(path)[0] for record in _answer(line)]


def n_in_order(lines: Sequence[Mapping[str, Any]]) -> int:
    """How many answers are here from the first on without a gap: the page sends those after it."""
    places = {line.get("place") for line in lines}
    return next(n for n in range(len(places) + 1) if n not in places)


def set_broken_aside(path: Path) -> None:
    """Moves what is no answer out of a file of answers, into one beside it, so that none blocks."""
    lines, rest = _whole_lines(path)
    broken = [*(line for line in lines if not _answer(line)), *filter(None, [rest])]
    if not broken:
        return
    with path.with_suffix(BROKEN).open("a", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in broken)
    whole = path.with_suffix(".new")
    whole.write_text("".join(f"{line}\n" for line in lines if _answer(line)), encoding="utf-8")
    whole.replace(path)


def _whole_lines(path: Path) -> tuple[list[str], str]:
    """Lines of a file that are ended, and what stands behind them."""
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    whole, end, rest = text.rpartition("\n")
    return lines_of(whole + end), rest


def _answer(line: str) -> list[dict[str, Any]]:
    """The one answer of a line; [] where it is none."""
    try:
        found = [record for _, record in json_lines(line, "answer")]
    except TextError:
        return []
    return found if found and type(found[0].get("place")) is int else []


def page(answers: Answers, title: str) -> Any:
    """The page, ready to be launched."""
    import gradio as gr

    def open_sheet(rater: str, sheet: int, request: gr.Request) -> dict[str, Any]:
        return answers.open_sheet(rater, sheet, request.client.host if request.client else "")

    def answer(rater: str, first: int, lines: list[Any]) -> dict[str, Any]:
        return answers.answer(rater, first, lines)

    names = ("form.js", "space.js")
    script = "\n".join((HERE / name).read_text(encoding="utf-8") for name in names)
    with gr.Blocks(title=title, analytics_enabled=False) as blocks:
        gr.HTML("<div class='form' id='form'></div>", js_on_load=script, apply_default_css=False)
        gr.api(open_sheet, api_name="open_sheet", queue=False)
        gr.api(answer, api_name="answer", queue=False)
    return blocks


def launch(**options: Any) -> Any:
    """Starts the Space; options are Gradio's."""
    settings = tomllib.loads((HERE / "space.toml").read_text(encoding="utf-8"))
    sheets = json.loads((HERE / "sheets.json").read_text(encoding="utf-8"))
    folder = Path(tempfile.mkdtemp(prefix="answers"))
    answers = Answers(settings["dataset"], sheets, settings["minutes"], folder)
    style = (HERE / "form.css").read_text(encoding="utf-8")
    return page(answers, settings["title"]).launch(css=style, footer_links=[], **options)


if __name__ == "__main__":
    launch()
