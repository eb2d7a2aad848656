// Weight, mean and centred squares of every column of a CSR matrix, NaN left out; its zeros are counted, not read.
#include <cmath>
#include <vector>

#include "core/binding.hpp"
#include "sparse/csr.hpp"

namespace suffice {
namespace {

// What each column has of cells that are stored: the weight of those that are NaN and of the others, and a sum.
struct ColumnSums {
    std::vector<double> missing, stored, sum;

    explicit ColumnSums(std::size_t d) : missing(d), stored(d), sum(d) {}

    void clear() {
        for (auto* sums : {&missing, &stored, &sum}) std::fill(sums->begin(), sums->end(), 0.0);
    }

    void add(const ColumnSums& other) {
        for (std::size_t j = 0; j < sum.size(); ++j) {
            missing[j] += other.missing[j];
            stored[j] += other.stored[j];
            sum[j] += other.sum[j];
        }
    }
};

// Calls visit(column, value, weight) for all cells of some rows that have a weight.
template <class T, class I, class Visit>
void for_cells(const Csr<T, I>& x, const double* weight, std::size_t begin, std::size_t end, Visit visit) {
    for (std::size_t i = begin; i < end; ++i) {
        const double w = weight ? weight[i] : 1.0;
        if (w == 0) continue;
        for (I p = x.starts[i]; p < x.starts[i + 1]; ++p)
            visit(static_cast<std::size_t>(x.indices[p]), static_cast<double>(x.data[p]), w);
    }
}

// total (d): weight of the cells that are not NaN; mean (d); scatter (d): Σ w (x − mean)².
template <class T, class I>
void sparse_column_moments(const Csr<T, I>& x, const double* weight, double all, std::size_t d, const Runtime& runtime,
                           double* total, double* mean, double* scatter) {
    const std::size_t cells = static_cast<std::size_t>(x.starts[x.rows]);
    const std::size_t few = cells ? 16 * d * x.rows / cells : x.rows;  // rows with so few cells are not worth a merge
    const Stripes stripes(x.rows, std::clamp<std::size_t>(few, 256, std::max<std::size_t>(256, x.rows)));
    const double operations = static_cast<double>(cells) * 8;
    const auto make = [&] { return ColumnSums(d); };
    ColumnSums sums(d);
    reduce_stripes(
        stripes.count(), operations, runtime, make,
        [&](std::size_t k, ColumnSums& s) {
            s.clear();
            for_cells(x, weight, stripes.begin(k), stripes.end(k), [&](std::size_t j, double value, double w) {
                const bool gap = std::isnan(value);
                s.missing[j] += gap ? w : 0;
                s.stored[j] += gap ? 0 : w;
                s.sum[j] += gap ? 0 : w * value;
            });
        },
        [&](std::size_t, ColumnSums& s) { sums.add(s); });
    for (std::size_t j = 0; j < d; ++j) {
        total[j] = all - sums.missing[j];
        mean[j] = total[j] > 0 ? sums.sum[j] / total[j] : 0;
        scatter[j] = (total[j] - sums.stored[j]) * mean[j] * mean[j];
    }
    reduce_stripes(
        stripes.count(), operations, runtime, [&] { return std::vector<double>(d); },
        [&](std::size_t k, std::vector<double>& squares) {
            std::fill(squares.begin(), squares.end(), 0.0);
            for_cells(x, weight, stripes.begin(k), stripes.end(k), [&](std::size_t j, double value, double w) {
                const double step = value - mean[j];
                squares[j] += std::isnan(value) ? 0 : w * step * step;
            });
        },
        [&](std::size_t, const std::vector<double>& squares) {
            for (std::size_t j = 0; j < d; ++j) scatter[j] += squares[j];
        });
}

template <class T, class I>
void bind(nb::module_& m) {
    m.def("sparse_column_moments", [](Vector<T> data, Vector<I> indices, Vector<I> starts, Optional<Input> weight,
                                      double all, int threads, Output total, Output mean, Output scatter) {
        expect_csr(data, indices, starts);
        expect("weight", weight, starts.size() - 1);
        expect("mean", mean, total.size());
        expect("scatter", scatter, total.size());
        const double* w = pointer(weight);
        const Csr<T, I> x{data.data(), indices.data(), starts.data(), starts.shape(0) - 1};
        call(threads, [&](const Runtime& r) {
            sparse_column_moments<T, I>(x, w, all, total.size(), r, total.data(), mean.data(), scatter.data());
        });
    }, nb::arg("data"), nb::arg("indices"), nb::arg("starts"), nb::arg("weight").none(), nb::arg("all"),
       nb::arg("threads"), nb::arg("total"), nb::arg("mean"), nb::arg("scatter"));
}

const Register registered([](nb::module_& m) {
    bind<double, std::int32_t>(m);
    bind<double, std::int64_t>(m);
    bind<float, std::int32_t>(m);
    bind<float, std::int64_t>(m);
});

}  // namespace
}  // namespace suffice
