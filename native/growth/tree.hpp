// A tree while it grows, and what the growth was told.
#pragma once

#include <algorithm>
#include <limits>

#include "growth/cells.hpp"

namespace suffice {

struct Limits {
    std::size_t of_tree;             // columns that a tree may use, drawn for it
    std::size_t tried;               // columns that are looked at in a node
    std::size_t most_depth, most_leaves;
    double least_split, least_leaf;  // weights
    double least_gain;
    bool best_first;
    bool random_cuts;  // one cut of a column at random instead of its best

    static constexpr std::size_t kNumbers = 9;
    static Limits of(const double* v) {
        const auto count = [](double x) { return static_cast<std::size_t>(std::min(x, 1e15)); };
        return {count(v[0]), count(v[1]), count(v[2]), count(v[3]), v[4], v[5], v[6], v[7] != 0, v[8] != 0};
    }
};

// Of a numeric column, rows go left up to place `last`; `next` is the lowest place on the right. Of categories, those
// whose code is in `left`.
struct Split {
    double gain = -std::numeric_limits<double>::infinity();
    std::int32_t column = -1;
    bool categorical = false, missing_left = false;
    Place last = 0, next = 0;
    Codes256 left{};

    bool sends_left(Place place, Place missing) const {
        if (place == missing) return missing_left;
        return categorical ? contains(left, place) : place <= last;
    }
};

struct Node {
    std::int32_t left = -1;  // its first child, the second comes after it; −1: a leaf
    Split split;
};

// A tree as its nodes; `DecodedTree` has the same shape: a grower begins it, adds nodes and splits them.
template <class Sums>
struct Grown {
    std::vector<Node> nodes;
    std::vector<Sums> sums;

    // For at most so many nodes: what is not written takes no memory, and what grew would be copied.
    void begin(std::size_t most) {
        nodes.clear(), sums.clear();
        nodes.reserve(most), sums.reserve(most);
    }
    std::size_t size() const { return nodes.size(); }
    template <class Rows>
    void add(const Rows&, const Sums& own) {
        nodes.emplace_back();
        sums.push_back(own);
    }
    void split(std::size_t node, std::size_t left, const Split& how) { nodes[node] = {static_cast<std::int32_t>(left), how}; }
};

// Random numbers that depend on the seed and the path to the node alone (SplitMix64).
inline std::uint64_t next_random(std::uint64_t& state) {
    std::uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
inline std::size_t below(std::uint64_t& state, std::size_t limit) {
    __extension__ using Wider = unsigned __int128;
    return static_cast<std::size_t>(static_cast<Wider>(next_random(state)) * limit >> 64);
}
inline double uniform(std::uint64_t& state) { return static_cast<double>(next_random(state) >> 11) * 0x1p-53; }

}  // namespace suffice
