"""The engine: one loop for every iterative fit, and the observers that watch it."""

from .history import History, Status
from .iterate import Outcome, Step, closed_form, iterate
from .keeping import Kept, resumable
from .limits import limits
from .nested import end_outer, in_turn, unless_early
from .progress import progress
from .stopping import (
    LOOKS_BACK,
    gain_tol_param,
    little_to_gain,
    small_change,
    small_part,
    small_part_of_first,
    still_to_gain,
)  # fmt: skip
from .stopping_early import Ended, keeps_what_is_done
from .trace import FitTrace, Trace, recording

__all__ = [
    "LOOKS_BACK", "Ended", "FitTrace", "History", "Kept", "Outcome", "Status", "Step", "Trace", "closed_form",
    "end_outer", "gain_tol_param", "in_turn", "iterate", "keeps_what_is_done", "limits", "little_to_gain", "progress",
    "recording", "resumable", "small_change", "small_part", "small_part_of_first", "still_to_gain",
    "unless_early",
]  # fmt: skip
