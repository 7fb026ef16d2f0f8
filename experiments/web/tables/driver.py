"""Drive a table: fast players decide at once, slow ones in a thread, events follow its pace.

A driver and all calls of it run in one event loop.  While a slow player decides in its thread the
game is untouched; viewers get only messages made before.
"""

from __future__ import annotations

import asyncio
import sys
import time
import traceback
from typing import Any, Literal

from experiments.web.analysis.notebook import Entropies
from experiments.web.tables.search_view import SearchSamples
from experiments.web.tables.setup import SLOWEST
from experiments.web.tables.table import NotNow, Prompt, Table, sees
from experiments.web.workers import Workers
from sim.player import Player
from sim.records.events import Event

SLOW_POLICIES = frozenset({"greedy"})
"""Compiled policies that may take seconds per decision."""

SAMPLE_SECONDS = 0.25
"""Seconds between two samples of a search."""

RETRY_SECONDS = 1.0
"""Seconds between two attempts to save a move."""

HALTED = "this game cannot continue: see the server's terminal"

ALL: Literal["all"] = "all"
"""The viewer who may know everything, instead of a seat."""

Viewer = int | Literal["all"] | None
"""A seat; None for a viewer without one; or `ALL`."""


class Driver:
    """Drives ``table`` to the end of its game.

    ``table``: its game may be under way; ``workers``: threads in which slow players decide.

    Attributes
    ----------
    pace : seconds between two events
    paused : whether events are shown only by `step` and `step_turn`
    prompt : the question to a person, or None
    awaited : the seat that all wait for, or None
    searching : the latest sample of the current or last search, or None
    entropies : the bits of all seats by turn
    halted : whether an error ended the game
    trouble : the reason why the game has stopped for now, or None
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
        self.entropies = Entropies(table.game.rules)
        self._wake = asyncio.Event()
        self._steps, self._whole_turn = 0, False
        self._turn: int | None = None
        self._asked_at: float | None = None
        self._resumed = table.resumed
        self._shown_at = -SLOWEST

    @property
    def open(self) -> bool:
        """Whether every viewer may know everything: no person plays, or the game is over."""
        return not self.table.setup.people or self.table.over

    @property
    def idle(self) -> bool:
        """Whether the game waits for a request of a person."""
        return self.prompt is not None or (self.paused and self.awaited is None)

    @property
    def spectator(self) -> Viewer:
        """The viewer without a seat, constant during the game."""
        return None if self.table.setup.people else ALL

    def sees(self, event: Event, viewer: Viewer) -> bool:
        """Return whether ``viewer`` knows of ``event``."""
        return isinstance(viewer, str) or sees(event, viewer)

    def known_to(self, viewer: Viewer) -> int:
        """Return how many of the shown events ``viewer`` knows."""
        shown = self.table.game.events[: self.table.shown]
        return sum(self.sees(event, viewer) for event in shown)

    async def run(self) -> None:
        """Drive the game to its end; an exception halts it and is printed on the terminal."""
        try:
            while not self.table.over:
                await self._advance()
            self.prompt = self.awaited = None
        except Exception:
            print(f"a table is halted:\n{traceback.format_exc()}", file=sys.stderr, flush=True)
            self.halted = True
        self._notify()

    def answer(self, seat: int, number: int, action: int) -> None:
        """Accept the answer of the person in ``seat`` to `prompt`, if it has this ``number``.

        Raises NotNow, sim.player.IllegalAction, OSError as `Table.answer`, without any change.
        """
        if self.prompt is None or (self.prompt.seat, self.prompt.number) != (seat, number):
            raise NotNow("this was not asked, or has been answered already")
        seconds = None if self._asked_at is None else time.monotonic() - self._asked_at
        self.table.answer(seat, number, action, seconds)
        self.prompt = self.awaited = None
        self._wake.set()

    def pause(self, paused: bool) -> None:
        """Pause or resume."""
        self.paused, self._steps, self._whole_turn, self._turn = paused, 0, False, None
        self._wake.set()

    def step(self) -> None:
        """Pause after one more event."""
        self.paused, self._steps = True, self._steps + 1
        self._wake.set()

    def step_turn(self) -> None:
        """Pause at the end of the turn of the next event."""
        self.paused, self._whole_turn, self._turn = True, True, None
        self._wake.set()

    def set_pace(self, seconds: float) -> None:
        """Set the ``seconds`` between two events; ValueError if they exceed `SLOWEST`."""
        if not 0.0 <= seconds <= SLOWEST:
            raise ValueError(f"pace must be from 0 to {SLOWEST:g} seconds, got {seconds}")
        self.pace = seconds
        self._wake.set()

    async def _advance(self) -> None:
        """Do the next step, or wait for one."""
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
        """Show the next event at its time."""
        event = self.table.game.events[self.table.shown]
        if self._must_wait(event):
            return await self._sleep(None)
        now = asyncio.get_running_loop().time()
        dealing = event["turn"] == 0  # the deal has no pace
        left = 0.0 if self.paused or dealing else self._shown_at + self.pace - now
        if left > 0.0:
            return await self._sleep(left)
        self.table.show_next()
        self._shown_at, self._steps, self._turn = now, max(0, self._steps - 1), event["turn"]
        self._notify()
        await asyncio.sleep(0)  # other tables get their turn

    def _must_wait(self, event: Event | None) -> bool:
        """Return whether ``event``, or the next decision if None, must wait."""
        if not self.paused or self._steps:
            return False
        if event is not None and self._turn is not None and event["turn"] > self._turn:
            self._whole_turn = False
        return not self._whole_turn

    async def _decide(self) -> None:
        """Let the player to move decide."""
        game = self.table.game
        seat = game.decider
        player = game.seats[seat]
        slow = player.policy is None or player.policy.name in SLOW_POLICIES
        if not slow or (game.shows and not player.picks_cards):
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
        """Do ``action`` as soon as it can be saved."""
        while True:
            try:
                self.table.act(action)
                break
            except OSError as fault:
                if self.trouble is None:
                    self.trouble = f"the game cannot be saved: {fault.strerror}"
                    print(f"{self.trouble}; it continues once it can", file=sys.stderr, flush=True)
                    self._notify()
            await asyncio.sleep(RETRY_SECONDS)
        if self.trouble is not None:
            self.trouble = None
            self._notify()

    async def _search(self, seat: int, player: Player) -> int:
        """Return the decision of ``player`` from a thread, and sample its search meanwhile."""
        deciding = asyncio.ensure_future(self._workers.search(self.table.game.decide))
        names, people = self.table.game.rules.suspects, self.table.setup.people
        view = None if people else SearchSamples(seat, player, names)
        try:
            while True:
                await asyncio.wait([deciding], timeout=SAMPLE_SECONDS)
                if deciding.done():
                    action = deciding.result()
                    await self._sample(view, over=True)  # the state at the decision
                    return action
                if self.listeners:
                    await self._sample(view, over=False)
        except asyncio.CancelledError:
            if cancel := getattr(getattr(player, "search", None), "cancel", None):
                cancel()
            raise

    async def _sample(self, view: SearchSamples | None, over: bool) -> None:
        """Show the state of a search, if it is visible."""
        if view and (sample := await self._workers.run(view.sample, over)):
            self.searching = sample
            self._notify()

    async def _sleep(self, seconds: float | None) -> None:
        """Wait for ``seconds``, or until a request of a person."""
        try:
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        except TimeoutError:
            return
        self._wake.clear()

    def _notify(self) -> None:
        for listener in self.listeners:
            listener.set()
