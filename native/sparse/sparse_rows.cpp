// Rows of a CSR matrix: summed by group, multiplied by a matrix of few columns, and by two vectors with their squares.
#include <vector>

#include "core/binding.hpp"
#include "sparse/csr.hpp"

namespace suffice {
namespace {

// sums (groups, d): each group's rows, listed at order[ends[g - 1]] to order[ends[g]], by its own thread; nothing is
// merged. Weights are those of the list.
template <class T, class I>
void sparse_group_sums(const Csr<T, I>& x, const std::int64_t* listed, const std::int64_t* order,
                       const std::int64_t* ends, const double* weight, std::size_t groups, std::size_t d,
                       const Runtime& runtime, double* sums) {
    auto work = [&](std::size_t g, int&) {
        double* own = sums + g * d;
        for (std::int64_t r = g == 0 ? 0 : ends[g - 1]; r < ends[g]; ++r) {
            const std::size_t i = static_cast<std::size_t>(listed[order[r]]);
            const double w = weight ? weight[order[r]] : 1.0;
            if (w == 0) continue;
            for (I p = x.starts[i]; p < x.starts[i + 1]; ++p) own[x.indices[p]] += w * static_cast<double>(x.data[p]);
        }
    };
    const double operations = static_cast<double>(x.starts[x.rows]) * 4;
    for_stripes(groups, operations, runtime, [] { return 0; }, work);
}

// out (n) = x slope + offset, of one column of coefficients: sums of every other cell run beside each other.
template <class T, class I>
void sparse_dot(const Csr<T, I>& x, const double* slope, double offset, const Runtime& runtime, double* out) {
    const Stripes stripes(x.rows, 256);
    auto work = [&](std::size_t s, int&) {
        for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i) {
            double sum[4] = {};
            const I end = x.starts[i + 1];
            I p = x.starts[i];
            for (; p + 4 <= end; p += 4)
                for (I l = 0; l < 4; ++l) sum[l] += static_cast<double>(x.data[p + l]) * slope[x.indices[p + l]];
            for (; p < end; ++p) sum[0] += static_cast<double>(x.data[p]) * slope[x.indices[p]];
            out[i] = offset + ((sum[0] + sum[1]) + (sum[2] + sum[3]));
        }
    };
    const double operations = static_cast<double>(x.starts[x.rows]) * 6;  // a cell is found by its place
    for_stripes(stripes.count(), operations, runtime, [] { return 0; }, work);
}

// out (n, k) = x matrix + offset, with matrix (d, width) by rows: k columns, and zeros up to a multiple of 8, or one column.
template <class T, class I>
void sparse_affine(const Csr<T, I>& x, const double* matrix, const double* offset, std::size_t width, std::size_t k,
                   const Runtime& runtime, double* out) {
    if (width == 1) return sparse_dot(x, matrix, *offset, runtime, out);
    const Stripes stripes(x.rows, 256);
    auto work = [&](std::size_t s, std::vector<double>& sum) {
        for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i) {
            multiply_whole_row(x, i, matrix, width, sum.data());
            for (std::size_t c = 0; c < k; ++c) out[i * k + c] = sum[c] + offset[c];
        }
    };
    const double operations = static_cast<double>(x.starts[x.rows]) * static_cast<double>(k);
    for_stripes(stripes.count(), operations, runtime, [&] { return std::vector<double>(width); }, work);
}

// out (n, 3): of each row Σ a x, Σ b x and Σ b x², with pair (d, 2) = (a, b) of the columns.
template <class T, class I>
void sparse_curved(const Csr<T, I>& x, const double* pair, const Runtime& runtime, double* out) {
    const Stripes stripes(x.rows, 256);
    auto work = [&](std::size_t s, int&) {
        for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i) {
            double sum[2][3] = {};  // those of every other cell run beside each other
            const I end = x.starts[i + 1];
            I p = x.starts[i];
            auto add = [&](I place, double* own) {
                const double cell = static_cast<double>(x.data[place]);
                const double* ab = pair + 2 * static_cast<std::size_t>(x.indices[place]);
                const double bent = ab[1] * cell;
                own[0] += ab[0] * cell;
                own[1] += bent;
                own[2] += bent * cell;
            };
            for (; p + 2 <= end; p += 2) add(p, sum[0]), add(p + 1, sum[1]);
            if (p < end) add(p, sum[0]);
            for (std::size_t c = 0; c < 3; ++c) out[3 * i + c] = sum[0][c] + sum[1][c];
        }
    };
    const double operations = static_cast<double>(x.starts[x.rows]) * 10;  // a cell is found by its place
    for_stripes(stripes.count(), operations, runtime, [] { return 0; }, work);
}

template <class T, class I>
void bind(nb::module_& m) {
    m.def("sparse_group_sums", [](Vector<T> data, Vector<I> indices, Vector<I> starts, Codes listed, Codes order,
                                  Codes ends, Optional<Input> weight, std::size_t d, int threads, Output sums) {
        expect_csr(data, indices, starts);
        expect("order", order, listed.size());
        expect_below("listed", listed, starts.size() - 1);
        expect_below("order", order, listed.size());
        expect_ends("ends", ends, listed.size());
        expect("weight", weight, listed.size());
        expect("sums", sums, ends.size() * d);
        const double* w = pointer(weight);
        const Csr<T, I> x{data.data(), indices.data(), starts.data(), starts.shape(0) - 1};
        call(threads, [&](const Runtime& r) {
            sparse_group_sums<T, I>(x, listed.data(), order.data(), ends.data(), w, ends.shape(0), d, r, sums.data());
        });
    }, nb::arg("data"), nb::arg("indices"), nb::arg("starts"),
       nb::arg("listed"), nb::arg("order"), nb::arg("ends"), nb::arg("weight").none(), nb::arg("d"),
       nb::arg("threads"), nb::arg("sums"));
    m.def("sparse_affine", [](Vector<T> data, Vector<I> indices, Vector<I> starts, std::size_t d, Full<double> matrix,
                              Input offset, int threads, Output out) {
        expect_csr(data, indices, starts);
        expect("matrix", matrix, d * matrix.shape(1));
        expect("out", out, (starts.size() - 1) * offset.size());
        if (matrix.shape(1) == 1) expect("offset", offset, 1);
        else if (matrix.shape(1) % 8 || matrix.shape(1) < offset.size())
            throw nb::value_error("the matrix must have a column for each result, and eights of them");
        const Csr<T, I> x{data.data(), indices.data(), starts.data(), starts.shape(0) - 1};
        call(threads, [&](const Runtime& r) {
            sparse_affine<T, I>(x, matrix.data(), offset.data(), matrix.shape(1), offset.shape(0), r, out.data());
        });
    }, nb::arg("data"), nb::arg("indices"), nb::arg("starts"),
       nb::arg("d"), nb::arg("matrix"), nb::arg("offset"), nb::arg("threads"), nb::arg("out"));
    m.def("sparse_curved", [](Vector<T> data, Vector<I> indices, Vector<I> starts, std::size_t d, Full<double> pair,
                              int threads, Output out) {
        expect_csr(data, indices, starts);
        expect("pair", pair, d * 2);
        expect("out", out, (starts.size() - 1) * 3);
        const Csr<T, I> x{data.data(), indices.data(), starts.data(), starts.shape(0) - 1};
        call(threads, [&](const Runtime& r) { sparse_curved<T, I>(x, pair.data(), r, out.data()); });
    }, nb::arg("data"), nb::arg("indices"), nb::arg("starts"), nb::arg("d"), nb::arg("pair"), nb::arg("threads"),
       nb::arg("out"));
}

const Register registered([](nb::module_& m) {
    bind<double, std::int32_t>(m);
    bind<double, std::int64_t>(m);
    bind<float, std::int32_t>(m);
    bind<float, std::int64_t>(m);
});

}  // namespace
}  // namespace suffice
