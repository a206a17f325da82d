"""Guard files that are committed with a game: `guards/LIBRARY/VARIANT.json` beside its code."""

from importlib.resources import files


def committed_guards(package: str, library: str, game: str) -> bytes | None:
    """Return the file of one game and library, None where there is none.

    Args:
        package: that holds the folder `guards`, e.g. `hocket.games.overcooked`.
        library: name of the option library.
        game: full name, e.g. `overcooked:cramped_room`.
    """
    kind, _, variant = game.partition(":")
    name = f"{variant or kind}.json"
    folder = files(package) / "guards" / library
    names = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
    return (folder / name).read_bytes() if name in names else None
