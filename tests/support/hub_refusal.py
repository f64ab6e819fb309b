"""How the test Hub says no."""

from typing import Any


class RefusalError(Exception):
    """An answer other than 200."""

    def __init__(self, status: int, message: str, code: str = "", **more: Any) -> None:
        super().__init__(message)
        self.status, self.code, self.body = status, code, {"error": message, **more}
