"""Modules that can be called: `experiments.compare` is a command's package and its function."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class CallableModule(ModuleType):
    """A module that stands for the function ``_function``, as in ``package.module:name``."""

    _function: str

    def __call__(self, *arguments: Any, **settings: Any) -> Any:
        """Call the function, which is imported only now."""
        module, name = self._function.split(":")
        return getattr(import_module(module), name)(*arguments, **settings)

    def __reduce__(self) -> Any:
        """Be sent to another process by name, as other modules are."""
        return import_module, (self.__name__,)


def make_callable(name: str, function: str) -> None:
    """Let the module ``name`` be called as ``function``."""
    module = sys.modules[name]
    module.__class__ = CallableModule
    module.__dict__["_function"] = function
