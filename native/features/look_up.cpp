// Numbers from a list of each column, by their places there.
#include "core/binding.hpp"

namespace suffice {
namespace {

constexpr std::size_t kStripeCells = 8192;  // at least so many in a stripe
constexpr std::size_t kPiece = 256;         // about so many cells are looked up in one loop

// Cells that follow one another: where the list of each begins, and its last place.
template <class T>
void look_up_cells(const T* __restrict in, const std::int32_t* __restrict first, const T* __restrict last,
                   std::size_t count, const T* __restrict values, T* __restrict out) {
    for (std::size_t c = 0; c < count; ++c) {
        T place = in[c] > T(0) ? in[c] : T(0);
        place = place < last[c] ? place : last[c];
        const T found = values[first[c] + static_cast<std::int32_t>(place)];
        out[c] = in[c] == in[c] ? found : in[c];
    }
}

// The lists of all columns, one after the other; none is empty, and places beyond its ends are those of the ends.
template <class T>
struct Lists {
    const T* values;
    std::vector<std::int32_t> first;
    std::vector<T> last;
};

// out (n, d) by rows, or (d, n) column by column; cells are taken a piece at a time, so that pieces are long.
template <class T>
void look_up(const View<T>& x, const Lists<T>& lists, bool by_columns, const Runtime& runtime, T* out) {
    const std::size_t d = x.cols;
    const Stripes stripes(x.rows, std::max<std::size_t>(1, kStripeCells / std::max<std::size_t>(1, d)));
    const bool by_rows = !by_columns && d > 1;
    const std::size_t fold = by_rows ? std::max<std::size_t>(1, kPiece / d) : kPiece;  // rows of a piece
    auto work = [&](std::size_t s, std::vector<T>& cells) {
        std::vector<std::int32_t> first(by_rows ? fold * d : fold);
        std::vector<T> last(first.size());
        for (std::size_t j = 0; j < (by_rows ? 1 : d); ++j) {
            for (std::size_t c = 0; c < first.size(); ++c) {
                first[c] = lists.first[by_rows ? c % d : j];
                last[c] = lists.last[by_rows ? c % d : j];
            }
            for (std::size_t i = stripes.begin(s); i < stripes.end(s); i += fold) {
                const std::size_t rows = std::min(fold, stripes.end(s) - i), columns = by_rows ? d : 1;
                const std::ptrdiff_t step = static_cast<std::ptrdiff_t>(d);
                const T* in = &x.at(i, j);
                if (by_rows ? x.col_stride != 1 || x.row_stride != step : x.row_stride != 1) {
                    for (std::size_t r = 0; r < rows; ++r)
                        for (std::size_t c = 0; c < columns; ++c) cells[r * columns + c] = x.at(i + r, j + c);
                    in = cells.data();
                }
                T* to = by_rows ? out + i * d : out + j * x.rows + i;
                look_up_cells(in, first.data(), last.data(), rows * columns, lists.values, to);
            }
        }
    };
    for_stripes(stripes.count(), 2 * static_cast<double>(x.rows) * static_cast<double>(d), runtime,
                [&] { return std::vector<T>(fold * (by_rows ? d : 1)); }, work);
}

template <class T>
void bind(nb::module_& m) {
    m.def("look_up", [](Matrix<T> x, Vector<T> values, Codes starts, bool by_columns, int threads, Result<T> out) {
        expect_starts("starts", starts, x.shape(1), values.size());
        expect("out", out, x.shape(0) * x.shape(1));
        Lists<T> lists{values.data(), {}, {}};
        for (std::size_t j = 0; j < x.shape(1); ++j) {
            const std::int64_t first = starts.data()[j], count = starts.data()[j + 1] - first;
            if (count < 1 || first + count > (1 << 24)) throw nb::value_error("lists have 1 to 2**24 numbers");
            lists.first.push_back(static_cast<std::int32_t>(first));
            lists.last.push_back(static_cast<T>(count - 1));
        }
        call(threads, [&](const Runtime& r) { look_up<T>(view<T>(x), lists, by_columns, r, out.data()); });
    }, nb::arg("x"), nb::arg("values"), nb::arg("starts"), nb::arg("by_columns"), nb::arg("threads"), nb::arg("out"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
