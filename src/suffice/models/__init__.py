"""The estimators, one in each file; a folder for each family."""

# The chapter of the documentation that each family belongs to.
CHAPTERS = {
    "prepare": "A Data and exploration",
    "cluster": "B Clustering",
    "hierarchy": "B Clustering",
    "mixture": "C Densities, mixtures and EM",
    "bayes": "D Bayes classifiers",
    "factorise": "E Projection and manifolds",
    "projection": "E Projection and manifolds",
    "neighbors": "F Neighbours",
    "linear": "G Linear models and optimisation",
    "kernel": "H Kernels and Gaussian processes",
    "multiclass": "G Linear models and optimisation",
    "tree": "I Trees and ensembles",
    "ensemble": "I Trees and ensembles",
    "decision": "L Decisions",
    "imbalance": "L Decisions",
}
