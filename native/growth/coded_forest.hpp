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

// A node as whole numbers: the place of its threshold among those of its column, which a row with a greater code passes on
// the right; which of the codes of a row it looks at, 2 · column, and 1 more where missing cells go left; and its first child.
// A leaf has a code that no row is above, and itself as its child. Codes of rows that fall side by side lie together, and
// `kLanes` of them are as far apart as an address can be scaled.
template <class Word, class Code_, unsigned kColumnBits, std::size_t kLanes_>
struct CodedNode {
    using Bits = Word;
    using Code = Code_;
    static constexpr std::size_t kLanes = kLanes_, kLooks = std::size_t{1} << kColumnBits;
    static constexpr unsigned kCodeBits = 8 * sizeof(Code), kLeftBits = 8 * sizeof(Bits) - kCodeBits - kColumnBits;
    static constexpr std::size_t kMostLeft = (std::uint64_t{1} << std::min(kLeftBits, 31u)) - 1;
    static constexpr Code kStays = static_cast<Code>(-1);                             // of a leaf
    static constexpr Code kMissing = sizeof(Code) == 1 ? kStays : static_cast<Code>(kStays - 1);  // above all thresholds
    static constexpr std::size_t kMostThresholds = static_cast<Code>(kStays - 1);

    static Bits of(std::size_t code, std::size_t look, std::int32_t left) {
        return static_cast<Bits>(code | look << kCodeBits |
                                 static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << (kCodeBits + kColumnBits));
    }
    static Code code(Bits node) { return static_cast<Code>(node); }
    static std::size_t look(Bits node) { return static_cast<std::size_t>(node >> kCodeBits & (kLooks - 1)); }
    static std::int32_t left(Bits node) { return static_cast<std::int32_t>(node >> (kCodeBits + kColumnBits)); }
};

// Of few thresholds and columns and trees that are not huge: twice as many stay near.
using NarrowNode = CodedNode<std::uint32_t, std::uint8_t, 8, 8>;
using WideNode = CodedNode<std::uint64_t, std::uint16_t, 16, 16>;
constexpr std::size_t kSide = 16;  // rows that fall side by side

struct CodedForest {
    const std::uint8_t* nodes;   // narrow or wide ones
    bool narrow;
    const double* edges;         // the thresholds of each column, rising, with infinities up to 2^m − 1 of them
    const std::int64_t* starts;  // (d + 1)

    explicit operator bool() const { return nodes != nullptr; }

    std::size_t bytes_of_row(std::size_t columns) const { return 2 * columns * (narrow ? 1 : sizeof(WideNode::Code)); }

    // Two codes a cell, which differ where it is missing, (rows / lanes, d, 2, lanes): the second is for missing cells that
    // go left.
    template <class Node, class T>
    void code_rows(const View<T>& x, std::size_t begin, std::size_t count, typename Node::Code* out) const {
        constexpr std::size_t kCells = 512, kLanes = Node::kLanes;
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
                for (std::size_t i = 0; i < padded; i += kLanes) {
                    typename Node::Code* to = out + 2 * ((first + i) * x.cols + j * kLanes);
                    for (std::size_t s = 0; s < kLanes; ++s) {
                        const bool missing = std::isnan(cell[i + s]);
                        const auto code = static_cast<typename Node::Code>(at[i + s]);
                        to[s] = missing ? Node::kMissing : code;
                        to[kLanes + s] = missing ? typename Node::Code{0} : code;
                    }
                }
            }
        }
    }
};

// The same, as it is made from a forest; empty where it has no place for all thresholds.
struct CodedNodes {
    std::vector<std::uint8_t> nodes;
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

// The thresholds of each column, and the place of each node's among them, (nodes).
struct Places {
    std::vector<std::vector<std::uint32_t>> split;
    std::vector<std::vector<double>> edges;
    std::vector<std::uint16_t> place;
};

inline Places places_of(const Forest& f, std::size_t columns, const Runtime& runtime) {
    const auto all = static_cast<std::size_t>(f.starts[f.trees]);
    Places found{nodes_by_column(f, columns), std::vector<std::vector<double>>(columns), std::vector<std::uint16_t>(all)};
    for_stripes(columns, 50.0 * static_cast<double>(all), runtime, [] { return 0; }, [&](std::size_t j, int) {
        Distinct distinct(found.split[j].size());
        for (auto i : found.split[j]) distinct.add(f.nodes[i].threshold);
        found.edges[j] = distinct.ranked();
        for (auto i : found.split[j]) found.place[i] = static_cast<std::uint16_t>(distinct.rank(f.nodes[i].threshold));
    });
    return found;
}

template <class Node>
bool has_room(const Forest& f, const Places& places) {
    if (2 * places.edges.size() > Node::kLooks) return false;
    for (std::size_t t = 0; t < f.trees; ++t)
        if (static_cast<std::size_t>(f.starts[t + 1] - f.starts[t]) > Node::kMostLeft) return false;
    return std::all_of(places.edges.begin(), places.edges.end(),
                       [](const auto& own) { return own.size() <= Node::kMostThresholds; });
}

template <class Node>
std::vector<std::uint8_t> written(const Forest& f, const Places& places) {
    std::vector<std::uint8_t> found(static_cast<std::size_t>(f.starts[f.trees]) * sizeof(typename Node::Bits));
    auto* to = reinterpret_cast<typename Node::Bits*>(found.data());
    const std::size_t columns = places.edges.size();
    for (std::size_t j = 0; j < columns; ++j)
        for (auto i : places.split[j])
            to[i] = Node::of(places.place[i], 2 * j + (f.nodes[i].column & kMissingLeft), f.nodes[i].left);
    for (auto i : places.split[columns]) to[i] = Node::of(Node::kStays, 0, f.nodes[i].left);
    return found;
}

inline CodedNodes coded(const Forest& f, std::size_t columns, const Runtime& runtime) {
    if (2 * columns > WideNode::kLooks || f.starts[f.trees] > INT32_MAX) return {};
    const Places places = places_of(f, columns, runtime);
    const bool narrow = has_room<NarrowNode>(f, places);
    if (!narrow && !has_room<WideNode>(f, places)) return {};
    CodedNodes found{narrow ? written<NarrowNode>(f, places) : written<WideNode>(f, places), {},
                     std::vector<std::int64_t>(columns + 1)};
    for (std::size_t j = 0; j < columns; ++j) {
        const auto& own = places.edges[j];
        found.edges.insert(found.edges.end(), own.begin(), own.end());
        found.starts[j + 1] = found.starts[j] + static_cast<std::int64_t>(std::bit_ceil(own.size() + 1)) - 1;
        found.edges.resize(static_cast<std::size_t>(found.starts[j + 1]), HUGE_VAL);
    }
    return found;
}

}  // namespace suffice
