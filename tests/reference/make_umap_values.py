"""Writes umap_values.json: curves and graphs of umap-learn (0.5), on swiss.csv beside it.

Run from the root of the repository, where umap-learn is installed:
    python tests/reference/make_umap_values.py > tests/reference/umap_values.json
"""

import csv
import json
from pathlib import Path

import numpy as np

CURVES = ((0.1, 1.0), (0.0, 1.0), (0.5, 1.0), (0.99, 1.0), (0.25, 2.0))
GRAPHS = (
    {"n_neighbors": 10},
    {"n_neighbors": 7, "local_connectivity": 1.5},
    {"n_neighbors": 10, "set_op_mix_ratio": 0.3},
)


def main():
    import umap
    from umap.umap_ import find_ab_params

    with open(Path(__file__).parent / "swiss.csv", encoding="utf-8") as file:
        rows = [[float(cell) for cell in row] for row in list(csv.reader(file))[1:]]
    X = np.array(rows)
    graphs = []
    for options in GRAPHS:
        graph = umap.UMAP(random_state=0, n_epochs=1, **options).fit(X).graph_.tocoo()
        cells = zip(graph.row.tolist(), graph.col.tolist(), graph.data.tolist(), strict=True)
        graphs.append({"options": options, "cells": sorted([i, j, round(value, 7)] for i, j, value in cells if i < j)})
    curves = [{"min_dist": d, "spread": s, "ab": [round(float(x), 8) for x in find_ab_params(s, d)]} for d, s in CURVES]
    print(json.dumps({"curves": curves, "graphs": graphs}))


if __name__ == "__main__":
    main()
