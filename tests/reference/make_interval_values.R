# Compute the reference values of interval_values.json: Wilson intervals and BCa intervals.
#
# Run from the root of the repository:
#   Rscript tests/reference/make_interval_values.R
#
# Wilson by prop.test without the continuity correction; BCa by boot::boot.ci with the influence values of the jackknife. The resampled values are kept too, so that both compute from the same ones.

suppressPackageStartupMessages({
  library(boot)
  library(jsonlite)
})

wilson <- function(x, n, level) {
  ends <- as.vector(suppressWarnings(prop.test(x, n, conf.level = level, correct = FALSE))$conf.int)
  list(successes = x, trials = n, level = level, low = ends[1], high = ends[2])
}

bca <- function(name, data, statistic, level, R) {
  set.seed(1)
  found <- boot(data, statistic, R = R)
  n <- NROW(data)
  without <- sapply(seq_len(n), function(i) statistic(data, setdiff(seq_len(n), i)))
  influence <- (n - 1) * (mean(without) - without)
  ends <- boot.ci(found, conf = level, type = "bca", L = influence)$bca[1, 4:5]
  list(name = name, level = level, value = found$t0, replicates = as.vector(found$t), jackknife = without,
       low = ends[1], high = ends[2])
}

cases <- list(c(0, 20), c(1, 20), c(12, 150), c(75, 150), c(149, 150), c(20, 20), c(3, 1000))
values <- list(
  wilson = unlist(lapply(c(0.9, 0.95, 0.99), function(level) lapply(cases, function(c) wilson(c[1], c[2], level))),
                  recursive = FALSE),
  bca = list(
    bca("mean of eruptions", faithful$eruptions, function(d, i) mean(d[i]), 0.95, 599),
    bca("sd of waiting", faithful$waiting, function(d, i) sd(d[i]), 0.90, 599),
    bca("correlation of city", city, function(d, i) cor(d$u[i], d$x[i]), 0.95, 599),
    bca("ratio of city", city, function(d, i) sum(d$x[i]) / sum(d$u[i]), 0.95, 599)
  ),
  versions = list(R = as.character(getRversion()), boot = as.character(packageVersion("boot")))
)
write(toJSON(values, auto_unbox = TRUE, digits = 15), "tests/reference/interval_values.json")
