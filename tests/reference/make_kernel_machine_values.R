# Kernel principal components and Gaussian processes by kernlab: Rscript make_kernel_machine_values.R > kernel_machine_values.json
library(kernlab)

x <- as.matrix(mtcars[, c("wt", "hp", "qsec")])
x <- scale(x)
y <- as.numeric(scale(mtcars$mpg, scale = FALSE))
kernel <- rbfdot(sigma = 0.3)

components <- kpca(x, kernel = kernel, features = 3, th = 0)
process <- gausspr(x, y, scaled = FALSE, type = "regression", kernel = kernel, var = 0.5, variance.model = TRUE)
fitted <- predict(process, x[1:6, ])
deviation <- predict(process, x[1:6, ], type = "sdeviation")
classes <- gausspr(x, factor(mtcars$am), scaled = FALSE, kernel = kernel, tol = 1e-10)

show <- function(values) paste0("[", paste(format(as.numeric(values), digits = 15), collapse = ", "), "]")
cat("{\n")
cat('"x":', show(t(x)), ",\n")
cat('"y":', show(y), ",\n")
cat('"am":', show(mtcars$am), ",\n")
cat('"eigenvalues":', show(eig(components)), ",\n")
cat('"coordinates":', show(t(abs(rotated(components)[1:6, ]))), ",\n")
cat('"fitted":', show(fitted), ",\n")
cat('"deviation":', show(deviation), "\n}\n")
