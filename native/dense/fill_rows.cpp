// Columns that lie apart, written side by side as rows: arrays, or the columns of an Arrow record batch.
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "core/binding.hpp"
#include "core/finite.hpp"
#include "core/transpose.hpp"

namespace suffice {
namespace {

constexpr std::size_t kBlock = 256;  // rows at a time, which stay in the cache between columns

// kLanes columns of kLanes rows; the sum of x * 0, which is zero where all are finite.
inline Vec fill_square(const double* const* columns, std::size_t first, double* out, std::size_t d) {
    Vec square[kLanes], zeros = {};
    for (int j = 0; j < kLanes; ++j) square[j] = load(columns[j] + first);
    for (int j = 0; j < kLanes; ++j) zeros += square[j] * 0.0;
    turn(square);
    for (int i = 0; i < kLanes; ++i) store(out + static_cast<std::size_t>(i) * d, square[i]);
    return zeros;
}

// Whether all cells are finite.
template <class T>
bool fill_block(const T* const* columns, std::size_t d, std::size_t first, std::size_t count, T* out) {
    std::size_t j = 0;
    Vec zeros = {};
    if constexpr (sizeof(T) == sizeof(double)) {
        for (; count % kLanes == 0 && j + kLanes <= d; j += kLanes)
            for (std::size_t i = 0; i < count; i += kLanes)
                zeros += fill_square(columns + j, first + i, out + i * d + j, d);
    }
    bool is_finite = sum_lanes(zeros) == 0.0;
    for (; j < d; ++j) {
        is_finite &= all_finite(columns[j] + first, count);
        for (std::size_t i = 0; i < count; ++i) out[i * d + j] = columns[j][first + i];
    }
    return is_finite;
}

// out (n, d); whether all cells are finite.
template <class T>
bool fill(const std::vector<const T*>& columns, std::size_t n, T* out) {
    const std::size_t d = columns.size();
    bool is_finite = true;
    for (std::size_t first = 0; first < n; first += kBlock) {
        const std::size_t count = std::min(kBlock, n - first);
        is_finite &= fill_block(columns.data(), d, first, count, out + first * d);
    }
    return is_finite;
}

// The parts of Arrow's C data interface that are read here, as its specification lays them out.
struct ArrowSchema {
    const char *format, *name, *metadata;
    std::int64_t flags, n_children;
    ArrowSchema **children, *dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    std::int64_t length, null_count, offset, n_buffers, n_children;
    const void** buffers;
    ArrowArray **children, *dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};

// The letter by which Arrow's format names a column of numbers; 0 where it is another column.
char letter_of(const ArrowSchema& column) {
    const std::string_view format(column.format), letters("bcCsSiIlLfg");
    return format.size() == 1 && letters.find(format[0]) != letters.npos ? format[0] : '\0';
}

template <class From, class To>
void convert(const ArrowArray& column, std::size_t n, To* cells) {
    const auto* from = static_cast<const From*>(column.buffers[1]) + column.offset;
    for (std::size_t i = 0; i < n; ++i) cells[i] = static_cast<To>(from[i]);
}

inline bool bit_at(const void* bits, std::size_t i) { return static_cast<const std::uint8_t*>(bits)[i / 8] >> i % 8 & 1; }

template <class To>
void convert_bits(const ArrowArray& column, std::size_t n, To* cells) {
    const auto offset = static_cast<std::size_t>(column.offset);
    for (std::size_t i = 0; i < n; ++i) cells[i] = bit_at(column.buffers[1], i + offset) ? To{1} : To{0};
}

template <class To>
void convert_by(char letter, const ArrowArray& column, std::size_t n, To* cells) {
    switch (letter) {
        case 'b': return convert_bits(column, n, cells);
        case 'c': return convert<std::int8_t>(column, n, cells);
        case 'C': return convert<std::uint8_t>(column, n, cells);
        case 's': return convert<std::int16_t>(column, n, cells);
        case 'S': return convert<std::uint16_t>(column, n, cells);
        case 'i': return convert<std::int32_t>(column, n, cells);
        case 'I': return convert<std::uint32_t>(column, n, cells);
        case 'l': return convert<std::int64_t>(column, n, cells);
        case 'L': return convert<std::uint64_t>(column, n, cells);
        case 'f': return convert<float>(column, n, cells);
        default: return convert<double>(column, n, cells);
    }
}

// A column of n numbers: its cells as they lie, or a copy in the wanted type, with NaN where a cell is missing.
template <class To>
const To* numbers_of(char letter, const ArrowArray& column, std::size_t n, std::vector<To>& copy) {
    const bool is_same = letter == (sizeof(To) == sizeof(double) ? 'g' : 'f');
    const bool is_whole = column.null_count == 0 || !column.buffers[0];
    if (is_same && is_whole) return static_cast<const To*>(column.buffers[1]) + column.offset;
    copy.resize(n);
    convert_by(letter, column, n, copy.data());
    for (std::size_t i = 0; !is_whole && i < n; ++i)
        if (!bit_at(column.buffers[0], i + static_cast<std::size_t>(column.offset)))
            copy[i] = std::numeric_limits<To>::quiet_NaN();
    return copy.data();
}

// Whether a column has n cells to read, with a buffer of them.
bool has_rows(const ArrowArray& column, std::size_t n) {
    return column.offset >= 0 && column.length >= 0 && static_cast<std::size_t>(column.length) >= n &&
           column.n_buffers == 2 && (n == 0 || column.buffers[1]);
}

// The first columns of a record batch, or in place of column j the array made[j], if it is not None.
template <class T>
bool fill_from_arrow(nb::handle schema_capsule, nb::handle array_capsule, nb::list made, Result<T> out) {
    const auto* schema = static_cast<ArrowSchema*>(PyCapsule_GetPointer(schema_capsule.ptr(), "arrow_schema"));
    const auto* batch = static_cast<ArrowArray*>(PyCapsule_GetPointer(array_capsule.ptr(), "arrow_array"));
    if (!schema || !batch) throw nb::python_error();
    const std::size_t n = out.shape(0), d = nb::len(made);
    expect("out", out, n * d);
    const auto columns_given = static_cast<std::size_t>(std::min(schema->n_children, batch->n_children));
    if (columns_given < d || static_cast<std::size_t>(batch->length) != n)
        throw nb::value_error("the record batch has another shape than the rows to fill");
    if (batch->offset != 0 || schema->n_children != batch->n_children)
        throw nb::value_error("the columns of the record batch do not begin with its first row");
    std::vector<Vector<T>> kept;
    std::vector<std::vector<T>> copies(d);
    std::vector<const T*> columns(d, nullptr);
    std::vector<char> letters(d);
    for (std::size_t j = 0; j < d; ++j) {
        if (!made[j].is_none()) {
            kept.push_back(nb::cast<Vector<T>>(made[j]));
            expect("column", kept.back(), n);
            columns[j] = kept.back().data();
        } else if (letters[j] = letter_of(*schema->children[j]); !letters[j]) {
            throw nb::value_error("a column of the record batch is not of numbers");
        } else if (!has_rows(*batch->children[j], n)) {
            throw nb::value_error("a column of the record batch has another length than the batch");
        }
    }
    nb::gil_scoped_release release;
    for (std::size_t j = 0; j < d; ++j)
        if (!columns[j]) columns[j] = numbers_of(letters[j], *batch->children[j], n, copies[j]);
    return fill(columns, n, out.data());
}

template <class T>
void bind(nb::module_& m) {
    using Column = Vector<T>;
    m.def("fill_rows", [](nb::list columns, Result<T> out) {
        std::vector<Column> kept;
        std::vector<const T*> at;
        for (nb::handle column : columns) {
            kept.push_back(nb::cast<Column>(column));
            expect("column", kept.back(), out.shape(0));
            at.push_back(kept.back().data());
        }
        expect("out", out, out.shape(0) * at.size());
        nb::gil_scoped_release release;
        return fill(at, out.shape(0), out.data());
    }, nb::arg("columns"), nb::arg("out"));
    m.def("fill_from_arrow", &fill_from_arrow<T>, nb::arg("schema"), nb::arg("batch"), nb::arg("made").noconvert(),
          nb::arg("out"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
