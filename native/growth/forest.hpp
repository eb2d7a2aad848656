// Trees as rows fall through them. A node takes 16 bytes; a leaf sends every row to itself.
#pragma once

#include <cmath>

#include "core/binding.hpp"

namespace suffice {

struct ForestNode {
    double threshold;       // numbers go left up to it; of categories, where the set begins
    std::int32_t left;      // the first child, the second comes after it; a leaf: itself
    std::uint32_t column;   // · 4, and flags
};
static_assert(sizeof(ForestNode) == 16);
constexpr std::uint32_t kMissingLeft = 1, kCategorical = 2;

struct Forest {
    const ForestNode* nodes;
    const std::int64_t* starts;  // (trees + 1)
    std::size_t trees;
    const std::uint64_t* sets;
    const std::int64_t* words;  // (d): of the sets of each column
};

inline bool goes_left(const Forest& f, const ForestNode& node, double x) {
    if (std::isnan(x)) return node.column & kMissingLeft;
    if (!(node.column & kCategorical)) return x <= node.threshold;
    const bool seen = x >= 0 && x < static_cast<double>(f.words[node.column >> 2]) * 64;
    if (!seen) return node.column & kMissingLeft;
    const auto code = static_cast<std::size_t>(x);
    return f.sets[static_cast<std::size_t>(node.threshold) + (code >> 6)] >> (code & 63) & 1;
}

// Refuses nodes on whose ways a row would leave the tree, the columns or the sets, or never come to rest.
inline void expect_sound(const Forest& f, std::size_t columns, std::size_t sets) {
    const auto sound = [&](const ForestNode& node, std::int64_t at, std::int64_t size) {
        const std::size_t column = node.column >> 2;
        if (column >= columns) return false;
        if (node.left == at) return node.threshold == HUGE_VAL && node.column % 4 == kMissingLeft;
        if (node.left < at || node.left >= size - 1) return false;
        if (!(node.column & kCategorical)) return true;
        const double end = node.threshold + static_cast<double>(f.words[column]);
        return node.threshold >= 0 && node.threshold == std::floor(node.threshold) && end <= static_cast<double>(sets);
    };
    for (std::size_t j = 0; j < columns; ++j)
        if (f.words[j] < 0) throw nb::value_error("a column has sets of fewer than no words");
    for (std::size_t t = 0; t < f.trees; ++t) {
        const std::int64_t size = f.starts[t + 1] - f.starts[t];
        bool good = size > 0 && size <= INT32_MAX;
        for (std::int64_t i = 0; good && i < size; ++i) good = sound(f.nodes[f.starts[t] + i], i, size);
        if (!good) throw nb::value_error("the nodes of a tree do not fit together");
    }
}

// What Python holds of trees, checked as far as lengths go; that nodes are sound is checked once, when they are first used.
inline Forest forest_of(std::size_t columns, const Vector<std::uint8_t>& nodes, const Codes& starts,
                        const Vector<std::uint64_t>& sets, const Codes& words) {
    expect("words", words, columns);
    if (starts.size() == 0) throw nb::value_error("there are no trees");
    expect_aligned<ForestNode>("nodes", nodes);
    expect("nodes", nodes, sizeof(ForestNode) * (nodes.size() / sizeof(ForestNode)));
    expect_starts("starts", starts, starts.size() - 1, nodes.size() / sizeof(ForestNode));
    for (std::size_t t = 0; t + 1 < starts.size(); ++t)
        if (starts.data()[t] == starts.data()[t + 1]) throw nb::value_error("a tree has no nodes");
    return {reinterpret_cast<const ForestNode*>(nodes.data()), starts.data(), starts.size() - 1, sets.data(), words.data()};
}

}  // namespace suffice
