"""An item of a draw of SORTS."""

from typing import NamedTuple

from builders.sorts.design import Block
from builders.sorts.realizer import Clause


class DrawnItem(NamedTuple):
    """An item of the suite: what it belongs to, its place there, its clause, what settles it."""

    block: Block
    place: int
    triple_id: str
    clause: Clause
    resolved_by: str

    @property
    def item_id(self) -> str:
        """Split, block and place, such as `amb/aux-pp/03`."""
        return f"{self.block.split}/{self.block.name}/{self.place:02d}"

    @property
    def orders(self) -> tuple[str, ...]:
        """Its word orders, in the authors' sequence."""
        return tuple(self.block.word_orders(self.place % self.block.items))
