# Compute the reference values of kernel_values.json with kernlab.
#
# Run from the root of the repository:
#   Rscript tests/reference/make_kernel_values.R
#
# jsonlite writes 15 significant digits; matrices are lists of rows.

suppressPackageStartupMessages({
  library(kernlab)
  library(jsonlite)
})

X <- matrix(c(0.5, -1.2, 2.0, 0.3, 1.1, -0.4, 0.0, 0.7, -2.1, 1.5, 0.2, 0.9), 4, 3, byrow = TRUE)
Y <- matrix(c(1.0, 0.0, -0.5, -0.3, 2.2, 1.4), 2, 3, byrow = TRUE)
texts <- c("abracadabra", "cadabra", "banana", "an abacus", "xyz")
of <- function(kernel) {
  one <- function(i, j) as.numeric(kernel(X[i, ], Y[j, ]))
  outer(seq_len(nrow(X)), seq_len(nrow(Y)), Vectorize(one))
}
of_texts <- function(kernel) unname(outer(texts, texts, Vectorize(function(s, t) as.numeric(kernel(s, t)))))

values <- list(
  made_with = paste(R.version.string, "kernlab", packageVersion("kernlab")),
  X = X, Y = Y, texts = texts,
  rbfdot = of(rbfdot(sigma = 0.7)),
  laplacedot = of(laplacedot(sigma = 0.7)),
  polydot = of(polydot(degree = 3, scale = 0.5, offset = 2)),
  tanhdot = of(tanhdot(scale = 0.3, offset = -0.5)),
  vanilladot = of(vanilladot()),
  anovadot = of(anovadot(sigma = 0.7, degree = 2)),
  spectrum = of_texts(stringdot(length = 2, type = "spectrum", normalized = FALSE)),
  spectrum_normalized = of_texts(stringdot(length = 2, type = "spectrum", normalized = TRUE))
)
write(toJSON(values, digits = NA, auto_unbox = TRUE), "tests/reference/kernel_values.json")
