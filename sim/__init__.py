"""The game of Cluedo and its players: public names, each imported on first use.

`__init__.pyi` lists the names and their modules.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
