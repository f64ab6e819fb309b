"""How a command ends: with an exit code and, where a person can mend it, one line, no traceback."""

import os
import select
import sys
import zlib
from collections.abc import Callable

from ground.paths import ROOT
from metrics._shared.plain_text import cut

FAILED = 1
LONGEST = 800  # characters of an error
INTERRUPTED = 130  # what a shell gives for a program stopped by Ctrl-C
PIPE_CLOSED = 141  # and for one whose reader, such as `head`, has gone
FORESEEN = (ValueError, RuntimeError, OSError, EOFError, MemoryError, OverflowError, zlib.error)
OF_LIBRARIES = (
    *(("aiohttp", "ClientError"), ("csv", "Error"), ("datasets.exceptions", "DatasetsError")),
    *(("httpx", "HTTPError"), ("jinja2", "TemplateError"), ("lzma", "LZMAError")),
    *(("pyarrow", "ArrowException"), ("subprocess", "SubprocessError"), ("tarfile", "TarError")),
    *(("yaml", "YAMLError"), ("zipfile", "BadZipFile")),
)


def run_command(name: str, command: Callable[[], int], *, interrupted: str = "stopped") -> int:
    """Runs a command and returns its exit code.

    That is 1 for input, data or a machine that it cannot work with, with one line that says so; 130
    for Ctrl-C; 141 where nobody reads what it prints.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a locale without the character prints its number
            stream.reconfigure(errors="backslashreplace")
    try:
        code = command()
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        print(f"\n{name}: {interrupted}", file=sys.stderr)
        return INTERRUPTED
    except Exception as error:
        if isinstance(error, BrokenPipeError) and _reader_is_gone():
            return PIPE_CLOSED
        if not is_foreseen(error):
            raise
        print(f"{name}: {one_line(error)}", file=sys.stderr)
        return FAILED


def _reader_is_gone() -> bool:
    """Whether nobody reads stdout any more; then what is left of it goes nowhere."""
    try:
        number = sys.stdout.fileno()
    except (OSError, ValueError):  # stdout is no file
        return False
    if not hasattr(select, "poll"):  # Windows
        return False
    poll = select.poll()
    poll.register(number, 0)
    is_gone = any(event & select.POLLERR for _, event in poll.poll(0))
    if is_gone:
        with open(os.devnull, "wb") as nothing:
            os.dup2(nothing.fileno(), number)
    return is_gone


def is_foreseen(error: Exception) -> bool:
    """Whether a person can mend an error: input, data, machine, network, or a missing package.

    A module of this repository that is not found is a defect of ours.
    """
    if isinstance(error, ModuleNotFoundError):
        return not (ROOT / (error.name or "push").split(".")[0]).exists()
    loaded = [(sys.modules.get(module), name) for module, name in OF_LIBRARIES]
    others = [getattr(module, name) for module, name in loaded if module]
    return isinstance(error, (*FORESEEN, *others))


def one_line(error: Exception) -> str:
    """What an error says, on one line; of a failed call of the system its file and reason.

    Example:
        >>> one_line(OSError(28, "No space left on device", "hub/eras"))
        'hub/eras: No space left on device'
        >>> one_line(EOFError())
        'EOFError'
        >>> one_line(ModuleNotFoundError("No module named 'ray'", name="ray"))
        "package ray is not installed; pip install '.[ray]'"
    """
    if isinstance(error, ModuleNotFoundError) and str(error).startswith("No "):  # not ours
        from ground.extras import told

        return told((error.name or "").split(".")[0])
    if isinstance(error, MemoryError):
        return f"not enough memory {' '.join(str(error).split())}".strip()
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return cut(" ".join(str(error).split()), LONGEST) or type(error).__name__
