"""Schemas of the files of a run folder, one per kind.

The files may come from elsewhere, an older version or an incomplete copy: each is validated when it
is read, and a refusal names the file and the field.  Users of the values need no further checks.
Rows are checked in `experiments.matches.part_files`.
"""

from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from experiments.matches.schedule import MAX_ENTERED, label
from experiments.stats import stopping
from sim.rules import preset

MAX_GAMES = 2**40
"""Upper bound of numbers of games."""


def _encodable(text: str) -> str:
    text.encode()  # a lone surrogate raises UnicodeEncodeError, a ValueError
    return text


Text = Annotated[str, AfterValidator(_encodable)]
Count = Annotated[int, Field(ge=0, lt=2**63)]
Number = Annotated[int, Field(ge=1, lt=2**63)]
Games = Annotated[int, Field(ge=0, lt=MAX_GAMES)]
Seat = Annotated[int, Field(ge=0, lt=6)]
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]


_LEFT_OUT: Any = None
"""Default of a field that may be missing, but not null."""


class _Kept(BaseModel):
    """Types are strict; unknown fields are allowed."""

    model_config = ConfigDict(strict=True, extra="allow")


class _Search(_Kept):
    mode: Text
    threads: Number
    workers: Number
    oversubscribe: bool


class _Budget(_Kept):
    simulations: Number | None
    seconds: Seconds | None
    nodes: Number | None = None


class _Entrant(_Kept):
    name: Annotated[Text, Field(min_length=1)]
    label: Text | None = None
    search: _Search = _LEFT_OUT
    budget: _Budget = _LEFT_OUT


class _Seating(_Kept):
    line_ups: Annotated[list[list[Count]], Field(min_length=1)]
    shifts: Annotated[list[Seat], Field(min_length=1)]


class _Match(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    name: Annotated[Text, Field(min_length=1)]
    rules: dict[str, Any]
    entrants: Annotated[list[_Entrant], Field(min_length=2, max_length=MAX_ENTERED)]
    seating: _Seating
    measured: Literal[0] | None
    seed: Count
    records: Count
    details: list[Literal["suggestions", "decisions", "certainties"]]
    beliefs: bool = False  # missing in older files

    @model_validator(mode="after")
    def _fits(self) -> Self:
        try:
            players = preset(**self.rules).players
        except TypeError as fault:
            raise ValueError(f"rules: {fault}") from None
        tables, entered = self.seating.line_ups, len(self.entrants)
        if any(len(table) != players for table in tables):
            raise ValueError(f"seating.line_ups: each must have the {players} players of the rules")
        if any(who >= entered for table in tables for who in table):
            raise ValueError(f"seating.line_ups: there are {entered} entrants")
        if any(shift >= players for shift in self.seating.shifts):
            raise ValueError(f"seating.shifts: there are {players} seats")
        if self.measured is not None and (
            any(set(table) != set(range(entered)) for table in tables)
            or len({table.count(0) for table in tables}) != 1
        ):
            raise ValueError("a match of one player against others must seat all at each table")
        names = [label(entrant.model_dump()) for entrant in self.entrants]
        if len(set(names)) < entered:
            raise ValueError("entrants: duplicate name")
        return self


class _Origin(_Kept):
    command: Text
    versions: dict[Text, Text]
    commit: Text | None
    machine: Text | None


class _Plan(_Origin):
    """``matches.json``."""

    run: Text = _LEFT_OUT  # missing in older files
    stop: Text
    matches: Annotated[list[_Match], Field(min_length=1)]

    @model_validator(mode="after")
    def _fits(self) -> Self:
        stopping.parse(self.stop)
        names = [match.name for match in self.matches]
        if len(set(names)) < len(names):
            raise ValueError("matches: duplicate name")
        return self


class _Length(_Kept):
    games: Games


class _Summary(_Kept):
    """``summary.json``, as far as it is read."""

    table: list[_Length]
    interrupted: bool
    fault: Text | None
    seconds: Seconds
    held: Games = _LEFT_OUT
    run: _Origin = _LEFT_OUT


class _Configuration(_Kept):
    """``config.yaml``, as far as it is read."""

    match: _Length


SCHEMAS: dict[str, TypeAdapter] = {
    "matches": TypeAdapter(_Plan),
    "summary": TypeAdapter(_Summary),
    "stops": TypeAdapter(dict[Text, Games], config=ConfigDict(strict=True)),
    "configuration": TypeAdapter(_Configuration),
}
"""Schema by kind of file."""


def check(kind: str, value: Any) -> Any:
    """Return ``value``, validated as the content of a file of ``kind`` (one of `SCHEMAS`).

    Raises ValueError with the first invalid field.
    """
    try:
        SCHEMAS[kind].validate_python(value)
    except ValidationError as fault:
        first = fault.errors(include_url=False, include_input=False)[0]
        where, what = map(str, first["loc"]), first["msg"].removeprefix("Value error, ")
        raise ValueError(": ".join(filter(None, (".".join(where), what)))) from None
    return value
