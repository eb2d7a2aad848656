// log N(x; mean, diagonal variance) of every row under every component, NaN cells left out.
#include <cmath>
#include <numbers>
#include <vector>

#include "core/binding.hpp"
#include "core/simd.hpp"

namespace suffice {
namespace {

constexpr std::size_t kBlock = 64;
constexpr std::size_t kFewColumns = 16;  // so few, and vectors of rows are better than vectors of columns

// Columns padded to whole vectors; padding has precision 0 and so adds nothing.
struct Components {
    std::size_t count, columns, width;
    std::vector<double> mean, precision, log_scale;  // the last: log √(2π variance), 0 where unseen
    std::vector<double> offset, constant;            // what is added to each, and that less all of log_scale

    Components(const double* m, const double* variance, const double* added, std::size_t k, std::size_t d)
        : count(k), columns(d), width(round_up(d, kLanes)), mean(k * width), precision(k * width),
          log_scale(k * width), offset(k), constant(k) {
        for (std::size_t c = 0; c < k; ++c) {
            constant[c] = offset[c] = added ? added[c] : 0.0;
            for (std::size_t j = 0; j < d; ++j) {
                const double v = variance[c * d + j];
                mean[c * width + j] = m[c * d + j];
                precision[c * width + j] = std::isinf(v) ? 0.0 : 1 / v;
                log_scale[c * width + j] = std::isinf(v) ? 0.0 : 0.5 * std::log(2 * std::numbers::pi * v);
                constant[c] -= log_scale[c * width + j];
            }
        }
    }
};

double complete_row(const double* x, const double* mean, const double* precision, std::size_t width) {
    Vec sum{};
    for (std::size_t j = 0; j < width; j += kLanes) {
        const Vec delta = load(x + j) - load(mean + j);
        sum += delta * delta * load(precision + j);
    }
    return sum_lanes(sum);
}

// The cells of the row lie `step` apart.
double row_with_gaps(const double* x, std::size_t step, const Components& p, std::size_t c) {
    double total = 0;
    for (std::size_t j = 0; j < p.columns; ++j) {
        if (std::isnan(x[j * step])) continue;
        const double delta = x[j * step] - p.mean[c * p.width + j];
        total += delta * delta * p.precision[c * p.width + j] + 2 * p.log_scale[c * p.width + j];
    }
    return p.offset[c] - 0.5 * total;
}

bool has_gap(const double* x, std::size_t d) {
    double sum = 0;
    for (std::size_t j = 0; j < d; ++j) sum += x[j] * 0.0;
    return sum != 0;
}

// A block of rows that lie in columns, one after the other, each of kBlock cells; `scratch` has room for twice as many.
void few_columns(const double* columns, std::size_t count, const Components& p, double* scratch, double* out) {
    double *gaps = scratch, *sums = scratch + kBlock;
    std::fill_n(gaps, kBlock, 0.0);
    for (std::size_t j = 0; j < p.columns; ++j)
        for (std::size_t i = 0; i < kBlock; ++i) gaps[i] += columns[j * kBlock + i] * 0.0;
    for (std::size_t c = 0; c < p.count; ++c) {
        std::fill_n(sums, kBlock, 0.0);
        for (std::size_t j = 0; j < p.columns; ++j) {
            const double mean = p.mean[c * p.width + j], precision = p.precision[c * p.width + j];
            for (std::size_t i = 0; i < kBlock; ++i) {
                const double delta = columns[j * kBlock + i] - mean;
                sums[i] += delta * delta * precision;
            }
        }
        for (std::size_t i = 0; i < count; ++i)
            out[i * p.count + c] = gaps[i] == 0 ? p.constant[c] - 0.5 * sums[i] : row_with_gaps(columns + i, kBlock, p, c);
    }
}

template <class T>
void density_of_few_columns(const View<T>& x, const Components& p, const Runtime& runtime, double* out) {
    const Stripes stripes(x.rows, kBlock * 4);
    auto work = [&](std::size_t k, std::vector<double>& block) {
        for (std::size_t first = stripes.begin(k); first < stripes.end(k); first += kBlock) {
            const std::size_t count = std::min(kBlock, stripes.end(k) - first);
            for (std::size_t j = 0; j < x.cols; ++j)
                for (std::size_t i = 0; i < count; ++i)
                    block[j * kBlock + i] = static_cast<double>(x.at(first + i, j));
            few_columns(block.data(), count, p, block.data() + x.cols * kBlock, out + first * p.count);
        }
    };
    for_stripes(stripes.count(), 4 * static_cast<double>(x.rows) * static_cast<double>(x.cols * p.count), runtime,
                [&] { return std::vector<double>(kBlock * (x.cols + 2)); }, work);
}

// out (n, k) = log N(x; mean_k, diag variance_k) + offset_k, both (k, d); NaN cells are left out, and so are columns of
// infinite variance.
template <class T>
void diagonal_log_density(const View<T>& x, const double* mean, const double* variance, const double* offset,
                          std::size_t components, const Runtime& runtime, double* out) {
    const Components p(mean, variance, offset, components, x.cols);
    if (x.cols <= kFewColumns) return density_of_few_columns(x, p, runtime, out);
    const Stripes stripes(x.rows, kBlock * 4);
    auto work = [&](std::size_t k, std::vector<double>& rows) {
        for (std::size_t first = stripes.begin(k); first < stripes.end(k); first += kBlock) {
            const std::size_t count = std::min(kBlock, stripes.end(k) - first);
            copy_rows(x, first, count, rows.data(), p.width);
            for (std::size_t i = 0; i < count; ++i) {
                const double* row = &rows[i * p.width];
                double* result = out + (first + i) * components;
                const bool gap = has_gap(row, p.columns);
                for (std::size_t c = 0; c < components; ++c)
                    result[c] = gap ? row_with_gaps(row, 1, p, c)
                                    : p.constant[c] - 0.5 * complete_row(row, &p.mean[c * p.width],
                                                                          &p.precision[c * p.width], p.width);
            }
        }
    };
    reduce_stripes(
        stripes.count(), 4.0 * static_cast<double>(x.rows) * static_cast<double>(p.width * components), runtime,
        [&] { return std::vector<double>(kBlock * p.width); }, work, [](std::size_t, std::vector<double>&) {});
}

template <class T>
void bind(nb::module_& m) {
    m.def("diagonal_log_density", [](Matrix<T> x, Full<double> mean, Full<double> variance,
                                     Optional<Input> offset, int threads, Output out) {
        const std::size_t cells = mean.shape(0) * x.shape(1);
        expect("mean", mean, cells);
        expect("variance", variance, cells);
        expect("offset", offset, mean.shape(0));
        expect("out", out, x.shape(0) * mean.shape(0));
        const double* added = pointer(offset);
        call(threads, [&](const Runtime& r) {
            diagonal_log_density<T>(view<T>(x), mean.data(), variance.data(), added, mean.shape(0), r, out.data());
        });
    }, nb::arg("x"), nb::arg("mean"), nb::arg("variance"), nb::arg("offset").none(), nb::arg("threads"), nb::arg("out"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
