"""Suffice: a model learns from a summary of the data, and summaries add up.

>>> import suffice as sf
>>> iris = sf.datasets.load("iris")
>>> sf.GaussianNB().fit(iris.matrix(), iris["species"]).score(iris.matrix(), iris["species"])
0.96
"""

import lazy_loader

from .renamed import with_former_names

__version__ = "0.1.0"

# Every public name stands in __init__.pyi, for type checkers and for this: each is imported when first used.
_present, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__getattr__ = with_former_names(__name__, _present)
__all__ += ["__version__"]
