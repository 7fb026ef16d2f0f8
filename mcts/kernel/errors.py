"""The root of all exceptions that this project raises deliberately; each message is one line.

::

    SleuthError
    ├── BrokenPlugin                          an installed plug-in cannot be used  mcts.kernel
    ├── KernelFault (TypeError)               a kernel cannot be compiled          mcts.kernel
    ├── UnsafeCache                           others can write to the code cache   mcts.kernel
    ├── RayFault (RuntimeError)               Ray cannot be started or joined      mcts.distributed
    ├── SearchersLost                         no process of a search is left       mcts.root
    ├── Deprived (ValueError)                 no particle explains an observation  mcts.plain
    ├── ContradictoryEvidence (ValueError)    no deal explains what a seat saw     belief
    ├── EvidenceFull (ValueError)             more clauses than a record holds     belief
    ├── ParticleDeprivation (RuntimeError)    no particle is left                  belief
    ├── IllegalAction (ValueError)            an action that the rules do not allow  sim
    ├── RecordError (ValueError)              a record of a game is damaged        sim
    └── Refusal, GamesFailed, ...             a command cannot do what it was asked  experiments

Those that are also a `ValueError` or a `RuntimeError` may be caught as such.
"""


class SleuthError(Exception):
    """Base of the project's own exceptions."""


def describe(fault: BaseException, whole: bool = False) -> str:
    """Return the name and the text of ``fault`` in one line, even if it cannot be printed.

    ``whole``: all lines of the text instead of the first.
    """
    try:
        text = str(fault).strip()
    except Exception as another:
        text = f"(its text cannot be read: {type(another).__name__})"
    text = " ".join(text.split()) if whole else text.partition("\n")[0]
    return f"{type(fault).__name__}: {text}" if text else type(fault).__name__
