# Compute linear_values.json: linear models by R, MASS, nnet, glmnet, quantreg, sandwich and nnls.
#
# Run from the root of the repository:
#   Rscript tests/reference/make_linear_values.R
#
# An entry holds its rows in `data` ("x", a matrix as the model sees it, without the intercept; "y"; "weight"), so that
# the tests need no other file, and the figures that R has for them. Examples are those of the packages' help pages.

suppressPackageStartupMessages({
  library(MASS); library(nnet); library(glmnet); library(quantreg); library(sandwich); library(nnls)
})
strict <- glm.control(epsilon = 1e-13, maxit = 200)

rows_of <- function(fit, y, weight = NULL) {
  x <- unname(model.matrix(fit)[, -1, drop = FALSE])
  list(x = x, y = y, weight = weight)
}

table_of <- function(fit, ...) {
  found <- summary(fit, ...)$coefficients
  list(estimate = found[, 1], error = found[, 2], p = if (ncol(found) > 3) found[, 4])
}

from_glm <- function(fit, y, weight = NULL) {
  s <- summary(fit)
  at <- 1:3
  means <- predict(fit, type = "response", se.fit = TRUE)
  c(list(call = deparse1(fit$call), data = rows_of(fit, y, weight)), table_of(fit),
    list(deviance = fit$deviance, null_deviance = fit$null.deviance, dispersion = s$dispersion, aic = AIC(fit),
         df = fit$df.residual, vcov = unname(vcov(fit)), mean = means$fit[at], mean_error = means$se.fit[at]))
}

# ---- glm ---------------------------------------------------------------------------------------------

esoph_grouped <- function() {
  fit <- glm(cbind(ncases, ncontrols) ~ agegp + unclass(tobgp) + unclass(alcgp), data = esoph, family = binomial(),
             control = strict)
  small <- glm(cbind(ncases, ncontrols) ~ agegp, data = esoph, family = binomial(), control = strict)
  trials <- esoph$ncases + esoph$ncontrols
  keep <- trials > 0
  stopifnot(all(keep))
  test <- anova(small, fit, test = "Chisq")
  c(from_glm(fit, esoph$ncases / trials, trials), list(ratio = test$Deviance[2], ratio_p = test$`Pr(>Chi)`[2]))
}

esoph_interactions <- function() {
  fit <- glm(cbind(ncases, ncontrols) ~ agegp + tobgp * alcgp, data = esoph, family = binomial(), control = strict)
  trials <- esoph$ncases + esoph$ncontrols
  from_glm(fit, esoph$ncases / trials, trials)
}

anorexia_offset <- function() {
  fit <- glm(Postwt ~ Prewt + Treat + offset(Prewt), family = gaussian, data = anorexia, control = strict)
  found <- from_glm(fit, anorexia$Postwt)
  found$data$offset <- anorexia$Prewt
  found
}

clotting <- data.frame(u = c(5, 10, 15, 20, 30, 40, 60, 80, 100), lot1 = c(118, 58, 42, 35, 27, 25, 21, 19, 18),
                       lot2 = c(69, 35, 26, 21, 18, 16, 13, 12, 12))

dobson <- data.frame(counts = c(18, 17, 15, 20, 10, 20, 25, 13, 12), outcome = gl(3, 1, 9), treatment = gl(3, 3))

negative_binomial <- function() {
  theta <- glm.nb(Days ~ Sex + Age + Eth + Lrn, data = quine)$theta
  fit <- glm(Days ~ Sex + Age + Eth + Lrn, data = quine, family = negative.binomial(theta), control = strict)
  found <- from_glm(fit, quine$Days)
  s <- summary(fit, dispersion = 1)$coefficients
  found[c("estimate", "error", "p")] <- list(s[, 1], s[, 2], s[, 4])
  found$vcov <- found$aic <- found$mean_error <- NULL
  c(found, list(theta = theta))
}

insurance <- function() {
  fit <- glm(Claims ~ District + Group + Age + offset(log(Holders)), data = Insurance, family = poisson,
             control = strict)
  found <- from_glm(fit, Insurance$Claims)
  found$data$exposure <- Insurance$Holders
  found
}

glm_fits <- list(
  esoph = esoph_grouped(),
  esoph_interactions = esoph_interactions(),
  anorexia = anorexia_offset(),
  clotting1 = from_glm(glm(lot1 ~ log(u), data = clotting, family = Gamma, control = strict), clotting$lot1),
  clotting2 = from_glm(glm(lot2 ~ log(u), data = clotting, family = Gamma, control = strict), clotting$lot2),
  clotting_log = from_glm(glm(lot1 ~ log(u), data = clotting, family = Gamma("log"), control = strict), clotting$lot1),
  clotting_inverse_gaussian = from_glm(
    glm(lot1 ~ log(u), data = clotting, family = inverse.gaussian("log"), control = strict), clotting$lot1),
  dobson = from_glm(glm(counts ~ outcome + treatment, data = dobson, family = poisson, control = strict),
                    dobson$counts),
  insurance = insurance(),
  quine = negative_binomial(),
  quine_poisson = from_glm(glm(Days ~ Sex + Age + Eth + Lrn, data = quine, family = poisson, control = strict),
                           quine$Days),
  birthweight = from_glm(glm(low ~ age + lwt + factor(race) + smoke + ptl + ht + ui + ftv, data = birthwt,
                             family = binomial, control = strict), birthwt$low),
  birthweight_probit = from_glm(glm(low ~ lwt + smoke, data = birthwt, family = binomial("probit"), control = strict),
                                birthwt$low),
  birthweight_cloglog = from_glm(glm(low ~ lwt + smoke, data = birthwt, family = binomial("cloglog"),
                                     control = strict), birthwt$low)
)

# ---- columns that follow from others: NA in R for the later ones --------------------------------------

# The errors of what is estimable do not depend on which of the dependent columns is left out.
aliased <- function() {
  cars <- mtcars
  cars$tons <- cars$wt * 0.45359237
  cars$flat <- 3
  y <- cars$mpg
  lm_fit <- lm(mpg ~ wt + tons + hp + qsec + flat, cars)
  glm_fit <- glm(am ~ qsec + hp + I(hp / 100), binomial, cars, epsilon = 1e-11) # a smaller one hides the rank
  list(
    lm = list(data = list(x = unname(as.matrix(cars[c("wt", "tons", "hp", "qsec", "flat")])), y = y),
              estimate = coef(lm_fit), error = setNames(sqrt(diag(vcov(lm_fit, complete = TRUE))), NULL),
              df = lm_fit$df.residual),
    glm = list(data = list(x = unname(cbind(cars$qsec, cars$hp, cars$hp / 100)), y = cars$am),
               estimate = coef(glm_fit), error = setNames(sqrt(diag(vcov(glm_fit, complete = TRUE))), NULL),
               df = glm_fit$df.residual, deviance = glm_fit$deviance)
  )
}

# ---- least squares, robust errors, non-negative slopes -------------------------------------------------

longley_fit <- function() {
  fit <- lm(Employed ~ ., longley)
  both <- predict(fit, interval = "prediction", level = 0.9)
  errors <- lapply(setNames(nm = c("HC0", "HC1", "HC2", "HC3")), function(kind) sqrt(diag(vcovHC(fit, type = kind))))
  scaled <- lm.ridge(Employed ~ ., longley, lambda = 0.02)
  c(list(data = rows_of(fit, longley$Employed)), table_of(fit), lapply(errors, unname),
    list(prediction = unname(both[1:4, ]), r_squared = summary(fit)$r.squared, ridge_lambda = 0.02,
         ridge = unname(coef(scaled)), ridge_scales = unname(scaled$scales), gcv = unname(scaled$GCV)))
}

quine_robust <- function() {
  fit <- glm(Days ~ Sex + Age + Eth + Lrn, data = quine, family = poisson, control = strict)
  lapply(setNames(nm = c("HC0", "HC1", "HC2", "HC3")), function(kind) unname(sqrt(diag(vcovHC(fit, type = kind)))))
}

non_negative <- function() {
  x <- as.matrix(swiss[, -1])
  found <- nnls(cbind(1, -1, x), swiss$Fertility) # an intercept of either sign is the difference of two
  list(data = list(x = unname(x), y = swiss$Fertility), intercept = found$x[1] - found$x[2], slope = found$x[-(1:2)],
       deviance = found$deviance)
}

# ---- quantiles and M-estimates ---------------------------------------------------------------------------

quantile_fits <- function(formula, data, tau) {
  fit <- rq(formula, tau, data)
  list(call = deparse1(formula), data = list(x = unname(model.matrix(formula, data)[, -1, drop = FALSE]),
                                             y = model.response(model.frame(formula, data))),
       tau = tau, estimate = unname(t(coef(fit))), loss = unname(fit$rho))
}

huber_fit <- function(formula, data) {
  fit <- rlm(formula, data, maxit = 500, acc = 1e-14)
  c(list(data = rows_of(fit, model.response(model.frame(formula, data))), k = 1.345, scale = fit$s,
         estimate = unname(coef(fit))))
}

# ---- several classes -------------------------------------------------------------------------------------

housing_fit <- function() {
  fit <- multinom(Sat ~ Infl + Type + Cont, weights = Freq, data = housing, Hess = TRUE, trace = FALSE,
                  reltol = 1e-15, abstol = 1e-15, maxit = 2000)
  x <- unname(model.matrix(~ Infl + Type + Cont, housing)[, -1])
  s <- summary(fit)
  list(data = list(x = x, y = as.character(housing$Sat), weight = housing$Freq), classes = fit$lev,
       estimate = unname(s$coefficients), error = unname(s$standard.errors), deviance = fit$deviance, aic = fit$AIC)
}

# ---- glmnet ----------------------------------------------------------------------------------------------

# The vignette's tables, with columns in their own units so that λ is the same everywhere.
path_of <- function(example, family, alpha, share = c(0.5, 0.2, 0.05, 0.01)) {
  x <- unname(example$x)
  y <- drop(example$y)
  first <- glmnet(x, y, family = family, alpha = alpha, standardize = FALSE)
  lambda <- first$lambda[1] * c(1, share)
  fit <- glmnet(x, y, family = family, alpha = alpha, standardize = FALSE, lambda = lambda, thresh = 1e-16,
                maxit = 1e7)
  slopes <- if (is.list(fit$beta)) lapply(fit$beta, function(b) unname(t(as.matrix(b)))) else unname(t(as.matrix(fit$beta)))
  list(family = family, alpha = alpha, lambda_max = first$lambda[1], lambda = lambda, intercept = unname(fit$a0),
       slope = slopes, explained = fit$dev.ratio)
}

vignette <- function(example, family, alphas = c(1, 0.5)) {
  list(data = list(x = unname(example$x), y = drop(example$y)), paths = lapply(alphas, function(a) path_of(example, family, a)))
}

folds <- function(example) {
  x <- unname(example$x)
  y <- drop(example$y)
  fold <- rep(1:5, length.out = nrow(x))
  lambda <- glmnet(x, y, standardize = FALSE)$lambda # given, folds are fitted for these and not interpolated
  fit <- cv.glmnet(x, y, foldid = fold, standardize = FALSE, thresh = 1e-14, lambda = lambda)
  list(fold = fold, lambda = fit$lambda, error = fit$cvm, standard_error = fit$cvsd, least = fit$lambda.min,
       within_one = fit$lambda.1se)
}

data(QuickStartExample); data(BinomialExample); data(PoissonExample); data(MultinomialExample)
first_rows <- function(example, n) list(x = example$x[1:n, 1:10], y = drop(example$y)[1:n])

values <- list(
  made_with = c(list(R = as.character(getRversion())), lapply(
    setNames(nm = c("MASS", "nnet", "glmnet", "quantreg", "sandwich", "nnls")), function(name) as.character(packageVersion(name)))),
  glm = glm_fits,
  aliased = aliased(),
  longley = longley_fit(),
  quine_robust = quine_robust(),
  non_negative = non_negative(),
  rq = list(
    stackloss = quantile_fits(stack.loss ~ Air.Flow + Water.Temp + Acid.Conc., stackloss, c(0.1, 0.25, 0.6, 0.8)),
    engel = quantile_fits(foodexp ~ income, { data(engel); engel }, c(0.05, 0.25, 0.5, 0.75, 0.95)),
    swiss = quantile_fits(Fertility ~ ., swiss, c(0.3, 0.5, 0.9))
  ),
  rlm = list(stackloss = huber_fit(stack.loss ~ ., stackloss), phones = huber_fit(calls ~ year, as.data.frame(phones)),
             swiss = huber_fit(Fertility ~ ., swiss)),
  multinom = list(housing = housing_fit()),
  glmnet = list(
    gaussian = vignette(QuickStartExample, "gaussian"),
    binomial = vignette(BinomialExample, "binomial"),
    poisson = vignette(first_rows(PoissonExample, 150), "poisson"),
    multinomial = vignette(first_rows(MultinomialExample, 150), "multinomial")
  ),
  cv_glmnet = folds(QuickStartExample)
)
jsonlite::write_json(values, "tests/reference/linear_values.json", digits = NA, auto_unbox = TRUE, null = "null",
                     na = "null", matrix = "rowmajor")
