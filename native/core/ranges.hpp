// The last door before memory: how many cells an array has, and numbers that a kernel follows, such as places within an
// array and where lists end in it. Kernels themselves look at nothing; a wrapper that erred makes an exception, no crash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <nanobind/nanobind.h>

namespace suffice {

// Refuses an array with another number of cells than the kernel will read or write.
template <class Array>
void expect(const char* name, const Array& array, std::size_t cells) {
    if (array.size() == cells) return;
    throw nanobind::value_error((std::string(name) + " has " + std::to_string(array.size()) + " cells; " +
                                 std::to_string(cells) + " are needed").c_str());
}
template <class Array>
void expect(const char* name, const std::optional<Array>& array, std::size_t cells) {
    if (array) expect(name, *array, cells);
}

// Refuses bytes that do not stand where the machine reads values of a type.
template <class Value, class Bytes>
void expect_aligned(const char* name, const Bytes& bytes) {
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(Value))
        throw nanobind::value_error((std::string(name) + " must be aligned").c_str());
}

// Whether all numbers are from `least`, 0 or -1, to below n; many are looked at by several threads, so that it takes no
// longer beside a kernel that has them.
bool are_below(const std::uint16_t* numbers, std::size_t count, std::size_t n, int least, int threads);
bool are_below(const std::int32_t* numbers, std::size_t count, std::size_t n, int least, int threads);
bool are_below(const std::int64_t* numbers, std::size_t count, std::size_t n, int least, int threads);

// Refuses numbers of cells that are not from `least` to below n.
template <class Array>
void expect_below(const char* name, const Array& numbers, std::size_t n, int least = 0, int threads = 1) {
    if (are_below(numbers.data(), numbers.size(), n, least, threads)) return;
    throw nanobind::value_error((std::string(name) + " is out of range: a number is not from " + std::to_string(least) +
                                 " to " + std::to_string(n) + " exclusive").c_str());
}
template <class Array>
void expect_below(const char* name, const std::optional<Array>& numbers, std::size_t n, int least = 0, int threads = 1) {
    if (numbers) expect_below(name, *numbers, n, least, threads);
}

// Refuses ends of lists that fall, begin below 0 or do not end at `cells`, which the first of no list is as well.
template <class Array>
void expect_ends(const char* name, const Array& ends, std::size_t cells) {
    const auto* at = ends.data();
    const std::size_t q = ends.size();
    bool rises = q == 0 || at[0] >= 0;
    for (std::size_t i = 1; i < q; ++i) rises &= at[i] >= at[i - 1];
    if (rises && static_cast<std::size_t>(q > 0 ? at[q - 1] : 0) == cells) return;
    throw nanobind::value_error((std::string(name) + " must rise from 0 on to " + std::to_string(cells) + " cells").c_str());
}

// The same where the first list begins with the first cell, which is there too.
template <class Array>
void expect_starts(const char* name, const Array& starts, std::size_t lists, std::size_t cells) {
    expect(name, starts, lists + 1);
    expect_ends(name, starts, cells);
    if (starts.data()[0] != 0) throw nanobind::value_error((std::string(name) + " must begin at 0").c_str());
}

// The three arrays of a CSR matrix; that its columns are in range was checked where the matrix came in (decision 27).
template <class Values, class Places, class Starts>
void expect_csr(const Values& data, const Places& indices, const Starts& starts) {
    if (starts.size() == 0) throw nanobind::value_error("the starts of rows are empty");
    expect("indices", indices, data.size());
    expect_starts("starts", starts, starts.size() - 1, data.size());
}

}  // namespace suffice
