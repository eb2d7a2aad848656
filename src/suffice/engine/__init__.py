"""The engine: one loop for every iterative fit, and the observers that watch it."""

from .history import History, Status
from .iterate import Outcome, Step, closed_form, iterate, small_change
from .keeping import Kept, resumable
from .limits import limits
from .nested import end_outer, in_turn
from .progress import progress
from .trace import FitTrace, Trace, recording

__all__ = [
    "FitTrace", "History", "Kept", "Outcome", "Status", "Step", "Trace", "closed_form", "end_outer", "in_turn",
    "iterate", "limits", "progress", "recording", "resumable", "small_change",
]  # fmt: skip
