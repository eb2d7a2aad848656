# Values of e1071 (libsvm) and kernlab for support vector machines, at a tolerance far below their defaults.
# Run from the root of the repository:
#   Rscript tests/reference/make_svm_values.R > tests/reference/svm_values.json
suppressMessages({
  library(e1071)
  library(kernlab)
  library(jsonlite)
})
X <- as.matrix(iris[, 1:4])
y <- iris$Species
two <- y != "setosa"
small <- 1e-9

classes <- function(kernel, cost, gamma, ...) {
  fit <- svm(X, y, scale = FALSE, kernel = kernel, cost = cost, gamma = gamma, tolerance = small, ...)
  decisions <- attr(predict(fit, X, decision.values = TRUE), "decision.values")
  list(decisions = unname(decisions), names = colnames(decisions), support = fit$nSV, classes = as.character(fit$labels))
}

nu <- function(nu, gamma) {
  keep <- X[two, ]
  fit <- svm(keep, droplevels(y[two]), scale = FALSE, type = "nu-classification", nu = nu, gamma = gamma,
             tolerance = small)
  decisions <- attr(predict(fit, keep, decision.values = TRUE), "decision.values")
  list(decisions = as.vector(decisions), names = colnames(decisions), support = length(fit$index))
}

numbers <- function(type, ...) {
  fit <- svm(X[, 2:4], X[, 1], scale = FALSE, type = type, gamma = 0.2, tolerance = small, ...)
  list(predicted = unname(predict(fit, X[, 2:4])), support = length(fit$index))
}

one_class <- function(nu) {
  fit <- svm(X, scale = FALSE, type = "one-classification", nu = nu, gamma = 0.3, tolerance = small)
  decisions <- attr(predict(fit, X, decision.values = TRUE), "decision.values")
  list(decisions = as.vector(decisions), support = length(fit$index))
}

laplace <- ksvm(X[two, ], droplevels(y[two]), kernel = "laplacedot", kpar = list(sigma = 0.5), C = 2, scaled = FALSE,
                tol = small)
values <- list(
  rbf = classes("radial", 1, 0.2),
  poly = classes("polynomial", 0.5, 0.1, degree = 3, coef0 = 1),
  linear = classes("linear", 1, 1),
  nu = nu(0.3, 0.2),
  svr = numbers("eps-regression", cost = 2, epsilon = 0.2),
  nu_svr = numbers("nu-regression", cost = 2, nu = 0.4),
  one_class = one_class(0.2),
  kernlab_rbf = list(
    decisions = as.vector(predict(ksvm(X[two, ], droplevels(y[two]), kernel = "rbfdot", kpar = list(sigma = 0.3), C = 5,
                                       scaled = FALSE, tol = small), X[two, ], type = "decision"))
  ),
  kernlab_laplace = list(decisions = as.vector(predict(laplace, X[two, ], type = "decision")))
)
cat(toJSON(values, digits = 12, auto_unbox = TRUE))
