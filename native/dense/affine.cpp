// Rows shifted, multiplied by a matrix, shifted again: what every linear transform and prediction does.
//
// Blocks of rows are multiplied by panels of the matrix. One output is a dot product instead.
#include <vector>

#include "core/binding.hpp"
#include "dense/block_products.hpp"
#include "dense/dot_rows.hpp"

namespace suffice {
namespace {

constexpr std::size_t kLong = 512;  // rows of a block where there is one output

// out (n) of one output.
template <class T>
void affine_to_one(const View<T>& x, const Coefficients& c, const Runtime& runtime, T* out) {
    const Stripes stripes(x.rows, kLong);
    auto work = [&](std::size_t k, std::vector<double>& sum) {
        for (std::size_t first = stripes.begin(k); first < stripes.end(k); first += kLong)
            dot_rows(x, first, std::min(kLong, stripes.end(k) - first), c, sum.data(), out + first);
    };
    const double operations = static_cast<double>(x.rows) * static_cast<double>(x.cols + 1);
    for_stripes(stripes.count(), operations, runtime, [] { return std::vector<double>(kLong); }, work);
}

// out (n, k) = (x − shift) matrix + offset; shift (d) may be null, matrix is (d, k), offset (k).
template <class T>
void affine(const View<T>& x, const double* shift, const double* matrix, const double* offset, std::size_t outputs,
            const Runtime& runtime, T* out) {
    if (!outputs) return;
    if (outputs == 1) return affine_to_one(x, Coefficients{matrix, shift, *offset}, runtime, out);
    const std::size_t d = x.cols;
    const Stripes stripes(x.rows, kBlock);
    const Padded padded(matrix, offset, d, outputs);
    const std::size_t width = padded.is_exact() ? outputs : padded.width;
    const Shift less(shift, d);
    struct Scratch {
        std::vector<double> rows, products;
    };
    auto work = [&](std::size_t k, Scratch& s) {
        for (std::size_t first = stripes.begin(k); first < stripes.end(k); first += kBlock) {
            const std::size_t count = std::min(kBlock, stripes.end(k) - first);
            T* block = out + first * outputs;
            double* products = s.products.data();
            if constexpr (sizeof(T) == sizeof(double)) {
                if (padded.is_exact()) products = block;
            }
            std::size_t column = 0;
            do {
                const std::size_t depth = std::min(kDepth, d - column);
                const Rows rows = centred_rows(x, column, depth, first, count, less, s.rows.data());
                multiply_block(rows, count, depth, padded, column, products, width);
                column += kDepth;
            } while (column < d);
            if (products != s.products.data()) continue;  // they are in place
            for (std::size_t i = 0; i < count; ++i)
                for (std::size_t j = 0; j < outputs; ++j)
                    block[i * outputs + j] = static_cast<T>(products[i * width + j]);
        }
    };
    for_stripes(
        stripes.count(), static_cast<double>(x.rows) * static_cast<double>(d) * static_cast<double>(outputs + 1),
        runtime,
        [&] {
            return Scratch{std::vector<double>(kBlock * std::min(d, kDepth)),
                           std::vector<double>(kBlock * padded.width)};
        },
        work);
}

template <class T>
void bind(nb::module_& m) {
    m.def("affine", [](Matrix<T> x, Optional<Input> shift, Full<double> matrix, Input offset, int threads,
                       Result<T> out) {
        expect("shift", shift, x.shape(1));
        expect("matrix", matrix, x.shape(1) * offset.size());
        expect("out", out, x.shape(0) * offset.size());
        const double* s = pointer(shift);
        call(threads, [&](const Runtime& r) {
            affine<T>(view<T>(x), s, matrix.data(), offset.data(), offset.size(), r, out.data());
        });
    }, nb::arg("x"), nb::arg("shift").none(), nb::arg("matrix"), nb::arg("offset"), nb::arg("threads"),
       nb::arg("out"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
