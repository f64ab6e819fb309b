"""Questions a second of a local model where the beginning of all prompts is computed once.

    python -m benchmarks.shared_prompts gguf:smollm2
    python -m benchmarks.shared_prompts transformers:FOLDER --questions 64

Against generation that computes every prompt anew: the same model, questions and batches, in fp32
and on one thread. Processor seconds, since other programs may run beside. What differs is listed.

SmolLM2-135M-Instruct, 32 questions, at most 32 tokens each: 2.6 times as fast, all 32 the same.
"""

import argparse
import time
from collections.abc import Sequence
from typing import Any

from benchmarks.timing import Goal, report
from dataset_scripts.registry import split_table
from systems.answerers import AnswererSettings
from systems.generation import GenerationModel, load_generation_model
from systems.gguf import packaged_folder
from systems.prompts import read_prompts
from systems.questions import Answer, Question

SPEED, SAME = 2.5, 0.98


class Plain(GenerationModel):
    """The same model without what is lent."""

    def beginning(self, tokens: Sequence[Sequence[int]]) -> None:
        """No beginning is shared."""
        return


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the benchmark; gives the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.shared_prompts",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", help="gguf:NAME or transformers:FOLDER")
    parser.add_argument("--questions", type=int, default=50, help="how many (default: 50)")
    parser.add_argument("--max-new-tokens", type=int, default=32, help="(default: 32)")
    options = parser.parse_args(arguments)
    import torch

    torch.set_num_threads(1)
    kind, _, argument = options.model.partition(":")
    folder = str(packaged_folder(argument)) if kind == "gguf" else argument
    settings = AnswererSettings(dtype="float32")
    lending, checkpoint = load_generation_model(
        folder, read_prompts(), settings, options.max_new_tokens
    )
    plain = Plain(**vars(lending))
    asked = questions(options.questions)
    ours, theirs = timed(lending, asked), timed(plain, asked)
    for question, one, other in zip(asked, ours[1], theirs[1], strict=True):
        if one.text != other.text:
            print(f"{question.question} {one.text!r}, alone {other.text!r}")
    same = sum(a.text == b.text for a, b in zip(ours[1], theirs[1], strict=True)) / len(asked)
    goals = [
        Goal(
            f"speed, {len(asked) / theirs[0]:.2f} questions a second alone",
            theirs[0] / ours[0],
            SPEED,
        ),
        Goal("answers that are the same", same, SAME),
    ]
    return report(f"Prompts that begin alike, {checkpoint.version}", goals)


def questions(n: int) -> list[Question]:
    """Every so many rows of the lite questions, over all levels and types."""
    rows: list[dict[str, Any]] = split_table("centerbench", "questions_lite", "test").to_pylist()
    step = max(1, len(rows) // n)
    return [Question(*(row[name] for name in Question._fields)) for row in rows[::step][:n]]


def timed(model: GenerationModel, asked: Sequence[Question]) -> tuple[float, list[Answer]]:
    """Processor seconds of all answers, and the answers in the questions' order."""
    start = time.process_time()
    found = dict(model.answer(asked))
    return time.process_time() - start, [found[i] for i in range(len(asked))]


if __name__ == "__main__":
    raise SystemExit(main())
