"""What `progress=` may be: nothing, a function, or True for a bar of tqdm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Union

#: Called with (phase, item, done bytes, all bytes), at most about ten times a second, by the thread
#: that called. An exception that it raises stops the work.
ProgressCallback = Callable[[str, str, int, int], object]
ProgressWish = Union[ProgressCallback, bool, None]


@contextmanager
def callback(wish: ProgressWish) -> Iterator[ProgressCallback | None]:
    """The function to call while the block runs; None if nobody wants to know."""
    if wish is None or wish is False:
        yield None
    elif wish is True:
        with _tqdm() as shown:
            yield shown
    elif callable(wish):
        yield wish
    else:
        raise TypeError(f"progress is {wish!r}, expected a function, True or None")


@contextmanager
def _tqdm() -> Iterator[ProgressCallback]:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise ImportError(
            "progress=True needs the package tqdm; pass a function instead, which is "
            "called with (phase, item, done_bytes, total_bytes)"
        ) from None

    bar = tqdm(unit="B", unit_scale=True, leave=False)

    def show(phase: str, item: str, done: int, total: int) -> None:
        bar.total = total or None
        bar.set_description(phase, refresh=False)
        bar.n = done
        bar.refresh()

    try:
        yield show
    finally:
        bar.close()
