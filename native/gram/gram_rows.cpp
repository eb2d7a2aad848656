// Some rows of a kernel matrix at a time, of rows that lie in panels already: for work that comes back for more of them.
#include <nanobind/stl/string.h>

#include "core/binding.hpp"
#include "gram/kernel_rows.hpp"

namespace suffice {
namespace {

constexpr std::size_t kPanelsOfStripe = 8;
constexpr std::size_t kTogether = 8;  // rows that share a load of what they are subtracted from

struct Scratch {
    std::vector<double> tile;
};

// Row slots[i] of out (slots, width) becomes the kernel of x_i with all rows in panels; x has the shift taken off.
template <class Finish, class O>
void fill(const Panels& y, const Rows& x, std::size_t count, const Finish& finish, const std::int64_t* slots,
          const Runtime& runtime, O* out, std::size_t width) {
    std::vector<double> squared(count);
    for (std::size_t i = 0; i < count; ++i) squared[i] = squared_length(x.data + i * x.stride, y.cols);
    auto work = [&](std::size_t stripe, Scratch& s) {
        for (std::size_t first = 0; first < count; first += kBlock) {
            const std::size_t own = std::min(kBlock, count - first);
            const Rows block{x.data + first * x.stride, x.stride};
            for (std::size_t p = stripe * kPanelsOfStripe; p < std::min(y.panels, (stripe + 1) * kPanelsOfStripe); ++p) {
                const std::size_t column = p * kPanelRows, cells = std::min(kPanelRows, y.rows - column);
                kernel_tile(y, block, squared.data() + first, own, p, finish, s.tile.data());
                for (std::size_t i = 0; i < own; ++i) {
                    O* to = out + static_cast<std::size_t>(slots[first + i]) * width + column;
                    for (std::size_t l = 0; l < cells; ++l) to[l] = static_cast<O>(s.tile[i * kPanelRows + l]);
                }
            }
        }
    };
    const double work_of_all = static_cast<double>(count) * static_cast<double>(y.rows) * static_cast<double>(y.cols + 12);
    for_stripes((y.panels + kPanelsOfStripe - 1) / kPanelsOfStripe, work_of_all, runtime,
                [] { return Scratch{std::vector<double>(kBlock * kPanelRows)}; }, work);
}

template <class T>
void bind_pack(nb::module_& m) {
    m.def("gram_pack", [](Matrix<T> y, Optional<Input> shift, Output cells, Output lengths) {
        const std::size_t padded = panel_count(y.shape(0)) * kPanelRows;
        expect("shift", shift, y.shape(1));
        expect("cells", cells, padded * y.shape(1));
        expect("lengths", lengths, padded);
        const double* less = pointer(shift);
        const View<T> rows = view<T>(y);
        call(1, [&](const Runtime&) { pack_rows(rows, less, cells.data(), lengths.data()); });
    }, nb::arg("y"), nb::arg("shift").none(), nb::arg("cells"), nb::arg("lengths"));
}

template <class O>
void bind_rows(nb::module_& m) {
    m.def("gram_rows", [](Input cells, Input lengths, std::size_t n, Full<double> x, const std::string& kind,
                          double scale, double constant, int degree, Codes slots, int threads, Result<O> out) {
        const std::size_t d = x.shape(1), count = x.shape(0), width = n;
        expect("lengths", lengths, panel_count(n) * kPanelRows);
        expect("cells", cells, panel_count(n) * kPanelRows * d);
        expect("slots", slots, count);
        expect_below("slots", slots, width ? out.size() / width : 0);
        const Panels all{n, d, panel_count(n), cells.data(), lengths.data()};
        const Rows rows{x.data(), d};
        const std::int64_t* to = slots.data();
        O* into = out.data();
        call(threads, [&](const Runtime& r) {
            with_kernel(kind, scale, constant, degree, std::is_same_v<O, float>,
                        [&](const auto& finish) { fill(all, rows, count, finish, to, r, into, width); });
        });
    }, nb::arg("cells"), nb::arg("lengths"), nb::arg("n"), nb::arg("x"), nb::arg("kind"), nb::arg("scale"),
       nb::arg("constant"), nb::arg("degree"), nb::arg("slots"), nb::arg("threads"), nb::arg("out"));
}

// out −= Σ factor_r row_r, one after the other, of R rows.
template <std::size_t R, class T>
void subtract(const T* const (&rows)[R], const double* factor, std::size_t width, double* out) {
    std::size_t l = 0;
    for (; l + kLanes <= width; l += kLanes) {
        Vec v = load(out + l);
        for (std::size_t r = 0; r < R; ++r) v -= broadcast(factor[r]) * load_doubles(rows[r] + l);
        store(out + l, v);
    }
    for (; l < width; ++l)
        for (std::size_t r = 0; r < R; ++r) out[l] -= factor[r] * static_cast<double>(rows[r][l]);
}

// rows (slots, n): v −= Σ by_k row slots[k], in the order of k for every cell.
template <class T>
void bind_subtract(nb::module_& m) {
    m.def("subtract_rows", [](Full<T> rows, Codes slots, Vector<double> by, int threads, Output v) {
        const std::size_t n = rows.shape(1), count = slots.size();
        expect("by", by, count);
        expect("v", v, n);
        for (std::size_t i = 0; i < count; ++i)
            if (slots.data()[i] < 0 || static_cast<std::size_t>(slots.data()[i]) >= rows.shape(0))
                throw nb::value_error("a slot is out of range");
        const T* cells = rows.data();
        const std::int64_t* place = slots.data();
        const double* factor = by.data();
        double* out = v.data();
        constexpr std::size_t kCells = 512;
        call(threads, [&](const Runtime& r) {
            for_stripes((n + kCells - 1) / kCells, static_cast<double>(n) * static_cast<double>(count), r,
                        [] { return 0; }, [&](std::size_t stripe, int&) {
                const std::size_t first = stripe * kCells, width = std::min(kCells, n - first);
                std::size_t k = 0;
                auto row = [&](std::size_t at) { return cells + static_cast<std::size_t>(place[at]) * n + first; };
                for (; k + kTogether <= count; k += kTogether) {
                    const T* from[kTogether];
                    for (std::size_t r = 0; r < kTogether; ++r) from[r] = row(k + r);
                    subtract<kTogether>(from, factor + k, width, out + first);
                }
                for (; k < count; ++k) {
                    const T* from[1] = {row(k)};
                    subtract<1>(from, factor + k, width, out + first);
                }
            });
        });
    }, nb::arg("rows"), nb::arg("slots"), nb::arg("by"), nb::arg("threads"), nb::arg("v"));
}

const Register registered([](nb::module_& m) {
    bind_pack<double>(m);
    bind_pack<float>(m);
    bind_rows<double>(m);
    bind_rows<float>(m);
    bind_subtract<double>(m);
    bind_subtract<float>(m);
    m.def("gram_panel_rows", [] { return kPanelRows; });
});

}  // namespace
}  // namespace suffice
