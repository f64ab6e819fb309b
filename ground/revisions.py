"""A model as a person names it: `NAME[@REVISION]` on the Hub, or a folder of this machine."""

from pathlib import Path


def split_revision(argument: str, revision: str | None = None) -> tuple[str, str | None]:
    """The name and the revision of a model; a ValueError for two of them, or one of a folder.

    Example:
        >>> split_revision("bert-base-chinese@8f23c25")
        ('bert-base-chinese', '8f23c25')
    """
    if Path(argument).is_dir():
        if revision:
            raise ValueError(f"{argument}: revision, got {revision!r}; expected none for a folder")
        return argument, None
    name, _, written = argument.partition("@")
    if written and revision and written != revision:
        raise ValueError(f"{argument}: revision, got also {revision!r}; expected one of the two")
    return name, written or revision
