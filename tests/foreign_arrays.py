"""An array library that is not NumPy, for tests that nothing is converted on the way."""

import numpy as np


class Foreign:
    """An array of a library that is not NumPy: it is never converted, and works with its own kind and numbers alone."""

    device = "elsewhere"

    def __init__(self, values):
        self.values = np.asarray(values)
        self.dtype, self.shape, self.ndim = self.values.dtype, self.values.shape, self.values.ndim

    def __array__(self, *args, **kwargs):
        raise TypeError("a foreign array was converted to NumPy")

    def __array_namespace__(self):
        return Namespace()

    def __len__(self):
        raise TypeError("the array API has no len")

    def __getitem__(self, key):
        return Foreign(self.values[_own(key)])

    def __setitem__(self, key, value):
        self.values[key] = _own(value)

    def __bool__(self):
        return bool(self.values)

    def __float__(self):
        return float(self.values)

    def __int__(self):
        return int(self.values)

    @property
    def T(self):
        return Foreign(self.values.T)

    def __invert__(self):
        return Foreign(~self.values)

    def __neg__(self):
        return Foreign(-self.values)


def _own(value):
    if isinstance(value, Foreign):
        return value.values
    if isinstance(value, tuple | list):
        return type(value)(_own(part) for part in value)
    assert not isinstance(value, np.ndarray), "an array of NumPy among foreign ones"
    return value


def _foreign(value):
    if isinstance(value, np.ndarray | np.generic):
        return Foreign(value)
    return tuple(_foreign(part) for part in value) if isinstance(value, tuple) else value


def _operator(name):
    return lambda self, other: Foreign(getattr(self.values, name)(_own(other)))


for _name in ("add", "sub", "mul", "truediv", "pow", "matmul", "and", "or"):
    for _form in (f"__{_name}__", f"__r{_name}__"):
        setattr(Foreign, _form, _operator(_form))
for _form in ("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__"):
    setattr(Foreign, _form, _operator(_form))


class Namespace:
    """NumPy's functions for foreign arrays, those of the array API alone."""

    nan, pi, inf, float64, float32, int64 = np.nan, np.pi, np.inf, np.float64, np.float32, np.int64
    ALLOWED = (
        "abs", "any", "arange", "argmin", "astype", "concat", "cos", "empty", "exp", "floor", "full_like", "isfinite",
        "isinf", "isnan", "log", "max", "min", "nonzero", "ones", "ones_like", "sqrt", "stack", "sum", "take", "where",
        "zeros", "zeros_like",
    )  # fmt: skip

    def asarray(self, values, device):
        assert device == Foreign.device
        return values if isinstance(values, Foreign) else Foreign(values)

    def __getattr__(self, name):
        assert name in self.ALLOWED, f"{name} is not of the array API"

        def function(*args, device=None, **named):
            return _foreign(getattr(np, name)(*map(_own, args), **{key: _own(value) for key, value in named.items()}))

        return function
