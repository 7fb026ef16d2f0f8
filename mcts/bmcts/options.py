"""Options of BMCTS on finite problems."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from mcts.bmcts.bounds import LEAVES, UPPER
from mcts.bmcts.simulation import BACKUPS, SELECTIONS, UNITS, KernelParams
from mcts.limits import between, check, like, one_of
from mcts.options import IN_FLIGHT, MOST_NODES, Options, cores, fill

_MOST = 1_000_000


@dataclass(frozen=True, eq=False)
class BeliefOptions:
    """Options of a `BeliefSearch`; the defaults are one setting for all problems.

    Raises ValueError for a value out of range, or two that exclude each other.
    """

    leaf: Any = "fib"
    """Value of a leaf: one of `mcts.bmcts.bounds.LEAVES`, or vectors of the user, float (S,) or
    (K, S): the value of a belief is their greatest mean."""
    lower: Any = None
    """Lower bounds: ``blind``, or vectors of the user (S,) or (K, S); None: none."""
    prior: Any = None
    """Prior weights of actions for ``puct``, (A,) or (S, A); None: all alike."""
    backup: str = one_of(*BACKUPS, default="maximum")
    """``maximum``: expectations over observations and the best action; ``mean``: of returns."""
    selection: str = one_of(*SELECTIONS, default="puct")
    exploration: float = between(0, _MOST, default=1.0)
    """c of the formula ..."""
    unit: str = one_of(*UNITS, default="seen")
    """... in units of the values ``seen`` in the tree, or of the ``declared`` range of returns."""
    gap: float | None = between(0, _MOST, default=None)
    """The search ends when the root's bounds are this close; needs ``lower``."""
    final: str = like(Options, "final", default="visits")
    in_flight: str = one_of(*IN_FLIGHT, default="virtual_loss")
    virtual_loss: float = between(0, _MOST, default=1.0)
    keep_tree: bool = False
    mode: str = one_of("tree", "root", default="tree")
    threads: int = between(1, 1024, default=1)
    workers: int = between(1, 1024, default=1)
    merge: str = like(Options, "merge", default="visits")
    nodes: int = between(1, MOST_NODES, default=100_000)
    """Maximum nodes, equal beliefs being one.  One node is one step of look-ahead, once each action
    was tried."""
    numbers: int = between(1, 2_000_000_000, default=20_000_000)
    """Maximum probabilities in the beliefs of all nodes, 12 bytes each."""
    oversubscribe: bool = False
    """Allow more threads than cores."""

    def __post_init__(self) -> None:
        check(self)
        rollouts = isinstance(self.leaf, str) and self.leaf == "rollout"
        if isinstance(self.leaf, str) and self.leaf not in LEAVES:
            raise ValueError(f"leaf must be {', '.join(LEAVES)} or an array, not {self.leaf!r}")
        if rollouts and (self.backup, self.selection) != ("mean", "uct"):
            raise ValueError("leaf=rollout needs backup=mean and selection=uct: it has no values")
        if self.lower is not None and (self.backup != "maximum" or not self.bounded):
            raise ValueError(f"lower needs backup=maximum and a leaf of {', '.join(UPPER)}")
        if self.gap is not None and self.lower is None:
            raise ValueError("gap needs lower: set lower=blind")
        if self.workers > 1 and self.mode != "root":
            raise ValueError(f"{self.workers} workers need mode root, not {self.mode}")
        if self.keep_tree and self.mode == "root":
            raise ValueError("keep_tree needs one tree: it excludes mode root")
        if self.threads > cores() and not self.oversubscribe:
            raise ValueError(
                f"{self.threads} threads are more than the {cores()} cores; "
                "set oversubscribe to run them anyway"
            )

    @property
    def bounded(self) -> bool:
        """Whether the leaf's values are upper bounds."""
        return isinstance(self.leaf, str) and self.leaf in UPPER

    def kernel_params(self) -> KernelParams:
        """Return the kernel's settings."""
        found = {each.name: getattr(self, each.name) for each in fields(self)}
        found |= {"selection": SELECTIONS[self.selection], "backup": BACKUPS[self.backup]}
        found |= {"unit": UNITS[self.unit], "in_flight": IN_FLIGHT[self.in_flight]}
        found["rollouts"] = isinstance(self.leaf, str) and self.leaf == "rollout"
        found["gap"] = -1.0 if self.gap is None else self.gap
        return fill(KernelParams, found)
