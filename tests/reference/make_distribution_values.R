# Compute the reference values of distributions.json with base R and MASS.
#
# Run from the root of the repository:
#   Rscript tests/reference/make_distribution_values.R
# Then run make_distribution_values.py, which adds the rows of SciPy.

suppressPackageStartupMessages(library(MASS))

# The functions that write JSON are those of make_r_values.R.
for (line in parse("tests/reference/make_r_values.R")) {
  if (is.call(line) && deparse(line[[2]])[1] %in% c("one", "quoted", "atom", "json")) eval(line)
}

geyser <- as.matrix(datasets::faithful)
lights <- as.numeric(MASS::newcomb)

# Student-t with the degrees of freedom given: the location and the scale matrix that are most likely.
# cov.trob warns of no convergence where the weights have another mean than one.
fixed_df <- function(nu, w = rep(1, nrow(geyser))) {
  fit <- suppressWarnings(cov.trob(geyser, wt = w, nu = nu, maxit = 1000, tol = 1e-10))
  stopifnot(fit$iter < 999)
  list(call = one("cov.trob(faithful, wt = w, nu = nu, tol = 1e-10)"), nu = one(nu), weights = w,
       center = unname(fit$center), cov = unname(fit$cov))
}

# Student-t with the degrees of freedom estimated, in one column.
free_df <- function() {
  fit <- fitdistr(lights, "t", start = list(m = median(lights), s = mad(lights), df = 2),
                  lower = c(-Inf, 1e-3, 0.1), control = list(factr = 1, pgtol = 1e-12))
  list(call = one("fitdistr(newcomb, \"t\")"), x = lights, m = one(fit$estimate[["m"]]), s = one(fit$estimate[["s"]]),
       df = one(fit$estimate[["df"]]), loglik = one(fit$loglik))
}

one_column <- function(family) {
  fit <- fitdistr(geyser[, "waiting"], family)
  list(call = one(paste0("fitdistr(faithful$waiting, \"", family, "\")")), estimate = unname(fit$estimate),
       loglik = one(fit$loglik))
}

densities <- function() {
  counts <- rbind(c(1, 0, 3), c(2, 2, 2), c(0, 0, 5))
  p <- c(0.2, 0.3, 0.5)
  x <- c(-1.5, 0, 0.25, 4)
  list(counts = counts, p = p, multinomial = apply(counts, 1, dmultinom, prob = p, log = TRUE),
       poisson = rowSums(t(dpois(t(counts), c(0.5, 1, 4), log = TRUE))), rate = c(0.5, 1, 4),
       x = x, t = dt((x - 1) / 2, 3.5, log = TRUE) - log(2),
       exponential = dexp(abs(x), 0.7, log = TRUE))
}

values <- list(
  made_with = list(R = one(as.character(getRversion())), MASS = one(as.character(packageVersion("MASS")))),
  fixed_df = fixed_df(5), fixed_df_weighted = fixed_df(3, rep(1:4, 68)), free_df = free_df(),
  poisson = one_column("Poisson"), exponential = one_column("exponential"), densities = densities()
)
writeLines(json(values), "tests/reference/distributions.json")
