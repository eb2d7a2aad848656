"""Threads of OpenMP, which scikit-learn uses, sleep while they wait; imported before it is loaded.

Two processes of tests on two cores would otherwise spend most of their time in threads that wait for a core.
"""

import os

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
