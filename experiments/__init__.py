"""Experiments with the planners: the public names, each imported on first use.

`__init__.pyi` lists them.  ``compare``, ``sweep`` and ``table`` are commands as functions
(docs/python.md); `Study` is a study in one file (``examples/first_seat.py``).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
