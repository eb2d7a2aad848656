"""What tests of model files share."""

import json
from dataclasses import dataclass
from typing import Any

import suffice as sf
from suffice.contracts.model_files import pack, unpacked


@dataclass
class Held:
    """Anything, in a class of one's own."""

    value: Any


def round_trip(value, folder):
    sf.save(Held(value), folder / "held.sff")
    return sf.load(folder / "held.sff", classes=[Held]).value


def rewritten(path, change):
    """The file with its document changed."""
    members = unpacked(path)
    document = json.loads(members["model.json"])
    change(document)
    pack({**members, "model.json": json.dumps(document).encode()}, path)
    return path
