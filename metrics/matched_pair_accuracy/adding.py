"""Answers and rows that are added in batches before they are scored."""

from collections.abc import Mapping
from typing import Any

from .decisions import decide as decide_row
from .decisions import read_replies
from .options import WHERE
from .statements import Decision


class AddsLooseRows:
    """Mixin for the evaluate module: rows may lack what a scorer does not need, or stand alone."""

    blank_row: Mapping[str, Any] = {}

    def add_batch(self, *, predictions: Any = None, references: Any = None, **columns: Any) -> None:
        """Adds answers and their rows; fields that the scorer does not need may be missing.

        Args:
            predictions: One answer per row, or a list of answers from several runs.
            references: Question rows.
            **columns: None.
        """
        rows = [
            {name: row.get(name, blank) for name, blank in self.blank_row.items()}
            for row in references
        ]
        module: Any = super()
        module.add_batch(
            predictions=read_replies(f"{WHERE}: predictions", predictions),
            references=rows,
            **columns,
        )

    def add(self, *, prediction: Any = None, reference: Any = None, **columns: Any) -> None:
        """Adds one answer and its row, as `add_batch` does.

        Args:
            prediction: The answer, or a list of answers from several runs.
            reference: The question row.
            **columns: None.
        """
        self.add_batch(predictions=[prediction], references=[reference], **columns)

    def decide(
        self, reply: str, row: Mapping[str, Any], *, accept_full_chain: bool = False
    ) -> Decision:
        """Decision on one reply to one row, without its pair; see `decisions.decide`."""
        return decide_row(reply, row, accept_full_chain=accept_full_chain)
