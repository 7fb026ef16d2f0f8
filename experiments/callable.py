"""Callable modules: `experiments.compare` is both a command's package and its function."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class CallableModule(ModuleType):
    """A module that calls the function ``_function``, given as ``package.module:name``."""

    _function: str

    def __call__(self, *arguments: Any, **settings: Any) -> Any:
        """Import the function and call it."""
        module, name = self._function.split(":")
        return getattr(import_module(module), name)(*arguments, **settings)

    def __reduce__(self) -> Any:
        """Pickle by name, as other modules do."""
        return import_module, (self.__name__,)


def make_callable(name: str, function: str) -> None:
    """Make the module ``name`` callable as ``function``."""
    module = sys.modules[name]
    module.__class__ = CallableModule
    module.__dict__["_function"] = function
