// Where records of a CSV text end, so that parts of it can be read by themselves.
#include <cstdint>
#include <cstring>

#include "core/binding.hpp"

namespace suffice {
namespace {

// The number of bytes up to the end of the last whole record. A quote opens only at the begin of a cell, as Arrow reads it.
std::size_t records_end(const std::uint8_t* text, std::size_t n, std::uint8_t delimiter) {
    std::size_t end = 0;
    if (!n || !std::memchr(text, '"', n)) {
        for (end = n; end && text[end - 1] != '\n';) --end;
        return end;
    }
    bool is_quoted = false, is_begin = true;  // within quotes; at the begin of a cell
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint8_t c = text[i];
        if (is_quoted) {
            if (c != '"') continue;
            if (i + 1 < n && text[i + 1] == '"') ++i;  // a quote that is written twice stands for itself
            else is_quoted = false;
        } else if (c == '\n') {
            end = i + 1;
            is_begin = true;
        } else if (c == delimiter || c == '\r') {
            is_begin = true;
        } else {
            is_quoted = is_begin && c == '"';
            is_begin = false;
        }
    }
    return end;
}

const Register registered([](nb::module_& m) {
    m.def("records_end", [](Vector<std::uint8_t> text, std::uint8_t delimiter) {
        nb::gil_scoped_release release;
        return records_end(text.data(), text.shape(0), delimiter);
    }, nb::arg("text"), nb::arg("delimiter"));
});

}  // namespace
}  // namespace suffice
