from . import hunt, policies
from .arena import ArenaResult, play_many
from .cards import CARDS, CATEGORY_MASK, FIRST_ROOM, FIRST_WEAPON, ROOMS, cards_of, mask_of
from .chance import game_key
from .contract.testing import check_player
from .environment.aec import env
from .environment.observation import OBSERVATION_LAYOUT
from .game import new_game, open_decision
from .legal import legal
from .planning.config import PlannerConfig
from .planning.planner import Planner
from .player import Player, PolicyPlayer
from .policies.registry import Policy, choose, seat_policies
from .referee import play
from .rules import Rules, preset, world
from .seat import Seat
from .state import (
    ACCUSE,
    ASK,
    EVIDENCE,
    EXTERNAL,
    FACTORED,
    N_ACTIONS,
    PASSAGE,
    PUBLIC,
    REVEAL,
    SUGGEST,
    TURN,
    empty,
)
from .words import action_to_string

__all__ = [
    "ACCUSE",
    "ASK",
    "CARDS",
    "CATEGORY_MASK",
    "EVIDENCE",
    "EXTERNAL",
    "FACTORED",
    "FIRST_ROOM",
    "FIRST_WEAPON",
    "N_ACTIONS",
    "OBSERVATION_LAYOUT",
    "PASSAGE",
    "PUBLIC",
    "REVEAL",
    "ROOMS",
    "SUGGEST",
    "TURN",
    "ArenaResult",
    "Planner",
    "PlannerConfig",
    "Player",
    "Policy",
    "PolicyPlayer",
    "Rules",
    "Seat",
    "action_to_string",
    "cards_of",
    "check_player",
    "choose",
    "empty",
    "env",
    "game_key",
    "hunt",
    "legal",
    "mask_of",
    "new_game",
    "open_decision",
    "play",
    "play_many",
    "policies",
    "preset",
    "seat_policies",
    "world",
]
