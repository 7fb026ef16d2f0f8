"""The root of all exceptions that this project raises on purpose; each message is one line.

::

    SleuthError
    ├── BrokenPlugin                          an installed plug-in cannot be used  mcts.kernel
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

Those that are a `ValueError` or a `RuntimeError` besides may be caught as such.
"""


class SleuthError(Exception):
    """Base of the project's own exceptions."""
