# Export the bundled tables from R.
#
# Run from the root of the repository:
#   Rscript tests/reference/make_tables.R src/suffice/data/tables
#
# Made with R 4.2.2, MASS 7.3-58.2 and cluster 2.1.4. Every file is read back and compared before the
# script ends, so that no digit is lost on the way.

suppressPackageStartupMessages({
  library(MASS)
  library(cluster)
})

arguments <- commandArgs(trailingOnly = TRUE)
folder <- if (length(arguments)) arguments[[1]] else "src/suffice/data/tables"

iris_table <- function() {
  table <- datasets::iris
  names(table) <- c("sepal_length", "sepal_width", "petal_length", "petal_width", "species")
  table
}

usarrests_table <- function() {
  cbind(state = rownames(datasets::USArrests), datasets::USArrests)
}

city_table <- function() {
  distances <- as.matrix(datasets::UScitiesD)
  cities <- c("Atlanta", "Chicago", "Denver", "Houston", "Los Angeles", "Miami", "New York",
              "San Francisco", "Seattle", "Washington DC")
  stopifnot(identical(gsub("[^A-Za-z]", "", cities), gsub("[^A-Za-z]", "", rownames(distances))))
  dimnames(distances) <- list(NULL, cities)
  data.frame(city = cities, distances, check.names = FALSE)
}

export <- function(table, name) {
  path <- file.path(folder, paste0(name, ".csv"))
  table <- as.data.frame(lapply(table, function(column) {
    if (is.factor(column)) as.character(column) else column
  }), optional = TRUE)
  write.csv(table, path, row.names = FALSE, quote = FALSE)
  kinds <- ifelse(vapply(table, is.character, TRUE), "character", "numeric")
  back <- read.csv(path, check.names = FALSE, colClasses = kinds)
  stopifnot(identical(names(back), names(table)))
  for (column in names(table)) stopifnot(all(back[[column]] == table[[column]]))
  cat(sprintf("%-18s %5d rows %3d columns\n", name, nrow(table), ncol(table)))
}

export(iris_table(), "iris")
export(MASS::crabs, "crabs")
export(usarrests_table(), "usarrests")
export(datasets::faithful, "faithful")
export(city_table(), "us_city_distances")
export(cluster::xclara, "xclara")
