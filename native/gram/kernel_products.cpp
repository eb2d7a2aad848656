// The kernel matrix of two tables times a few columns, without ever being there: each tile is used while it is in the cache.
#include <nanobind/stl/string.h>

#include "core/binding.hpp"
#include "gram/kernel_rows.hpp"

namespace suffice {
namespace {

struct Scratch {
    std::vector<double> rows, tile, squared, sums;
};

// sums (count, p vectors) += tile (count, kPanelRows) · columns (p, width), of which the panel begins at `columns`.
void add_products(const double* tile, std::size_t count, const double* columns, std::size_t width, std::size_t p,
                  double* sums) {
    for (std::size_t i = 0; i < count; ++i, tile += kPanelRows, sums += p * kLanes)
        for (std::size_t c = 0; c < p; ++c) {
            Vec sum = load(sums + c * kLanes);
            for (std::size_t l = 0; l < kPanelRows; l += kLanes) sum += load(tile + l) * load(columns + c * width + l);
            store(sums + c * kLanes, sum);
        }
}

// With `rounded`, kernels are those of single precision.
// out (n, p) = kernel of x (n, d) with the rows in panels, times columns (p, width), 0 beyond the rows.
template <class T, class Finish>
void multiply(const View<T>& x, const Panels& y, const double* shift, const double* columns, std::size_t p,
              const Finish& finish, bool rounded, const Runtime& runtime, double* out) {
    const std::size_t d = x.cols, width = y.panels * kPanelRows;
    const Shift less(shift, d);
    auto work = [&](std::size_t block, Scratch& s) {
        const std::size_t first = block * kBlock, count = std::min(kBlock, x.rows - first);
        const Rows rows = centred_rows(x, 0, d, first, count, less, s.rows.data());
        for (std::size_t i = 0; i < count; ++i) s.squared[i] = squared_length(rows.data + i * rows.stride, d);
        std::fill(s.sums.begin(), s.sums.end(), 0.0);
        for (std::size_t panel = 0; panel < y.panels; ++panel) {
            kernel_tile(y, rows, s.squared.data(), count, panel, finish, s.tile.data());
            if (rounded)
                for (std::size_t l = 0; l < count * kPanelRows; ++l) s.tile[l] = static_cast<float>(s.tile[l]);
            add_products(s.tile.data(), count, columns + panel * kPanelRows, width, p, s.sums.data());
        }
        for (std::size_t i = 0; i < count * p; ++i) out[first * p + i] = sum_lanes(load(&s.sums[i * kLanes]));
    };
    const double cells = static_cast<double>(x.rows) * static_cast<double>(width);
    for_stripes(
        (x.rows + kBlock - 1) / kBlock, cells * static_cast<double>(d + p + 12), runtime,
        [&] {
            return Scratch{std::vector<double>(kBlock * d), std::vector<double>(kBlock * kPanelRows),
                           std::vector<double>(kBlock), std::vector<double>(kBlock * p * kLanes)};
        },
        work);
}

template <class T>
void bind(nb::module_& m) {
    m.def("kernel_products", [](Matrix<T> x, Input cells, Input lengths, std::size_t rows, Optional<Input> shift,
                                const std::string& kind, double scale, double constant, int degree, Full<double> columns,
                                bool rounded, int threads, Output out) {
        const std::size_t d = x.shape(1), padded = panel_count(rows) * kPanelRows, p = columns.shape(0);
        expect("lengths", lengths, padded);
        expect("cells", cells, padded * d);
        expect("shift", shift, d);
        expect("columns", columns, p * padded);
        expect("out", out, x.shape(0) * p);
        const Panels y{rows, d, panel_count(rows), cells.data(), lengths.data()};
        const double *less = pointer(shift), *right = columns.data();
        const View<T> left = view<T>(x);
        double* into = out.data();
        call(threads, [&](const Runtime& r) {
            with_kernel(kind, scale, constant, degree, rounded,
                        [&](const auto& finish) { multiply(left, y, less, right, p, finish, rounded, r, into); });
        });
    }, nb::arg("x"), nb::arg("cells"), nb::arg("lengths"), nb::arg("rows"), nb::arg("shift").none(), nb::arg("kind"),
       nb::arg("scale"), nb::arg("constant"), nb::arg("degree"), nb::arg("columns"), nb::arg("rounded"),
       nb::arg("threads"), nb::arg("out"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
