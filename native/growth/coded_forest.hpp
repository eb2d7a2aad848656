// Trees whose thresholds are counted: rows are coded once, by how many thresholds of a column lie below a cell, and then
// fall by comparisons of small whole numbers, through nodes of half the size.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/parallel.hpp"
#include "growth/forest.hpp"

namespace suffice {

struct CodedNode {
    std::uint16_t code;    // the place of the threshold among those of the column; a row with a greater code goes right
    std::uint16_t column;  // where the codes of the column begin, of those that rows have which fall side by side
    std::int32_t left;
};
static_assert(sizeof(CodedNode) == 8);
constexpr std::uint16_t kStays = 65535, kMissingCode = 65534;  // of a leaf, that no code is above; above all thresholds
constexpr std::size_t kMostThresholds = kMissingCode;
constexpr std::size_t kSide = 8;                              // rows that fall side by side
constexpr std::size_t kMostColumns = 65536 / (2 * kSide);

struct CodedForest {
    const CodedNode* nodes;
    const double* edges;         // the thresholds of each column, rising, with infinities up to 2^m − 1 of them
    const std::int64_t* starts;  // (d + 1)

    explicit operator bool() const { return nodes != nullptr; }

    // Two codes a cell, which differ where it is missing, (rows / 8, d, 2, 8): the second is for missing cells that go
    // left.
    template <class T>
    void code_rows(const View<T>& x, std::size_t begin, std::size_t count, std::uint16_t* out) const {
        constexpr std::size_t kCells = 512;
        double cell[kCells];
        std::uint32_t at[kCells];
        for (std::size_t first = 0; first < count; first += kCells) {
            const std::size_t here = std::min(kCells, count - first), padded = (here + kSide - 1) / kSide * kSide;
            for (std::size_t j = 0; j < x.cols; ++j) {
                const double* own = edges + starts[j];
                for (std::size_t i = 0; i < here; ++i) cell[i] = static_cast<double>(x.at(begin + first + i, j));
                std::fill(cell + here, cell + padded, 0.0);
                std::fill_n(at, padded, 0);
                for (auto step = static_cast<std::uint32_t>((starts[j + 1] - starts[j] + 1) / 2); step > 0; step /= 2)
                    for (std::size_t i = 0; i < padded; ++i) at[i] += own[at[i] + step - 1] < cell[i] ? step : 0;
                for (std::size_t i = 0; i < padded; i += kSide) {
                    std::uint16_t* to = out + 2 * ((first + i) * x.cols + j * kSide);
                    for (std::size_t s = 0; s < kSide; ++s) {
                        const bool missing = std::isnan(cell[i + s]);
                        const auto code = static_cast<std::uint16_t>(at[i + s]);
                        to[s] = missing ? kMissingCode : code;
                        to[kSide + s] = missing ? 0 : code;
                    }
                }
            }
        }
    }
};

// The same, as it is made from a forest; empty where it has no place for all thresholds.
struct CodedNodes {
    std::vector<std::uint64_t> nodes;  // the bits of each
    std::vector<double> edges;
    std::vector<std::int64_t> starts;
};

// The nodes that each column splits; those of the last group are leaves.
inline std::vector<std::vector<std::uint32_t>> nodes_by_column(const Forest& f, std::size_t columns) {
    std::vector<std::vector<std::uint32_t>> found(columns + 1);
    for (std::size_t t = 0; t < f.trees; ++t)
        for (std::int64_t i = f.starts[t]; i < f.starts[t + 1]; ++i) {
            const bool leaf = f.nodes[i].left == i - f.starts[t];
            found.at(leaf ? columns : f.nodes[i].column >> 2).push_back(static_cast<std::uint32_t>(i));
        }
    return found;
}

// The distinct ones of many numbers, and the rank of each among them: most trees of a forest cut at the same places.
class Distinct {
  public:
    explicit Distinct(std::size_t most) : mask_(std::bit_ceil(2 * most + 2) - 1), places_(mask_ + 1, 0) {}

    void add(double x) {
        std::uint32_t& place = places_[slot(x)];
        if (place == 0) values_.push_back(x), place = static_cast<std::uint32_t>(values_.size());
    }
    std::vector<double> ranked() {
        std::vector<double> sorted = values_;
        std::sort(sorted.begin(), sorted.end());
        for (double x : values_)
            ranks_.push_back(static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), x) - sorted.begin()));
        return sorted;
    }
    std::size_t rank(double x) const { return ranks_[places_[slot(x)] - 1]; }

  private:
    std::size_t slot(double x) const {
        auto at = static_cast<std::size_t>(std::bit_cast<std::uint64_t>(x + 0.0) * 0x9E3779B97F4A7C15u >> 20) & mask_;
        while (places_[at] != 0 && values_[places_[at] - 1] != x) at = (at + 1) & mask_;
        return at;
    }

    std::size_t mask_;
    std::vector<std::uint32_t> places_;  // after that of a value, 0 where there is none
    std::vector<double> values_;
    std::vector<std::size_t> ranks_;
};

inline CodedNodes coded(const Forest& f, std::size_t columns, const Runtime& runtime) {
    if (columns > kMostColumns || f.starts[f.trees] > INT32_MAX) return {};
    const auto split = nodes_by_column(f, columns);
    const auto all = static_cast<std::size_t>(f.starts[f.trees]);
    CodedNodes found{std::vector<std::uint64_t>(all), {}, std::vector<std::int64_t>(columns + 1)};
    const auto write = [&](std::uint32_t i, std::size_t code, std::size_t column) {
        found.nodes[i] = std::bit_cast<std::uint64_t>(
            CodedNode{static_cast<std::uint16_t>(code), static_cast<std::uint16_t>(column), f.nodes[i].left});
    };
    for (auto i : split[columns]) write(i, kStays, 0);
    std::vector<std::vector<double>> edges(columns);
    for_stripes(columns, 50.0 * static_cast<double>(all), runtime, [] { return 0; }, [&](std::size_t j, int) {
        auto& own = edges[j];
        Distinct distinct(split[j].size());
        for (auto i : split[j]) distinct.add(f.nodes[i].threshold);
        own = distinct.ranked();
        for (auto i : split[j])
            write(i, distinct.rank(f.nodes[i].threshold), kSide * (2 * j + (f.nodes[i].column & kMissingLeft)));
    });
    for (std::size_t j = 0; j < columns; ++j) {
        if (edges[j].size() > kMostThresholds) return {};
        found.edges.insert(found.edges.end(), edges[j].begin(), edges[j].end());
        found.starts[j + 1] = found.starts[j] + static_cast<std::int64_t>(std::bit_ceil(edges[j].size() + 1)) - 1;
        found.edges.resize(static_cast<std::size_t>(found.starts[j + 1]), HUGE_VAL);
    }
    return found;
}

}  // namespace suffice
