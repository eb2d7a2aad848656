# Compute factor_values.json: glm and lm of tables with factors, as they come with R and MASS.
#
# Run from the root of the repository:
#   Rscript tests/reference/make_factor_values.R
#
# An entry holds its table as columns, factors as text, and the figures that R has for it. Levels of factors are in the
# order of the alphabet, so that the first one is the reference, as in ours.

suppressPackageStartupMessages(library(MASS))
strict <- glm.control(epsilon = 1e-13, maxit = 200)

entry <- function(formula, data, family = NULL, weight = NULL, exposure = NULL) {
  rows <- as.data.frame(data)[, c(all.vars(formula), weight, exposure)]
  for (name in names(rows)) if (is.factor(rows[[name]])) rows[[name]] <- as.character(rows[[name]])
  rows$.weight <- if (is.null(weight)) 1 else rows[[weight]]
  rows$.offset <- if (is.null(exposure)) 0 else log(rows[[exposure]])
  fit <- if (is.null(family)) lm(formula, rows) else
    glm(formula, family, rows, weights = .weight, offset = .offset, control = strict)
  found <- summary(fit)$coefficients
  list(call = deparse1(formula), family = if (is.null(family)) "lm" else family$family, target = all.vars(formula)[1],
       weight = weight, exposure = exposure, table = rows[setdiff(names(rows), c(".weight", ".offset"))],
       terms = rownames(found), estimate = unname(found[, 1]), error = unname(found[, 2]), fitted = unname(fitted(fit)),
       deviance = deviance(fit), df = fit$df.residual)
}

voyages <- subset(transform(ships, year = paste0("y", year), period = paste0("p", period)), service > 0)
cases <- transform(esoph, share = ncases / (ncases + ncontrols), people = ncases + ncontrols)

values <- list(
  made_with = list(R = as.character(getRversion()), MASS = as.character(packageVersion("MASS"))),
  fits = list(
    warpbreaks = entry(breaks ~ wool + tension, warpbreaks, poisson()),
    ships = entry(incidents ~ type + year + period, voyages, poisson(), exposure = "service"),
    esoph = entry(share ~ agegp + alcgp + tobgp, cases, binomial(), weight = "people"),
    quine = entry(Days ~ Eth + Sex + Age + Lrn, quine, poisson()),
    leukaemia = entry(time ~ wbc + ag, leuk, Gamma("log")),
    carbon = entry(uptake ~ Type + Treatment + conc, CO2),
    snails = entry(share ~ Species + Exposure + Rel.Hum + Temp, transform(snails, share = Deaths / N), binomial(), weight = "N")
  )
)
jsonlite::write_json(values, "tests/reference/factor_values.json", digits = NA, auto_unbox = TRUE, null = "null", dataframe = "columns")
