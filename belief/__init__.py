"""Beliefs over who holds which card: the public names, imported on first use.

`__init__.pyi` lists them with the modules that hold them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
