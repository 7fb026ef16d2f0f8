"""The sockets on which a process and all that it started listen, as Linux lists them."""

from __future__ import annotations

import os
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

_LISTEN = "0A"


def family(process: int) -> list[int]:
    """Return ``process`` and all processes below it."""
    found = [process]
    for one in found:
        for task in Path(f"/proc/{one}/task").glob("*/children"):
            try:
                found += [int(child) for child in task.read_text().split()]
            except OSError:
                continue  # ended meanwhile
    return found


def addresses(process: int) -> dict[int, IPv4Address | IPv6Address]:
    """Return the address of each listening socket of ``process``, by the socket's number."""
    held = set()
    try:
        for link in os.scandir(f"/proc/{process}/fd"):
            name = os.readlink(link.path)
            if name.startswith("socket:["):
                held.add(int(name[8:-1]))
    except OSError:
        pass  # ended meanwhile
    return {number: address for number, address in _listening().items() if number in held}


def reachable(process: int) -> list[str]:
    """Return what of ``process`` and those below it can be reached from another machine."""
    return [
        f"{one} {_command(one)}: {address}"
        for one in family(process)
        for address in addresses(one).values()
        if not (getattr(address, "ipv4_mapped", None) or address).is_loopback
    ]


def _listening() -> dict[int, IPv4Address | IPv6Address]:
    found = {}
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == _LISTEN:
                found[int(fields[9])] = _address(fields[1].partition(":")[0])
    return found


def _address(said: str) -> IPv4Address | IPv6Address:
    """Return the address that Linux gives in words of 32 bits, each with its last byte first."""
    packed = b"".join(bytes.fromhex(said[i : i + 8])[::-1] for i in range(0, len(said), 8))
    return IPv4Address(packed) if len(packed) == 4 else IPv6Address(packed)


def _command(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().decode().replace("\0", " ")[:80]
    except OSError:
        return ""
