// Grown trees as Python takes them.
#pragma once

#include "core/owned.hpp"
#include "growth/tree.hpp"

namespace suffice {

// The sums of a tree's nodes as whole numbers, (nodes · k).
template <class Rows, class Sums>
void write_sums(const Rows& rows, const Grown<Sums>& tree, std::size_t k, std::vector<std::int64_t>& out) {
    out.resize(tree.sums.size() * k);
    for (std::size_t i = 0; i < tree.sums.size(); ++i) rows.write(tree.sums[i], &out[i * k]);
}

// One tree after the other.
struct Nodes {
    std::vector<std::int64_t> starts{0};  // (trees + 1)
    std::vector<std::int32_t> column, left;
    std::vector<std::uint32_t> last, next;
    std::vector<std::uint8_t> missing_left;
    std::vector<std::int32_t> set;      // (nodes): its number, −1 without categories
    std::vector<std::uint64_t> sets;    // (sets · 4)
    std::vector<double> gain;
    std::vector<std::int64_t> sums;     // (nodes · k)

    template <class Rows, class Sums>
    void append(const Rows& rows, const Grown<Sums>& tree, std::size_t k) {
        std::vector<std::int64_t> own;
        write_sums(rows, tree, k, own);
        append(tree.nodes, own);
    }
    void append(const std::vector<Node>& nodes, const std::vector<std::int64_t>& own) {
        for (const auto& [below, split] : nodes) {
            const bool leaf = below < 0;
            column.push_back(leaf ? -1 : split.column);
            left.push_back(below);
            last.push_back(split.last);
            next.push_back(split.next);
            missing_left.push_back(!leaf && split.missing_left);
            gain.push_back(leaf ? 0.0 : split.gain);
            set.push_back(!leaf && split.categorical ? static_cast<std::int32_t>(sets.size() / 4) : -1);
            if (set.back() >= 0) sets.insert(sets.end(), split.left.begin(), split.left.end());
        }
        sums.insert(sums.end(), own.begin(), own.end());
        starts.push_back(static_cast<std::int64_t>(column.size()));
    }
};

inline nb::tuple to_python(Nodes&& n) {
    return nb::make_tuple(owned(std::move(n.starts)), owned(std::move(n.column)), owned(std::move(n.left)),
                          owned(std::move(n.last)), owned(std::move(n.next)), owned(std::move(n.missing_left)),
                          owned(std::move(n.set)), owned(std::move(n.sets)), owned(std::move(n.gain)),
                          owned(std::move(n.sums)));
}

}  // namespace suffice
