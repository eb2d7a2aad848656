// The distances of all pairs of rows: what the columns add, summed (or the largest), then finished.
//
// A matrix of x with itself is computed from the diagonal on and mirrored, so it is symmetric to the bit.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/binding.hpp"
#include "distances/all_pairs.hpp"
#include "distances/pair_sums.hpp"

namespace suffice {
namespace {

constexpr std::size_t kBlock = 64;  // rows of x in the cache at once

enum class Layout { kFull, kSymmetric, kCondensed };

struct Target {
    void* data;
    bool is_single;
    Layout layout;
    std::size_t n;  // columns of the matrix

    void put(std::size_t at, const double* values, std::size_t count, std::size_t step) const {
        if (is_single)
            for (std::size_t k = 0; k < count; ++k) static_cast<float*>(data)[at + k] = static_cast<float>(values[k * step]);
        else
            for (std::size_t k = 0; k < count; ++k) static_cast<double*>(data)[at + k] = values[k * step];
    }

    // The block of rows from `first` and columns from `left`, kPanel apart in `values`.
    void put_block(std::size_t first, std::size_t count, std::size_t left, std::size_t width, const double* values) const {
        if (layout == Layout::kCondensed) {
            for (std::size_t i = first; i < first + count; ++i) {
                const std::size_t from = std::max(left, i + 1);
                if (from < left + width)
                    put(i * n - i * (i + 1) / 2 + from - i - 1, values + (i - first) * kPanel + from - left,
                        left + width - from, 1);
            }
            return;
        }
        const std::size_t from = layout == Layout::kSymmetric ? std::max(left, first) : left;  // columns before are mirrored
        for (std::size_t i = 0; i < count; ++i)
            put((first + i) * n + from, values + i * kPanel + from - left, left + width - from, 1);
        if (layout == Layout::kSymmetric)
            for (std::size_t j = from; j < left + width; ++j) put(j * n + first, values + j - left, count, kPanel);
    }
};

void all_pairs(const Rows& x, const Rows& y, const PairSums& sums, const Target& out, const Runtime& runtime) {
    const std::size_t d = x.cols;
    const std::vector<double> panels = packed(y);
    const Stripes stripes(x.rows, kBlock);
    struct Scratch {
        std::vector<double> rows, values;
    };
    auto block = [&](std::size_t first, std::size_t count, Scratch& scratch) {
        x.copy(first, count, scratch.rows.data());
        double* values = scratch.values.data();
        for (std::size_t p = out.layout == Layout::kFull ? 0 : first / kPanel; p * kPanel < y.rows; ++p) {
            sums.panel(scratch.rows.data(), count, d, panels.data() + p * kPanel * d, values);
            out.put_block(first, count, p * kPanel, std::min(kPanel, y.rows - p * kPanel), values);
        }
    };
    auto work = [&](std::size_t s, Scratch& scratch) {
        for (std::size_t first = stripes.begin(s); first < stripes.end(s); first += kBlock)
            block(first, std::min(kBlock, stripes.end(s) - first), scratch);
    };
    const double operations = static_cast<double>(x.rows) * static_cast<double>(y.rows) * static_cast<double>(2 * d + 4);
    for_stripes(
        stripes.count(), operations, runtime,
        [&] { return Scratch{std::vector<double>(kBlock * d), std::vector<double>(kBlock * kPanel)}; }, work);
}

}  // namespace

template <class T>
void symmetric_pairs(const Rows& x, const PairSums& sums, T* out, const Runtime& runtime) {
    all_pairs(x, x, sums, Target{out, sizeof(T) == sizeof(float), Layout::kSymmetric, x.rows}, runtime);
}
template void symmetric_pairs(const Rows&, const PairSums&, double*, const Runtime&);
template void symmetric_pairs(const Rows&, const PairSums&, float*, const Runtime&);

namespace {

template <class T, class O>
void bind(nb::module_& m) {
    m.def("pairwise", [](Matrix<T> x, Matrix<T> y, const std::string& kind, double p, std::size_t numbers,
                         const std::string& finish, Optional<Input> weight, double scale, const std::string& layout,
                         int threads, Result<O> out) {
        const std::size_t n = x.shape(0), m = y.shape(0);
        expect("y", y, m * x.shape(1));
        expect("weight", weight, x.shape(1));
        if (layout != "full") expect("y", y, n * x.shape(1));
        expect("out", out, layout == "condensed" ? n * (n - 1) / 2 : n * m);
        const Rows a(view<T>(x)), b(view<T>(y));
        const PairSums sums = pair_sums(kind, p, numbers, make_form(finish, p, pointer(weight), scale));
        const Layout shape = layout == "full"        ? Layout::kFull
                             : layout == "symmetric" ? Layout::kSymmetric
                                                     : Layout::kCondensed;
        const Target target{out.data(), sizeof(O) == sizeof(float), shape, b.rows};
        call(threads, [&](const Runtime& r) { all_pairs(a, b, sums, target, r); });
    }, nb::arg("x"), nb::arg("y"), nb::arg("kind"), nb::arg("p"), nb::arg("numbers"),
       nb::arg("finish"), nb::arg("weight").none(), nb::arg("scale"), nb::arg("layout"), nb::arg("threads"),
       nb::arg("out"));
}

const Register registered([](nb::module_& m) {
    bind<double, double>(m);
    bind<float, float>(m);
    bind<double, float>(m);
});

}  // namespace
}  // namespace suffice
