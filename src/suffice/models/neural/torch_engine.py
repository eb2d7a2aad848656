"""Nets of whatever layers in PyTorch: parameters are views of one stretch of memory, for optimisers and files."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from math import prod

import numpy as np

from ...backend.arrays import Array
from ...backend.threads import thread_count
from ...errors import InvalidParameter, MemoryNeeded, MissingExtra, needed
from ...layers import Plan
from ...typing import Reals, Torch
from .engine import DType

_CELLS = 1 << 20  # of the widest layer that are computed at a time
_LEAST = 64  # rows
_REASON = 200  # characters of what PyTorch says


def torch() -> Torch:
    """PyTorch, or the sentence that says how to install it."""
    return needed("torch", "neural")


def gpu_if_there() -> str:
    """A GPU where PyTorch is installed and finds one, else the CPU."""
    with suppress(MissingExtra):
        if torch().cuda.is_available():
            return "cuda"
    return "cpu"


def checked_device(name: str, owner: str) -> str:
    """A device that is there."""
    try:
        torch().zeros(1, device=name).cpu()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).partition("\n")[0].rstrip(".")[:_REASON]
        raise InvalidParameter(
            f"{owner}: device {name!r} is not there ({reason}); use device='cpu', or 'auto' for a GPU if there is one."
        ) from None
    return name


class TorchEngine:
    """A plan's layers, or a user's own module, of which a copy is trained."""

    passes_on = False
    shares = False  # PyTorch has threads of its own

    def __init__(self, plan: Plan, dtype: DType, device: str, owner: str, module: Torch = None) -> None:
        library = torch()
        self.device, self.plan, self.dtype = checked_device(device, owner), plan, dtype
        self.height = max(_LEAST, _CELLS // max(1, *map(prod, plan.shapes)))
        kind = library.float32 if dtype == np.float32 else library.float64
        if module is None:  # without memory at first, so that nobody draws starts from the global generator
            with library.device("meta"):
                self.module = _stacked(library, plan)
            self.module.to(kind).to_empty(device=self.device)
        else:
            self.module = copy.deepcopy(module).to(self.device, kind)
        norms = library.nn.BatchNorm1d, library.nn.BatchNorm2d, library.nn.BatchNorm3d
        self.least = 2 if any(isinstance(layer, norms) for layer in self.module.modules()) else 1
        tensors = [p for p in self.module.parameters() if p.requires_grad]
        means = [b for b in self.module.buffers() if b.is_floating_point()]
        self._theta = library.zeros(sum(p.numel() for p in tensors), dtype=kind, device=self.device)
        self._slope = library.zeros_like(self._theta)
        self._running = library.zeros(sum(b.numel() for b in means), dtype=kind, device=self.device)
        self.size, first = len(self._theta), 0
        for p in tensors:  # each becomes a view of all, and so does its gradient
            end = first + p.numel()
            self._theta[first:end] = p.detach().reshape(-1)
            p.data, p.grad = self._theta[first:end].view(p.shape), self._slope[first:end].view(p.shape)
            first = end
        first = 0
        for b in means:
            end = first + b.numel()
            self._running[first:end] = b.reshape(-1)
            b.data = self._running[first:end].view(b.shape)
            first = end
        on_cpu = self._theta.device.type == "cpu"
        self.theta: Array = self._theta.numpy() if on_cpu else self._theta
        self.slope: Array = self._slope.numpy() if on_cpu else self._slope
        self.running: Array = self._running.numpy() if on_cpu else self._running
        self._in: Torch = None
        self._out: Torch = None
        self._spreads: list[Torch] = []

    # ---- memory ----

    def load(self, theta: Reals, running: Reals) -> None:
        """Take over parameters and running numbers."""
        library = torch()
        self._theta.copy_(library.from_numpy(np.ascontiguousarray(theta)))
        self._running.copy_(library.from_numpy(np.ascontiguousarray(running)))

    def taken(self) -> tuple[Reals, Reals]:
        """Copies of both."""
        return self._theta.cpu().numpy().copy(), self._running.cpu().numpy().copy()

    def on_device(self, values: Reals) -> Array:
        """A copy of some numbers where the parameters are."""
        if self._theta.device.type == "cpu":
            return values.astype(self.theta.dtype)
        return torch().from_numpy(values.copy()).to(self._theta)

    def off_device(self, values: Array) -> Reals:
        """A copy of such numbers in memory."""
        return np.array(values if isinstance(values, np.ndarray) else values.cpu().numpy())

    # ---- work ----

    def tensor(self, X: Reals) -> Torch:
        """Rows as a tensor on the device."""
        return torch().from_numpy(np.ascontiguousarray(X)).to(self._theta)

    def shaped(self, X: Reals) -> Torch:
        """Rows as the first layer takes them: images with their channels first."""
        return self.in_shape(self.tensor(X))

    def in_shape(self, rows: Torch) -> Torch:
        """The same of rows that are a tensor already."""
        shape = self.plan.shapes[0]
        return rows if len(shape) == 1 else rows.view(-1, *shape).permute(0, 3, 1, 2)

    def forward(self, X: Reals, evaluating: bool = False) -> Reals:
        """The outputs in training; the graph is kept."""
        self._mode(not evaluating)
        self._in = self.tensor(X).requires_grad_(self.passes_on)
        self._out = self.through(self.in_shape(self._in))
        found: Reals = self._out.detach().cpu().numpy()
        return found

    def _mode(self, training: bool) -> None:
        if self.module.training != training:  # it goes through all layers
            self.module.train(training)

    def through(self, h: Torch) -> Torch:
        """Rows through all layers."""
        if self.plan.layers:
            self._spreads = []
            for layer in self.module:
                h = layer(h)
                self._spreads.append(h.detach())
        else:
            h = self.module(h)
            self._spreads = [h.detach()]
        return h.reshape(len(h), -1)

    def backward(self, gradient: Reals) -> Reals | None:
        """The gradient of the parameters by autograd, into `slope`."""
        self._slope.zero_()
        self._out.backward(self.tensor(gradient))
        rows: Reals | None = self._in.grad.cpu().numpy() if self.passes_on else None
        self._out = self._in = None
        return rows

    def room(self, rows: int) -> Reals | None:
        """None."""
        return None

    def outputs(self, X: Reals) -> Reals:
        """The outputs as predictions have them."""
        self._mode(False)
        with torch().inference_mode(), torch_threads(), within_memory(self.device):
            parts = [
                self.module(self.shaped(X[first : first + self.height])).reshape(min(self.height, len(X) - first), -1)
                for first in range(0, max(1, len(X)), self.height)
            ]
            found: Reals = torch().cat(parts).cpu().numpy()
        return found

    def hidden(self, X: Reals) -> list[Reals]:
        """What each layer gives."""
        self._mode(False)
        with torch().inference_mode(), torch_threads():
            self.through(self.shaped(X))
        return [h.reshape(len(h), -1).cpu().numpy() for h in self._spreads]

    def spreads(self) -> list[float]:
        """The variance of what each layer gave."""
        wide = [h if self._theta.device.type == "mps" else h.double() for h in self._spreads]  # which has no doubles
        return [float(h.var(correction=0)) for h in wide]

    @contextmanager
    def training(self, seed: int) -> Iterator[None]:
        """Random numbers of its own, from a seed, and as many threads as Suffice may use."""
        library, device = torch(), self._theta.device
        on_gpu = device.type == "cuda"
        with library.random.fork_rng(devices=[device] if on_gpu else []), torch_threads(), within_memory(self.device):
            library.default_generator.manual_seed(seed)  # not `torch.manual_seed`, which seeds all devices
            if on_gpu:
                with library.cuda.device(device):
                    library.cuda.manual_seed(seed)
            elif device.type != "cpu":
                getattr(library, device.type).manual_seed(seed)
            yield


@contextmanager
def within_memory(device: str) -> Iterator[None]:
    """Say what to do where a GPU has too little memory."""
    try:
        yield
    except torch().cuda.OutOfMemoryError as error:
        raise MemoryNeeded(
            f"the memory of {device} is too small for a batch ({str(error).partition('.')[0]}); use a smaller "
            "batch_size, fewer units or filters, or device='cpu'."
        ) from None


@contextmanager
def torch_threads() -> Iterator[None]:
    """As many threads of PyTorch as `sf.threads` allows."""
    library = torch()
    before, now = library.get_num_threads(), thread_count()
    if before == now:
        yield
        return
    library.set_num_threads(now)
    try:
        yield
    finally:
        library.set_num_threads(before)


def _stacked(library: Torch, plan: Plan) -> Torch:
    return library.nn.Sequential(*(layer.module(library, at) for _, layer, at in plan.steps()))
