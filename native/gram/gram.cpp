// The kernel matrix of the rows of two tables, or among those of one, of which half is computed.
#include <nanobind/stl/string.h>

#include <string>

#include "core/binding.hpp"
#include "gram/kernel_rows.hpp"

namespace suffice {
namespace {

struct Scratch {
    std::vector<double> rows, tile, squared;
};

// out (n, m); without `symmetric` for any x. Blocks of rows are stripes: every block writes cells of its own.
template <class T, class Finish>
void gram(const View<T>& x, const PackedRows& y, const double* shift, bool symmetric, const Finish& finish,
          const Runtime& runtime, T* out) {
    const std::size_t d = x.cols, m = y.rows;
    const Shift less(shift, d);
    auto work = [&](std::size_t block, Scratch& s) {
        const std::size_t first = block * kBlock, count = std::min(kBlock, x.rows - first);
        const Rows rows = centred_rows(x, 0, d, first, count, less, s.rows.data());
        for (std::size_t i = 0; i < count; ++i) s.squared[i] = squared_length(rows.data + i * rows.stride, d);
        for (std::size_t p = symmetric ? first / kPanelRows : 0; p < y.panels; ++p) {
            const std::size_t column = p * kPanelRows, width = std::min(kPanelRows, m - column);
            kernel_tile(y, rows, s.squared.data(), count, p, finish, s.tile.data());
            for (std::size_t i = 0; i < count; ++i)
                for (std::size_t l = 0; l < width; ++l)
                    out[(first + i) * m + column + l] = static_cast<T>(s.tile[i * kPanelRows + l]);
            if (!symmetric || column < first + kBlock) continue;
            for (std::size_t l = 0; l < width; ++l)
                for (std::size_t i = 0; i < count; ++i)
                    out[(column + l) * m + first + i] = static_cast<T>(s.tile[i * kPanelRows + l]);
        }
    };
    const double cells = static_cast<double>(x.rows) * static_cast<double>(m) / (symmetric ? 2 : 1);
    for_stripes(
        (x.rows + kBlock - 1) / kBlock, cells * static_cast<double>(d + 12), runtime,
        [&] {
            return Scratch{std::vector<double>(kBlock * d), std::vector<double>(kBlock * kPanelRows),
                           std::vector<double>(kBlock)};
        },
        work);
}

template <class T>
void bind(nb::module_& m) {
    m.def("gram", [](Matrix<T> x, Matrix<T> y, bool symmetric, const std::string& kind, double scale, double constant,
                     int degree, Optional<Input> shift, int threads, Result<T> out) {
        expect("y", y, y.shape(0) * x.shape(1));
        expect("out", out, x.shape(0) * y.shape(0));
        expect("shift", shift, x.shape(1));
        if (symmetric) expect("y", y, x.shape(0) * x.shape(1));
        const double* less = pointer(shift);
        call(threads, [&](const Runtime& r) {
            if (!out.size()) return;
            const View<T> rows = view<T>(x);
            const PackedRows others(view<T>(y), less);
            with_kernel(kind, scale, constant, degree, std::is_same_v<T, float>, [&](const auto& finish) {
                gram(rows, others, less, symmetric, finish, r, out.data());
            });
        });
    }, nb::arg("x"), nb::arg("y"), nb::arg("symmetric"), nb::arg("kind"), nb::arg("scale"), nb::arg("constant"),
       nb::arg("degree"), nb::arg("shift").none(), nb::arg("threads"), nb::arg("out"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
