"""Drive a table: compiled players decide at once, slow ones in a thread, events come at its pace.

A driver runs in one event loop, and so do all calls of it.  While a slow player decides in its
thread the game is left alone; what viewers get meanwhile was noted before.
"""

from __future__ import annotations

import asyncio
import sys
import time
import traceback
from typing import Any, Literal

from experiments.web.tables.search_view import SearchSamples
from experiments.web.tables.setup import SLOWEST
from experiments.web.tables.table import NotNow, Prompt, Table, sees
from experiments.web.workers import Workers
from sim.player import Player
from sim.records.events import Event

SLOW_POLICIES = frozenset({"greedy"})
"""Compiled policies that may think for seconds."""

SAMPLE_SECONDS = 0.25
"""Between two looks at a search under way."""

RETRY_SECONDS = 1.0
"""Between two attempts to write a move down."""

HALTED = "this game cannot go on: see the server's terminal"

ALL: Literal["all"] = "all"
"""In place of a seat: a viewer who may know everything."""

Viewer = int | Literal["all"] | None
"""A seat; None for a viewer without one; or `ALL`."""


def is_slow(player: Player) -> bool:
    """Return whether ``player`` may think for long."""
    return player.policy is None or player.policy.name in SLOW_POLICIES


class Driver:
    """Drives ``table`` to the end of its game.

    ``table``: its game may be under way; ``workers``: threads in which slow players decide.

    Attributes
    ----------
    pace : seconds between two events
    paused : whether an event is shown at a step alone
    prompt : the question to a person, or None
    awaited : the seat that all wait for, or None
    searching : the latest look at the search under way, or at the last one; or None
    halted : whether an error ended the game
    trouble : reason why the game does not go on for now, or None
    listeners : set at every change for viewers
    """

    def __init__(self, table: Table, workers: Workers) -> None:
        self.table, self._workers = table, workers
        self.pace, self.paused, self.halted = table.setup.pace, False, False
        self.prompt: Prompt | None = None
        self.awaited: int | None = None
        self.trouble: str | None = None
        self.searching: dict[str, Any] | None = None
        self.listeners: set[asyncio.Event] = set()
        self._wake = asyncio.Event()
        self._steps, self._whole_turn = 0, False
        self._turn: int | None = None
        self._asked_at: float | None = None
        self._resumed = table.resumed
        self._shown_at = -SLOWEST

    @property
    def open(self) -> bool:
        """True if every viewer may know everything: no person sits here, or the game is over."""
        return not self.table.setup.people or self.table.over

    @property
    def idle(self) -> bool:
        """True if the game stands still until a request of a person."""
        return self.prompt is not None or (self.paused and self.awaited is None)

    @property
    def spectator(self) -> Viewer:
        """The viewer without a seat; the same for the whole game."""
        return None if self.table.setup.people else ALL

    def sees(self, event: Event, viewer: Viewer) -> bool:
        """Return whether ``viewer`` knows of ``event``."""
        return isinstance(viewer, str) or sees(event, viewer)

    def known_to(self, viewer: Viewer) -> int:
        """Return how many of the events shown ``viewer`` knows of."""
        shown = self.table.game.events[: self.table.shown]
        return sum(self.sees(event, viewer) for event in shown)

    async def run(self) -> None:
        """Drive the game to its end; an error of a player halts it, and goes to the terminal."""
        try:
            while not self.table.over:
                await self._advance()
            self.prompt = self.awaited = None
        except Exception:
            print(f"a table cannot go on:\n{traceback.format_exc()}", file=sys.stderr, flush=True)
            self.halted = True
        self._notify()

    def answer(self, seat: int, number: int, action: int) -> None:
        """Take the answer of the person in ``seat`` to `prompt`, if ``number`` is that of it.

        Raises NotNow, sim.player.IllegalAction, OSError as `Table.answer`; nothing is changed.
        """
        if self.prompt is None or (self.prompt.seat, self.prompt.number) != (seat, number):
            raise NotNow("this was not asked, or has been answered already")
        seconds = None if self._asked_at is None else time.monotonic() - self._asked_at
        self.table.answer(seat, number, action, seconds)
        self.prompt = self.awaited = None
        self._wake.set()

    def pause(self, paused: bool) -> None:
        """Stand still, or go on."""
        self.paused, self._steps, self._whole_turn, self._turn = paused, 0, False, None
        self._wake.set()

    def step(self) -> None:
        """Stand still, and show one event more."""
        self.paused, self._steps = True, self._steps + 1
        self._wake.set()

    def step_turn(self) -> None:
        """Stand still once the rest of the turn to which the next event belongs is shown."""
        self.paused, self._whole_turn, self._turn = True, True, None
        self._wake.set()

    def set_pace(self, seconds: float) -> None:
        """Let ``seconds`` pass between two events from now on; ValueError if that is too slow."""
        if not 0.0 <= seconds <= SLOWEST:
            raise ValueError(f"pace must be from 0 to {SLOWEST:g} seconds, got {seconds}")
        self.pace = seconds
        self._wake.set()

    async def _advance(self) -> None:
        """Do the next thing, or wait until there is one."""
        table = self.table
        if not table.waiting:
            await self._show()
        elif prompt := table.prompt:
            if self.prompt != prompt:
                self.prompt, self.awaited = prompt, prompt.seat
                self._asked_at = None if self._resumed else time.monotonic()
                self._resumed = False
                self._notify()
            await self._sleep(None)
        elif self._must_wait(None):
            await self._sleep(None)
        else:
            await self._decide()

    async def _show(self) -> None:
        """Show the next event when it is time."""
        event = self.table.game.events[self.table.shown]
        if self._must_wait(event):
            return await self._sleep(None)
        now = asyncio.get_running_loop().time()
        dealing = event["turn"] == 0  # which happens at once
        left = 0.0 if self.paused or dealing else self._shown_at + self.pace - now
        if left > 0.0:
            return await self._sleep(left)
        self.table.show_next()
        self._shown_at, self._steps, self._turn = now, max(0, self._steps - 1), event["turn"]
        self._notify()
        await asyncio.sleep(0)  # other tables get their turn, however fast this game goes

    def _must_wait(self, event: Event | None) -> bool:
        """Return whether ``event`` must not be shown now; None: any that follows a decision."""
        if not self.paused or self._steps:
            return False
        if event is not None and self._turn is not None and event["turn"] > self._turn:
            self._whole_turn = False
        return not self._whole_turn

    async def _decide(self) -> None:
        """Let the player whose turn it is decide."""
        game = self.table.game
        seat = game.decider
        player = game.seats[seat]
        if not is_slow(player) or (game.shows and not player.picks_cards):
            await self._do(game.decide())
            return
        # A pause before a card is shown would reveal that there are several.
        if not game.shows:
            self.awaited = seat
            self._notify()
        action = await self._search(seat, player)
        self.awaited = None
        await self._do(action)
        self._notify()

    async def _do(self, action: int) -> None:
        """Do ``action`` once it can be written down."""
        while True:
            try:
                self.table.act(action)
                break
            except OSError as fault:
                if self.trouble is None:
                    self.trouble = f"the game cannot be written down: {fault.strerror}"
                    print(f"{self.trouble}; it goes on once it can", file=sys.stderr, flush=True)
                    self._notify()
            await asyncio.sleep(RETRY_SECONDS)
        if self.trouble is not None:
            self.trouble = None
            self._notify()

    async def _search(self, seat: int, player: Player) -> int:
        """Return the decision of ``player``, made in a thread; sample its search meanwhile."""
        deciding = asyncio.ensure_future(self._workers.search(self.table.game.decide))
        view = (
            None
            if self.table.setup.people
            else SearchSamples(seat, player, self.table.game.rules.suspects)
        )
        try:
            while True:
                await asyncio.wait([deciding], timeout=SAMPLE_SECONDS)
                if deciding.done():
                    action = deciding.result()
                    await self._sample(view, over=True)  # as it stood at the decision
                    return action
                if self.listeners:
                    await self._sample(view, over=False)
        except asyncio.CancelledError:
            if cancel := getattr(getattr(player, "search", None), "cancel", None):
                cancel()
            raise

    async def _sample(self, view: SearchSamples | None, over: bool) -> None:
        """Show how a search stands, if that may be seen."""
        if view and (sample := await self._workers.run(view.sample, over)):
            self.searching = sample
            self._notify()

    async def _sleep(self, seconds: float | None) -> None:
        """Wait for so long, or until a request of a person."""
        try:
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        except TimeoutError:
            return
        self._wake.clear()

    def _notify(self) -> None:
        for listener in self.listeners:
            listener.set()
