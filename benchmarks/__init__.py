"""Speed and memory against the best peers, in one run. `make bench` writes RESULTS.md."""
