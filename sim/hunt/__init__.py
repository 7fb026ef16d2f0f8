"""The treasure hunt: paths and measurements of a mobile sensor [Ferrari & Cai 2009]."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
