# Compute the reference values of nmf_values.json with the package NMF: the least losses of many random starts.
#
# Run from the root of the repository:
#   Rscript tests/reference/make_nmf_values.R

suppressMessages({
  library(NMF)
  library(jsonlite)
})

V <- matrix(c(5, 3, 0, 1, 4, 2,  4, 0, 0, 1, 3, 1,  1, 1, 0, 5, 0, 6,  1, 0, 0, 4, 1, 5,
              0, 1, 5, 4, 0, 2,  2, 2, 3, 3, 1, 1,  7, 1, 0, 0, 5, 0,  0, 0, 6, 2, 1, 3), nrow = 8, byrow = TRUE)
least <- function(method, k, loss) {
  fit <- nmf(V, k, method, nrun = 30, seed = 123, maxIter = 20000)
  loss(V, basis(fit) %*% coef(fit))
}
squares <- function(V, Y) sum((V - Y)^2)
divergence <- function(V, Y) sum(ifelse(V > 0, V * log(ifelse(V > 0, V, 1) / Y), 0) - V + Y)

values <- list(
  made_with = paste(R.version.string, "NMF", packageVersion("NMF")),
  V = V,
  k = 2:3,
  squares = sapply(2:3, function(k) least("lee", k, squares)),
  divergence = sapply(2:3, function(k) least("brunet", k, divergence))
)
write(toJSON(values, digits = 15, pretty = TRUE, auto_unbox = TRUE), "tests/reference/nmf_values.json")
