// Columns shifted, scaled and shifted again, each by its own numbers: what standardising and its inverse do.
#include <vector>

#include "core/binding.hpp"

namespace suffice {
namespace {

constexpr std::size_t kLongRow = 512;       // cells: short rows that follow one another are worked on as longer ones
constexpr std::size_t kStripeCells = 8192;  // at least so many in a stripe

// What is subtracted, multiplied by and added, of each column; the first and the last may be null.
template <class T>
struct Scaling {
    const T *before, *factor, *after;
};

template <class T>
void scale_row(const T* in, std::size_t count, const Scaling<T>& s, T* out) {
    if (s.before && s.after)
        for (std::size_t j = 0; j < count; ++j) out[j] = (in[j] - s.before[j]) * s.factor[j] + s.after[j];
    else if (s.before)
        for (std::size_t j = 0; j < count; ++j) out[j] = (in[j] - s.before[j]) * s.factor[j];
    else if (s.after)
        for (std::size_t j = 0; j < count; ++j) out[j] = in[j] * s.factor[j] + s.after[j];
    else
        for (std::size_t j = 0; j < count; ++j) out[j] = in[j] * s.factor[j];
}

// One column, whose cells lie `step` apart.
template <class T>
void scale_column(const T* in, std::ptrdiff_t step, std::size_t count, T before, T factor, T after, T* out) {
    if (step == 1)
        for (std::size_t i = 0; i < count; ++i) out[i] = (in[i] - before) * factor + after;
    else
        for (std::size_t i = 0; i < count; ++i, in += step) out[i] = (*in - before) * factor + after;
}

// The numbers of each column over and over again, so that many short rows are one long one; null stays null.
template <class T>
std::vector<T> repeated(const T* each, std::size_t d, std::size_t times) {
    std::vector<T> all;
    for (std::size_t i = 0; each && i < times; ++i) all.insert(all.end(), each, each + d);
    return all;
}

// out (n, d) by rows, of rows (n, d).
template <class T>
void scale_by_rows(const View<T>& x, const Scaling<T>& each, const Runtime& runtime, T* out) {
    const std::size_t d = x.cols;
    const bool follow = x.col_stride == 1 && x.row_stride == static_cast<std::ptrdiff_t>(d);
    const std::size_t together = follow ? std::max<std::size_t>(1, kLongRow / d) : 1;  // rows
    const std::vector<T> before = repeated(each.before, d, together), factor = repeated(each.factor, d, together),
                         after = repeated(each.after, d, together);
    const Scaling<T> s{each.before ? before.data() : nullptr, factor.data(), each.after ? after.data() : nullptr};
    const Stripes stripes(x.rows, std::max<std::size_t>(1, kStripeCells / d));
    auto work = [&](std::size_t k, std::vector<T>& row) {
        for (std::size_t i = stripes.begin(k); i < stripes.end(k); i += together) {
            const std::size_t rows = std::min(together, stripes.end(k) - i);
            const T* in = &x.at(i, 0);
            if (x.col_stride != 1) {
                for (std::size_t j = 0; j < d; ++j) row[j] = x.at(i, j);
                in = row.data();
            }
            scale_row(in, rows * d, s, out + i * d);
        }
    };
    for_stripes(stripes.count(), static_cast<double>(x.rows) * static_cast<double>(d), runtime,
                [&] { return std::vector<T>(x.col_stride == 1 ? 0 : d); }, work);
}

// out (d, n) by rows: column after column.
template <class T>
void scale_by_columns(const View<T>& x, const Scaling<T>& each, const Runtime& runtime, T* out) {
    const Stripes stripes(x.rows, kStripeCells);
    auto work = [&](std::size_t k, int&) {
        const std::size_t j = k / stripes.count(), own = k % stripes.count(), first = stripes.begin(own);
        scale_column(&x.at(first, j), x.row_stride, stripes.end(own) - first, each.before ? each.before[j] : T(0),
                     each.factor[j], each.after ? each.after[j] : T(0), out + j * x.rows + first);
    };
    for_stripes(stripes.count() * x.cols, static_cast<double>(x.rows) * static_cast<double>(x.cols), runtime,
                [] { return 0; }, work);
}

template <class T>
void bind(nb::module_& m) {
    m.def("scale_columns", [](Matrix<T> x, Optional<Vector<T>> before, Vector<T> factor, Optional<Vector<T>> after,
                              bool by_columns, int threads, Result<T> out) {
        expect("before", before, x.shape(1));
        expect("factor", factor, x.shape(1));
        expect("after", after, x.shape(1));
        expect("out", out, x.shape(0) * x.shape(1));
        if (out.size() == 0) return;
        const Scaling<T> each{pointer(before), factor.data(), pointer(after)};
        call(threads, [&](const Runtime& r) {
            if (by_columns) scale_by_columns<T>(view<T>(x), each, r, out.data());
            else scale_by_rows<T>(view<T>(x), each, r, out.data());
        });
    }, nb::arg("x"), nb::arg("before").none(), nb::arg("factor"), nb::arg("after").none(), nb::arg("by_columns"),
       nb::arg("threads"), nb::arg("out"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
