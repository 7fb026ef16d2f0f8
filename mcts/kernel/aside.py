"""Ctrl-C during a long call of native code.

Python acts on Ctrl-C in the main thread alone, and between its own instructions.  So native code
that takes seconds runs in another thread, while the main one waits where it can be interrupted.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread, current_thread, main_thread
from typing import Any

_LOOK_SECONDS = 0.1


def call_aside(job: Callable[..., Any], *arguments: Any) -> Any:
    """Return ``job(*arguments)``, or raise what it raises; Ctrl-C is heard meanwhile.

    After KeyboardInterrupt the job runs on to its end, for nobody: what it writes to must not be
    used again.
    """
    if current_thread() is not main_thread():
        return job(*arguments)
    done: Future = Future()

    def work() -> None:
        try:
            done.set_result(job(*arguments))
        except BaseException as fault:
            done.set_exception(fault)

    Thread(target=work, daemon=True).start()
    while True:  # the system may hand Ctrl-C to any thread: the main one must wake to act on it
        try:
            return done.result(_LOOK_SECONDS)
        except TimeoutError:
            if done.done():
                raise
