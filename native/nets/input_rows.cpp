// Some rows as a net takes them: each column shifted and scaled, 0 for what is missing.
#include "core/binding.hpp"

namespace suffice {
namespace {

constexpr std::size_t kStripeCells = 16384;  // at least so many in a stripe

// The places of the rows; null for all of them in their order.
template <class T>
struct Taken {
    View<T> x;
    const std::int64_t* rows;
    const T *shift, *factor;

    std::size_t place(std::size_t i) const { return rows ? static_cast<std::size_t>(rows[i]) : i; }
};

// One cell into `out`; whether it was missing.
template <class T>
bool write_cell(T x, T shift, T factor, T& out) {
    const T value = (x - shift) * factor;
    const bool missing = value != value;
    out = missing ? T(0) : value;
    return missing;
}

// Rows [first, end), whose cells follow one another.
template <class T>
bool write_rows(const Taken<T>& from, std::size_t first, std::size_t end, T* out) {
    const std::size_t d = from.x.cols;
    bool missing = false;
    for (std::size_t i = first; i < end; ++i) {
        const T* row = &from.x.at(from.place(i), 0);
        int bad = 0;
        for (std::size_t j = 0; j < d; ++j) bad |= write_cell(row[j], from.shift[j], from.factor[j], out[i * d + j]);
        missing |= bad != 0;
    }
    return missing;
}

// The same of rows that lie in any other way, column by column: neighbours in memory are mostly rows then.
template <class T>
bool write_columns(const Taken<T>& from, std::size_t first, std::size_t end, T* out) {
    const std::size_t d = from.x.cols;
    bool missing = false;
    for (std::size_t j = 0; j < d; ++j)
        for (std::size_t i = first; i < end; ++i)
            missing |= write_cell(from.x.at(from.place(i), j), from.shift[j], from.factor[j], out[i * d + j]);
    return missing;
}

template <class T>
bool input_rows(const Taken<T>& from, std::size_t count, const Runtime& runtime, T* out) {
    const std::size_t d = from.x.cols;
    const Stripes stripes(count, std::max<std::size_t>(1, kStripeCells / std::max<std::size_t>(1, d)));
    std::atomic<bool> missing{false};
    for_stripes(stripes.count(), static_cast<double>(count) * static_cast<double>(d), runtime, [] { return 0; },
                [&](std::size_t s, int&) {
                    const auto write = from.x.col_stride == 1 ? write_rows<T> : write_columns<T>;
                    if (write(from, stripes.begin(s), stripes.end(s), out)) missing = true;
                });
    return missing;
}

template <class T>
void bind(nb::module_& m) {
    m.def("input_rows", [](Matrix<T> x, Optional<Codes> rows, Vector<T> shift, Vector<T> factor, int threads,
                           Result<T> out) {
        const std::size_t count = rows ? rows->size() : x.shape(0);
        expect("shift", shift, x.shape(1));
        expect("factor", factor, x.shape(1));
        expect("out", out, count * x.shape(1));
        const std::int64_t* places = pointer(rows);
        expect_below("rows", rows, x.shape(0), 0, threads);
        if (out.size() == 0) return false;
        const Taken<T> from{view<T>(x), places, shift.data(), factor.data()};
        return call(threads, [&](const Runtime& r) { return input_rows<T>(from, count, r, out.data()); });
    }, nb::arg("x"), nb::arg("rows").none(), nb::arg("shift"), nb::arg("factor"), nb::arg("threads"), nb::arg("out"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
