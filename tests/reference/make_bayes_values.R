# Compute the reference values of bayes_values.json with MASS: lda and qda.
#
# Run from the root of the repository:
#   Rscript tests/reference/make_bayes_values.R
#
# jsonlite writes 15 significant digits; matrices are lists of rows.

suppressPackageStartupMessages({
  library(MASS)
  library(jsonlite)
})

matrix_of <- function(values) unname(as.matrix(values))

from_lda <- function(fit, rows) {
  answer <- predict(fit, rows)
  list(prior = unname(fit$prior), means = matrix_of(fit$means), scaling = matrix_of(fit$scaling),
       trace = fit$svd^2 / sum(fit$svd^2), posterior = matrix_of(answer$posterior),
       coordinates = matrix_of(answer$x), class = as.character(answer$class))
}

from_qda <- function(fit, rows) {
  answer <- predict(fit, rows)
  list(prior = unname(fit$prior), means = matrix_of(fit$means), ldet = unname(fit$ldet),
       posterior = matrix_of(answer$posterior), class = as.character(answer$class))
}

groups <- as.numeric(crabs[, 1]) - 1 + 2 * (as.numeric(crabs[, 2]) - 1)
lengths <- log(crabs[, 4:8])
flowers <- iris[, 1:4]
given <- c(0.2, 0.5, 0.3)

values <- list(
  made_with = R.version.string,
  lda_log_crabs = from_lda(lda(lengths, groups), lengths),
  qda_log_crabs = from_qda(qda(lengths, groups), lengths),
  lda_iris_priors = from_lda(lda(flowers, iris$Species, prior = given), flowers),
  qda_iris_priors = from_qda(qda(flowers, iris$Species, prior = given), flowers)
)
write(toJSON(values, digits = NA, auto_unbox = TRUE), "tests/reference/bayes_values.json")
