"""The questions asked of the planners: the public names, each imported when it is first used.

`__init__.pyi` lists them.  ``compare``, ``sweep`` and ``table`` are commands as functions
(docs/python.md), `Study` is a study of one file (``examples/first_seat.py``).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
