"""What the contracts of estimators cost, and whether all keep to the budget.

    python tests/contracts/budget.py [ESTIMATOR …]

Seconds are of the processor, so that other work on the machine hardly counts. Timings never decide a test: this is run
by hand, by `make budget`, when a contract or an estimator is new.
"""

import sys
import time
from collections import defaultdict

from suffice import contracts

CONTRACT = 2.0  # seconds of one contract with one estimator
ESTIMATOR = 8.0  # seconds of all contracts with one estimator
MORE = {
    "same_bits_for_any_threads": 3,  # times as much: it takes enough rows for many threads, and three fits
    "probabilities_of_wide_rows": 3,  # several tables of thousands of columns
}
SHOWN = 12


def measured(names):
    """Seconds by contract and estimator."""
    seconds = defaultdict(float)
    for cls in contracts.estimators():
        if names and cls.__name__ not in names:
            continue
        for contract, check in contracts.estimator_checks(cls):
            began = time.process_time()
            try:
                check()
            except Exception as error:  # for the tests to tell; it may have stopped early
                sys.stdout.write(f"{cls.__name__} fails {contract}: {str(error).strip().partition(chr(10))[0]}\n")
            seconds[contract, cls.__name__] += time.process_time() - began
    return seconds


def show(title, costs, budget):
    """Print the dearest of a table of costs; whether all are within their budgets."""
    sys.stdout.write(f"{title}\n")
    for name, cost in sorted(costs.items(), key=lambda item: -item[1])[:SHOWN]:
        sys.stdout.write(f"    {cost:6.2f} s  {name}{'   OVER' if cost > budget(name) else ''}\n")
    return all(cost <= budget(name) for name, cost in costs.items())


def main(names):
    """Print what costs most; the status is 1 if something is above its budget."""
    seconds = measured(names)
    sums = defaultdict(float), defaultdict(float)
    for key, cost in seconds.items():
        for total, name in zip(sums, key, strict=True):
            total[name] += cost
    show("contracts, with all estimators", sums[0], lambda _: float("inf"))
    good = show("estimators, with all contracts", sums[1], lambda _: ESTIMATOR)
    single = {f"{contract} of {name}": cost for (contract, name), cost in seconds.items()}
    good &= show("single ones", single, lambda name: CONTRACT * MORE.get(name.partition(" of ")[0], 1))
    sys.stdout.write(f"{sum(seconds.values()):.0f} s in all\n")
    return not good


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
