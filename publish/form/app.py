"""The Space of a form: gives every rater a sheet, and writes the answers into a data set.

Each rater has one file, `answers/<number>.jsonl`. It is kept on this machine and committed by
huggingface_hub's CommitScheduler; the page keeps every answer until it is told that it is committed
and sends it again after a lost connection or a restart, so that the open page is the most that can
be lost. What is asked stands in `sheets.json`; the page is `form.js` and `form.css`.

Environment: HF_TOKEN, which may write to the data set that `space.toml` names.
"""

import json
import re
import tempfile
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from huggingface_hub import CommitScheduler, HfApi

HERE = Path(__file__).resolve().parent
NUMBER = re.compile(r"[0-9a-f]{12}")
GONE = "forgotten.txt"
LARGEST_LINE = 20_000  # characters
FIELDS = {
    *("form", "version", "seed", "sheet", "rater", "place", "item", "role", "answer"),
    *("milliseconds", "reading_milliseconds"),
}


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
            n_lines = {path.stem: len(read_lines(path)) for path in files}
        info = super().push_to_hub()
        self.n_stored |= n_lines
        return info


class Answers:
    """The answers of all raters, those that were committed before this process began included.

    Args:
        dataset: Id of the data set; made, private, where it is not there.
        sheets: What each rater is asked.
        minutes: Time between two commits.
        folder: Where the files lie.
        api: The Hub, by default that of the environment.
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
        wanted = ["answers/*.jsonl", GONE]
        api.snapshot_download(dataset, repo_type="dataset", local_dir=folder, allow_patterns=wanted)
        self.sheets, self.folder = sheets, folder / "answers"
        self.folder.mkdir(exist_ok=True)
        gone = folder / GONE
        self.gone = set(gone.read_text(encoding="utf-8").split()) if gone.exists() else set()
        self.given = {path.stem: read_lines(path)[0]["sheet"] for path in self._files()}
        self.scheduler = AnswerScheduler(
            repo_id=dataset,
            repo_type="dataset",
            folder_path=folder,
            every=minutes,
            allow_patterns=["answers/*.jsonl"],
            hf_api=api,
        )

    def open_sheet(self, rater: str, sheet: int) -> dict[str, Any]:
        """The sheet of a rater: the one that the rater has, or one that fewest have.

        Args:
            rater: The number that the page has made up.
            sheet: The sheet that the page has begun, -1 for none.
        """
        check(bool(NUMBER.fullmatch(rater)), f"rater, got {rater[:20]!r}; expected 12 hex digits")
        if rater not in self.given:
            taken = Counter(self.given.values())
            fewest = min(range(len(self.sheets)), key=lambda i: (taken[i], i))
            self.given[rater] = sheet if 0 <= sheet < len(self.sheets) else fewest
        return dict(self.sheets[self.given[rater]])

    def answer(self, rater: str, first: int, lines: list[Any]) -> dict[str, Any]:
        """Takes answers; those that are here already are passed over.

        Args:
            rater: Whose.
            first: Place of the first of them among all of the rater's.
            lines: Answers as the page records them.

        Returns:
            How many of the rater's answers are here (`arrived`) and committed (`stored`); `isGone`
            where the rater was forgotten.
        """
        check(rater in self.given, f"rater, got {rater[:20]!r}; expected one with a sheet")
        if rater in self.gone:
            return {"arrived": 0, "stored": 0, "isGone": True}
        path = self.folder / f"{rater}.jsonl"
        with self.scheduler.lock:
            n = len(read_lines(path))
            new = lines[n - first :] if first <= n else []
            texts = [self._line(rater, n + i, line) for i, line in enumerate(new)]
            with path.open("a", encoding="utf-8") as file:
                file.writelines(texts)
        if any(line.get("role") == "comment" for line in new):
            self.scheduler.trigger()
        stored = self.scheduler.n_stored.get(rater, 0)
        return {"arrived": n + len(new), "stored": stored, "isGone": False}

    def _line(self, rater: str, place: int, line: Any) -> str:
        most = 4 * len(self.sheets[self.given[rater]]["pages"]) + 10
        check(isinstance(line, dict) and set(line) <= FIELDS, "answer: expected the page's fields")
        check(line["rater"] == rater and line["place"] == place < most, "answer: out of place")
        text = json.dumps(line, ensure_ascii=False)
        check(len(text) < LARGEST_LINE, "answer: too long")
        return f"{text}\n"

    def _files(self) -> list[Path]:
        return [path for path in sorted(self.folder.glob("*.jsonl")) if read_lines(path)]


def check(is_right: bool, message: str) -> None:
    """Refuses what no page of ours sends."""
    if not is_right:
        raise ValueError(message)


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Whole lines of a file of answers; [] where there is none."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]


def page(answers: Answers, title: str) -> Any:
    """The page, ready to be launched."""
    import gradio as gr

    def open_sheet(rater: str, sheet: int) -> dict[str, Any]:
        return answers.open_sheet(rater, sheet)

    def answer(rater: str, first: int, lines: list[Any]) -> dict[str, Any]:
        return answers.answer(rater, first, lines)

    script = "\n".join((HERE / name).read_text(encoding="utf-8") for name in SCRIPTS)
    with gr.Blocks(title=title, analytics_enabled=False) as blocks:
        gr.HTML("<div class='form' id='form'></div>", js_on_load=script, apply_default_css=False)
        gr.api(open_sheet, api_name="open_sheet", queue=False)
        gr.api(answer, api_name="answer", queue=False)
    return blocks


SCRIPTS = ("form.js", "space.js")


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
