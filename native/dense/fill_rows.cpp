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

constexpr std::size_t kBlock = 256;  // rows at a time, which stay in the cache between the search and the copy

// kLanes columns of kLanes rows.
inline void fill_square(const double* const* columns, std::size_t first, double* out, std::size_t d) {
    Vec square[kLanes];
    for (int j = 0; j < kLanes; ++j) square[j] = load(columns[j] + first);
    turn(square);
    for (int i = 0; i < kLanes; ++i) store(out + static_cast<std::size_t>(i) * d, square[i]);
}

template <class T>
void fill_block(const T* const* columns, std::size_t d, std::size_t first, std::size_t count, T* out) {
    std::size_t j = 0;
    if constexpr (sizeof(T) == sizeof(double)) {
        for (; count % kLanes == 0 && j + kLanes <= d; j += kLanes)
            for (std::size_t i = 0; i < count; i += kLanes) fill_square(columns + j, first + i, out + i * d + j, d);
    }
    for (; j < d; ++j)
        for (std::size_t i = 0; i < count; ++i) out[i * d + j] = columns[j][first + i];
}

// out (n, d); whether all cells are finite.
template <class T>
bool fill(const std::vector<const T*>& columns, std::size_t n, T* out) {
    const std::size_t d = columns.size();
    bool is_finite = true;
    for (std::size_t first = 0; first < n; first += kBlock) {
        const std::size_t count = std::min(kBlock, n - first);
        for (std::size_t j = 0; j < d; ++j) is_finite &= all_finite(columns[j] + first, count);
        fill_block(columns.data(), d, first, count, out + first * d);
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

// A column of doubles: its cells, or a copy with NaN where a cell is missing.
const double* doubles_of(const ArrowArray& column, std::size_t n, std::vector<double>& copy) {
    const auto* cells = static_cast<const double*>(column.buffers[1]) + column.offset;
    const auto* valid = static_cast<const std::uint8_t*>(column.buffers[0]);
    if (column.null_count == 0 || !valid) return cells;
    copy.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t bit = i + static_cast<std::size_t>(column.offset);
        copy[i] = valid[bit / 8] >> bit % 8 & 1 ? cells[i] : std::numeric_limits<double>::quiet_NaN();
    }
    return copy.data();
}

// The first columns of a record batch; whether all are finite, or None where they are not all doubles.
nb::object fill_from_arrow(nb::handle schema_capsule, nb::handle array_capsule, Output out) {
    const auto* schema = static_cast<ArrowSchema*>(PyCapsule_GetPointer(schema_capsule.ptr(), "arrow_schema"));
    const auto* batch = static_cast<ArrowArray*>(PyCapsule_GetPointer(array_capsule.ptr(), "arrow_array"));
    if (!schema || !batch) throw nb::python_error();
    const std::size_t n = out.shape(0), d = out.shape(1);
    const auto columns_given = static_cast<std::size_t>(std::min(schema->n_children, batch->n_children));
    if (columns_given < d || static_cast<std::size_t>(batch->length) != n)
        throw nb::value_error("the record batch has another shape than the rows to fill");
    for (std::size_t j = 0; j < d; ++j)
        if (schema->children[j]->format != std::string_view("g")) return nb::none();
    std::vector<std::vector<double>> copies(d);
    std::vector<const double*> columns(d);
    nb::gil_scoped_release release;
    for (std::size_t j = 0; j < d; ++j) columns[j] = doubles_of(*batch->children[j], n, copies[j]);
    const bool is_finite = fill(columns, n, out.data());
    nb::gil_scoped_acquire acquire;
    return nb::bool_(is_finite);
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
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
    m.def("fill_from_arrow", &fill_from_arrow, nb::arg("schema"), nb::arg("batch"), nb::arg("out"));
});

}  // namespace
}  // namespace suffice
