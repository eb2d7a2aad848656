# Compute the reference values of r_values.json with base R and MASS.
#
# Run from the root of the repository:
#   Rscript tests/reference/make_r_values.R
#
# Numbers are written with 17 significant digits. Matrices are written as lists of rows. A vector is
# always a list, also when it holds one number; a value marked with one() is written bare.
# Row numbers count from zero. Column names are those of the bundled tables.

suppressPackageStartupMessages(library(MASS))

# ---- writing JSON --------------------------------------------------------------------------------

one <- function(value) structure(value, bare = TRUE)

quoted <- function(text) paste0("\"", gsub("\"", "\\\\\"", text), "\"")

atom <- function(values) {
  if (is.character(values)) return(quoted(values))
  if (is.logical(values)) return(ifelse(values, "true", "false"))
  stopifnot(all(is.finite(values)))
  sprintf("%.17g", values)
}

json <- function(value, indent = "") {
  inner <- paste0(indent, " ")
  if (is.null(value)) return("null")
  if (is.list(value)) {
    entries <- vapply(names(value), function(name) {
      paste0(inner, quoted(name), ": ", json(value[[name]], inner))
    }, "")
    return(paste0("{\n", paste(entries, collapse = ",\n"), "\n", indent, "}"))
  }
  if (is.matrix(value)) {
    rows <- apply(value, 1, function(row) paste0(inner, "[", paste(atom(row), collapse = ", "), "]"))
    return(paste0("[\n", paste(rows, collapse = ",\n"), "\n", indent, "]"))
  }
  if (isTRUE(attr(value, "bare"))) return(atom(as.vector(value)))
  paste0("[", paste(atom(as.vector(value)), collapse = ", "), "]")
}

# ---- tables --------------------------------------------------------------------------------------

flowers <- datasets::iris
names(flowers) <- c("sepal_length", "sepal_width", "petal_length", "petal_width", "species")
measures <- names(flowers)[1:4]
geyser <- datasets::faithful

# ---- principal components ------------------------------------------------------------------------

from_princomp <- function(fit) {
  list(call = one(deparse(fit$call)), variables = rownames(fit$loadings), sdev = fit$sdev,
       loadings = unclass(fit$loadings), center = fit$center, scale = fit$scale)
}

from_prcomp <- function(fit, call) {
  list(call = one(call), variables = rownames(fit$rotation), sdev = fit$sdev,
       rotation = fit$rotation, center = fit$center,
       scale = if (is.numeric(fit$scale)) fit$scale else NULL)
}

# ---- linear models -------------------------------------------------------------------------------

# All the figures of a summary of lm for one target.
from_lm <- function(fit, call) {
  s <- summary(fit)
  table <- s$coefficients
  list(call = one(call), terms = sub("[(]Intercept[)]", "intercept", rownames(table)),
       coef = table[, 1], std_err = table[, 2], t = table[, 3], p = table[, 4],
       confint95 = unname(confint(fit, level = 0.95)), vcov = unname(vcov(fit)),
       sigma2 = one(s$sigma^2), r_squared = one(s$r.squared),
       adj_r_squared = one(s$adj.r.squared), df_residual = one(fit$df.residual))
}

lm_iris <- function() {
  fit <- lm(sepal_length ~ sepal_width + petal_length + petal_width, flowers)
  from_lm(fit, "lm(sepal_length ~ sepal_width + petal_length + petal_width, iris)")
}

lm_faithful_weights <- function(w) {
  c(from_lm(lm(waiting ~ eruptions, geyser, weights = w),
            "lm(waiting ~ eruptions, faithful, weights = w)"), list(weights = w))
}

lm_faithful_repeated <- function(w) {
  repeated <- geyser[rep(seq_len(nrow(geyser)), w), ]
  c(from_lm(lm(waiting ~ eruptions, repeated),
            "lm(waiting ~ eruptions, faithful[rep(1:272, w), ])"), list(weights = w))
}

lm_two_targets <- function() {
  both <- lm(cbind(Murder, Rape) ~ Assault + UrbanPop, datasets::USArrests)
  single <- function(target) {
    formula <- reformulate(c("Assault", "UrbanPop"), target)
    from_lm(lm(formula, datasets::USArrests), paste0("lm(", target, " ~ Assault + UrbanPop, USArrests)"))
  }
  list(call = one("lm(cbind(Murder, Rape) ~ Assault + UrbanPop, USArrests)"),
       terms = sub("[(]Intercept[)]", "intercept", rownames(coef(both))), targets = colnames(coef(both)),
       coef = unname(coef(both)), residual_cov = unname(estVar(both)),
       each = list(Murder = single("Murder"), Rape = single("Rape")))
}

# Minimise the sum of squares plus alpha times the sum of the squared slopes.
ridge_iris <- function(alpha) {
  x <- cbind(intercept = 1, as.matrix(flowers[, c("sepal_width", "petal_length", "petal_width")]))
  penalty <- diag(c(0, alpha, alpha, alpha))
  coef <- drop(solve(crossprod(x) + penalty, crossprod(x, flowers$sepal_length)))
  list(call = one("solve(X'X + diag(0, alpha, alpha, alpha), X'y), y = sepal_length of iris"),
       alpha = one(alpha), terms = colnames(x), coef = coef)
}

# ---- moments -------------------------------------------------------------------------------------

weighted_cov_iris <- function(w) {
  ml <- cov.wt(flowers[, measures], wt = w / sum(w), method = "ML")
  unbiased <- cov.wt(flowers[, measures], wt = w / sum(w), method = "unbiased")
  list(call = one("cov.wt(iris[, 1:4], wt = w / sum(w), method = \"ML\")"), variables = measures,
       weights = w, center = ml$center, cov = unname(ml$cov), cov_unbiased = unname(unbiased$cov))
}

# Counts, means and variances (divided by n) of each class.
iris_classes <- function() {
  lapply(split(flowers[, measures], flowers$species), function(part) {
    centre <- colMeans(part)
    list(variables = measures, n = one(nrow(part)), mean = centre,
         var = colMeans(sweep(as.matrix(part), 2, centre)^2))
  })
}

# ---- naive Bayes ---------------------------------------------------------------------------------

# The log of prior times density for the given rows, from the given columns only.
log_joint <- function(rows, columns) {
  classes <- iris_classes()
  sapply(classes, function(class) {
    names(class$mean) <- names(class$var) <- measures
    parts <- lapply(columns, function(column) {
      dnorm(flowers[rows, column], class$mean[[column]], sqrt(class$var[[column]]), log = TRUE)
    })
    log(class$n / nrow(flowers)) + Reduce(`+`, parts)
  })
}

naive_bayes <- function(rows, columns) {
  joint <- log_joint(rows, columns)
  top <- apply(joint, 1, max)
  evidence <- top + log(rowSums(exp(joint - top)))
  list(columns = columns, log_joint = unname(joint), log_evidence = evidence,
       posterior = unname(exp(joint - evidence)))
}

naive_bayes_iris <- function(rows) {
  without <- lapply(setNames(measures, measures), function(column) {
    naive_bayes(rows, setdiff(measures, column))
  })
  list(call = one("dnorm with variances divided by n and the shares of the classes as priors"),
       rows = rows - 1, classes = levels(flowers$species), full = naive_bayes(rows, measures),
       without = without)
}

# ---- all of it -----------------------------------------------------------------------------------

values <- list(
  made_with = list(R = one(as.character(getRversion())), MASS = one(as.character(packageVersion("MASS")))),
  princomp_usarrests_cor = from_princomp(princomp(USArrests, cor = TRUE)),
  prcomp_usarrests = from_prcomp(prcomp(USArrests), "prcomp(USArrests)"),
  prcomp_usarrests_scaled = from_prcomp(prcomp(USArrests, scale. = TRUE), "prcomp(USArrests, scale. = TRUE)"),
  prcomp_log_crabs = from_prcomp(prcomp(log(MASS::crabs[, 4:8])), "prcomp(log(crabs[, 4:8]))"),
  lm_iris = lm_iris(),
  lm_faithful_weights = lm_faithful_weights(rep(1:4, 68)),
  lm_faithful_repeated = lm_faithful_repeated(rep(1:4, 68)),
  lm_usarrests_two_targets = lm_two_targets(),
  ridge_iris = ridge_iris(2.5),
  weighted_cov_iris = weighted_cov_iris(rep(1:5, 30)),
  iris_classes = iris_classes(),
  naive_bayes_iris = naive_bayes_iris(c(1, 42, 51, 71, 78, 84, 107, 120, 134, 150))
)
writeLines(json(values), "tests/reference/r_values.json")
