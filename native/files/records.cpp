// Where records of a CSV text end, so that parts of it can be read by themselves.
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "core/binding.hpp"

namespace suffice {
namespace {

using Bytes = const std::uint8_t*;

inline Bytes find(Bytes from, Bytes to, int letter) {
    const auto* found = from == to ? nullptr : static_cast<Bytes>(std::memchr(from, letter, to - from));
    return found ? found : to;
}

// The number of bytes up to the end of the last whole record. A quote opens only at the start of a cell, as Arrow reads it.
std::size_t records_end(Bytes text, std::size_t n, std::uint8_t delimiter) {
    const Bytes end = text + n;
    const auto opens = [&](Bytes quote) {
        return quote == text || quote[-1] == delimiter || quote[-1] == '\n' || quote[-1] == '\r';
    };
    std::vector<std::pair<Bytes, Bytes>> plain;  // the texts outside quotes
    for (Bytes at = text; at != end;) {
        Bytes quote = find(at, end, '"');
        while (quote != end && !opens(quote)) quote = find(quote + 1, end, '"');
        plain.emplace_back(at, quote);
        if (quote == end) break;
        at = find(quote + 1, end, '"');
        while (at != end && at + 1 != end && at[1] == '"') at = find(at + 2, end, '"');  // written twice it is a letter
        if (at != end) ++at;
    }
    for (; !plain.empty(); plain.pop_back())
        for (auto [from, to] = plain.back(); to != from; --to)
            if (to[-1] == '\n') return to - text;
    return 0;
}

const Register registered([](nb::module_& m) {
    m.def("records_end", [](Vector<std::uint8_t> text, std::uint8_t delimiter) {
        nb::gil_scoped_release release;
        return records_end(text.data(), text.shape(0), delimiter);
    }, nb::arg("text"), nb::arg("delimiter"));
});

}  // namespace
}  // namespace suffice
