"""Generate machine code once for what Python calls, not once for each function on the way.

Numba completes every function that it compiles: it links in all callees, optimises the whole, and
generates machine code.  The caller then repeats this with that function inside, so the bottom of a
chain of twenty calls is optimised twenty times.  For the search of Cluedo, 240 functions, this is
most of the time of a cold start (`benchmarks.bench_compile`).

Here a function that kernels call stays as lowered, and its callers remember it.  Only when a
pointer to machine code is needed are all direct and indirect callees linked in once and optimised
as one program (`Library`).  A `Kernel` is two dispatchers: one for Python, cached on disk, and one
for kernels, which never needs its own machine code.

All use undocumented parts of Numba, of the versions that `pyproject.toml` allows.
"""

from __future__ import annotations

import copy
import ctypes
import gc
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple

import llvmlite.binding as llvm
from numba import types
from numba.core import config, sigutils
from numba.core.cgutils import add_global_variable
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import lookup_environment
from numba.core.errors import ForceLiteralArg
from numba.core.imputils import user_function
from numba.core.registry import CPUDispatcher, cpu_target

from mcts.kernel import faults
from mcts.kernel.cached import CodeCache, Nameless
from mcts.kernel.waiting import call_aside

_ENVIRONMENT = "_ZN08NumbaEnv"
"""Prefix of Numba's names of environments."""


class Link(NamedTuple):
    """Machine code of a `Shared` kernel that other kernels call by address."""

    symbol: str  # the name by which calling code refers to it
    module: str
    qualname: str
    arguments: tuple[types.Type, ...]

    def resolve(self) -> bool:
        """Load or compile the kernel; return whether its symbol is still this one."""
        kernel: Any = sys.modules.get(self.module)
        for name in self.qualname.split("."):
            kernel = getattr(kernel, name, None)
        if not isinstance(kernel, (Shared, Late)):
            return False
        return kernel.link(self.arguments).symbol == self.symbol


class Library(JITCodeLibrary):
    """The code of one function, completed only when a pointer into it is requested."""

    _waiting = False

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.links: dict[str, Link] = {}
        """What the code calls by address, by symbol."""

    def finalize(self) -> None:
        """Remember what to link; complete the library at once if its symbols are found by name."""
        self._linking_libraries = self._collect()
        for library in self._linking_libraries:
            self.links.update(getattr(library, "links", {}))
        if not self._object_caching_enabled:  # one of Numba's own helpers
            super().finalize()
            return
        self._raise_if_finalized()
        self._waiting = self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return the address of function ``name``, 0 if it is not in this library."""
        self._ensure_finalized()
        if self._waiting:
            if not self._defines(name):
                return 0
            self._complete()
        return super().get_pointer_to_function(name)

    def serialize_using_object_code(self) -> tuple:
        self._complete()
        return super().serialize_using_object_code()

    def _optimize_final_module(self) -> None:
        """Optimise the program with all linked-in functions internal: searches gain 4 to 25 %.

        Numba leaves them callable from outside, so no unused parameter could be dropped.
        """
        for function in self._final_module.functions:
            if function.linkage == llvm.Linkage.linkonce_odr and not function.is_declaration:
                function.linkage = "internal"
        call_aside(super()._optimize_final_module)

    def _finalize_specific(self) -> None:
        call_aside(super()._finalize_specific)

    def _collect(self) -> list[JITCodeLibrary]:
        """Return all libraries to link in, with the dependencies of incomplete ones."""
        found: dict[JITCodeLibrary, None] = {}
        for library in self._linking_libraries:
            found[library] = None
            if getattr(library, "_waiting", False):
                found.update(dict.fromkeys(library._linking_libraries))
        return list(found)

    def _defines(self, name: str) -> bool:
        try:
            return not self._final_module.get_function(name).is_declaration
        except NameError:
            return False

    def _complete(self) -> None:
        if not self._waiting:
            return
        self._waiting = self._finalized = False
        self._shared_module = None  # of this function alone
        super().finalize()
        for variable in self._final_module.global_variables:
            if variable.name.startswith(_ENVIRONMENT):
                environment = lookup_environment(variable.name)
                if environment is not None:
                    self._codegen.set_env(variable.name, environment)


class Inner(CPUDispatcher):
    """A dispatcher that kernels call; it compiles once for all constants of one type."""

    def get_call_template(self, arguments: Any, named: Any) -> tuple:
        """Return how a call is typed; Numba would compile again for each constant argument."""
        return super().get_call_template(
            tuple(map(types.unliteral, arguments)),
            {name: types.unliteral(kind) for name, kind in dict(named).items()},
        )


class Kernel(Inner):
    """A compiled function: complete and cached for Python, with an inner dispatcher for kernels."""

    _depth = 0
    """Kernels being compiled, each on behalf of the previous one."""

    @cached_property
    def inside(self) -> Inner:
        """The dispatcher that kernels call."""
        options = {**self.targetoptions, "no_cpython_wrapper": True}
        return Inner(self.py_func, self.locals, options)

    @property
    def _numba_type_(self) -> types.Type:
        return types.Dispatcher(self.inside)

    def compile(self, signature: Any) -> Any:
        """Return the entry point for ``signature``, and collect Numba's garbage afterwards.

        Raises KernelFault if the kernel cannot be compiled and Python called it.
        """
        with global_compiler_lock:
            return self._compile(signature)

    def _compile(self, signature: Any) -> Any:
        collecting = gc.isenabled()
        gc.disable()
        Kernel._depth += 1
        try:
            return super().compile(signature)
        except ForceLiteralArg:
            raise  # it requests another signature
        except faults.FAULTS as fault:
            if Kernel._depth > 1 or config.FULL_TRACEBACKS:
                raise
            raise faults.explain(fault) from None
        finally:
            Kernel._depth -= 1
            if isinstance(self._cache, CodeCache):
                self._cache.release()
            if collecting:
                gc.enable()


class Shared(Kernel):
    """A kernel that others call by the address of its machine code."""

    @cached_property
    def _links(self) -> dict[tuple[types.Type, ...], Link]:
        return {}

    @property
    def _numba_type_(self) -> types.Type:
        return types.Dispatcher(self)

    def compile(self, signature: Any) -> Any:
        """Compile or load the code for ``signature``, so that kernels can call it."""
        entry = super().compile(signature)
        arguments = tuple(sigutils.normalize_signature(signature)[0])
        if arguments not in self._links:
            self._links[arguments] = self._expose(self.overloads[arguments], arguments)
        return entry

    def get_overload(self, signature: Any) -> Link:
        return self.link(tuple(sigutils.normalize_signature(signature)[0]))

    def link(self, arguments: tuple[types.Type, ...]) -> Link:
        """Return the link to the code for ``arguments``, after compiling or loading it."""
        self.compile(arguments)
        return self._links[arguments]

    def _expose(self, result: Any, arguments: tuple[types.Type, ...]) -> Link:
        address = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
        link = _name_link(self, arguments)
        llvm.add_symbol(link.symbol, address)
        descriptor = copy.copy(result.fndesc)
        descriptor.mangled_name = link.symbol
        _insert_call(self.targetctx, link, user_function(descriptor, ()))
        return link


class Late:
    """A `Shared` kernel that is not compiled before `load`; kernels call a stand-in until then.

    ``function``, ``stand_in``: kernels with the same parameters and the same type of result.
    """

    def __init__(self, function: Shared, stand_in: Shared) -> None:
        self.loaded = False
        self._function, self._stand_in = function, stand_in
        self.is_compiling = False  # part of Numba's interface
        self._slots: dict[tuple[types.Type, ...], tuple[Link, Any]] = {}
        self.targetctx = function.targetctx
        self.py_func = function.py_func

    def __call__(self, *arguments: Any) -> Any:
        return self._function(*arguments)

    def load(self) -> None:
        """Compile or load the kernel, now or when a kernel first refers to it."""
        self.loaded = True
        for arguments, (_, slot) in self._slots.items():
            slot.value = self._address(arguments)

    @property
    def _numba_type_(self) -> types.Type:
        return types.Dispatcher(self)

    def get_call_template(self, arguments: tuple, named: dict) -> tuple:
        return self._stand_in.get_call_template(arguments, named)

    def get_overload(self, signature: Any) -> Link:
        return self.link(tuple(sigutils.normalize_signature(signature)[0]))

    def link(self, arguments: tuple[types.Type, ...]) -> Link:
        """Return the link to the cell that holds the address for ``arguments``."""
        if arguments not in self._slots:
            link = _name_link(self._function, arguments, "late.")
            slot = ctypes.c_uint64(self._address(arguments))
            llvm.add_symbol(link.symbol, ctypes.addressof(slot))
            self._slots[arguments] = link, slot
            _insert_call(self.targetctx, link, self._call_through(link))
        return self._slots[arguments][0]

    def _address(self, arguments: tuple[types.Type, ...]) -> int:
        """Return the current address to call; TypeError if the stand-in's return type differs."""
        kinds = []
        for kernel in (self._stand_in, self._function)[: 1 + self.loaded]:
            kernel.compile(arguments)
            result = kernel.overloads[arguments]
            kinds.append(result.signature.return_type)
        if kinds[0] != kinds[-1]:
            raise TypeError(
                f"{self.py_func.__name__} and its stand-in return {kinds}: make them equal"
            )
        return result.library.get_pointer_to_function(result.fndesc.llvm_func_name)

    def _call_through(self, link: Link) -> Callable:
        descriptor = self._stand_in.overloads[link.arguments].fndesc

        def implement(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            convention = context.call_conv
            kind = convention.get_function_type(descriptor.restype, descriptor.argtypes)
            place = builder.module.globals.get(link.symbol)
            if place is None:
                place = add_global_variable(builder.module, kind.as_pointer(), link.symbol)
            pointer = builder.load(place)
            status, value = convention.call_function(
                builder, pointer, descriptor.restype, descriptor.argtypes, arguments
            )
            with builder.if_then(status.is_error, likely=False):
                convention.return_status_propagate(builder, status)
            return value

        implement.signature = descriptor.argtypes
        return implement


def _name_link(kernel: Shared, arguments: tuple[types.Type, ...], prefix: str = "") -> Link:
    """Return a link to ``kernel`` whose symbol contains the digest of its sources."""
    function, unique = kernel.py_func, f"{id(kernel)}.{arguments}"
    if isinstance(kernel._cache, CodeCache):
        with suppress(Nameless):
            unique = kernel._cache.name(arguments, kernel.targetctx.codegen())
    symbol = f"sleuth.{prefix}{unique}"
    return Link(symbol, function.__module__, function.__qualname__, arguments)


def _insert_call(context: Any, link: Link, call: Callable) -> None:
    """Register ``call`` to lower calls of ``link``, and have libraries remember them."""

    def implement(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        context.active_code_library.links[link.symbol] = link
        return call(context, builder, signature, arguments)

    context.insert_func_defn([(implement, link, link.arguments)])


def _link_once() -> None:
    """Make Numba create libraries of this module's class."""
    codegen = cpu_target.target_context.codegen()
    codegen._library_class = Library
    set_environment = codegen.set_env

    def set_where_defined(name: str, environment: Any) -> None:
        if codegen._engine.is_symbol_defined(name):  # incomplete libraries have no address yet
            set_environment(name, environment)

    codegen.set_env = set_where_defined


_link_once()
