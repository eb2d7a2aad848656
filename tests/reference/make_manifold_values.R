# Isomap of vegan, of the swiss provinces: coordinates, eigenvalues and shortest ways; stress of monoMDS, of irises.
# Rscript make_manifold_values.R > manifold_values.json
suppressMessages(library(vegan))
D <- dist(as.matrix(swiss[, -1]))
ways <- isomapdist(D, k = 5)
map <- isomap(D, ndim = 2, k = 5)
scaled <- cmdscale(D, k = 2, eig = TRUE)
number <- function(x) paste0("[", paste(formatC(as.vector(t(as.matrix(x))), digits = 12, format = "g"), collapse = ", "), "]")
cat("{\n")
cat("\"isomap_points\":", number(map$points), ",\n")
cat("\"isomap_eigenvalues\":", number(map$eig[1:2]), ",\n")
cat("\"isomap_ways\":", number(as.matrix(ways)[1:5, ]), ",\n")
cat("\"cmdscale_points\":", number(scaled$points), ",\n")
cat("\"cmdscale_gof\":", number(scaled$GOF), ",\n")
flowers <- dist(unique(as.matrix(iris[, 1:4])))  # of which many are equal but for rounding
stress <- sapply(2:3, function(k) monoMDS(flowers, cmdscale(flowers, k = k), k = k, maxit = 2000,
  sratmax = 0.9999999, smin = 1e-8, sfgrmin = 1e-9)$stress)
cat("\"monomds_iris\":", number(stress), "\n}\n")
