// A k-d tree in arrays that somebody else owns: rows halved again and again at the middle of the widest column, leaves of
// 16 rows laid out by columns, a box around the rows of each node.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/lane_bits.hpp"
#include "distances/pair_terms.hpp"
#include "core/parallel.hpp"
#include "neighbors/top_k.hpp"

namespace suffice {

inline constexpr std::size_t kLeafRows = 16;

struct TreeNode {
    std::int64_t from, to;   // places
    std::int64_t right;      // the left child follows its parent; 0 for leaves
    std::int64_t column;     // where the children were split
    std::int64_t first_row;  // the least row number here
};

inline std::size_t tree_nodes(std::size_t rows) { return rows == 0 ? 0 : 2 * ((rows + kLeafRows - 1) / kLeafRows) - 1; }

// Where the rows of a node are halved: the left half fills whole leaves.
inline std::size_t tree_middle(std::size_t from, std::size_t to) {
    return from + ((to - from) / 2 + kLeafRows - 1) / kLeafRows * kLeafRows;
}

// Nodes (tree_nodes(n),), splits (nodes,), boxes (nodes, d, 2), rows by place (leaves * 16,) with -1 where there is none,
// cells (leaves, d, 16).
template <class Data, class Whole, class Record>
struct TreeArrays {
    Record* nodes;
    Data* splits;
    Data* boxes;
    Whole* rows;
    Data* cells;
    std::size_t n, d;
};
using TreeParts = TreeArrays<double, std::int64_t, TreeNode>;
using TreeView = TreeArrays<const double, const std::int64_t, const TreeNode>;

// What a gap in one column adds at least, with the same join as the term.
inline double gap_of(const Squared&, double gap) { return gap * gap; }
inline double gap_of(const Absolute&, double gap) { return gap; }
inline double gap_of(const Largest&, double gap) { return gap; }
inline double gap_of(const Power& term, double gap) { return std::pow(gap, term.p); }

// The leaf in whose part of space a point lies.
inline std::size_t leaf_of(const TreeView& tree, const double* point) {
    std::size_t k = 0;
    while (tree.nodes[k].right != 0)
        k = point[tree.nodes[k].column] < tree.splits[k] ? k + 1 : static_cast<std::size_t>(tree.nodes[k].right);
    return k;
}

// D is the number of columns, or 0 where it is known later.
template <class Term, std::size_t D>
class TreeSearch {
  public:
    TreeSearch(const TreeView& tree, const Term& term) : tree_(tree), term_(term) {}

    void nearest(const double* point, TopK& list) const {
        visit(point, [&](double bound, std::int64_t first_row) {
            const Neighbour& worst = list.worst();
            return bound * kSlack > worst.value || (bound >= worst.value && first_row > worst.row);
        }, [&](double value, std::int64_t row) { list.offer(value, row); },
           [&] { return list.worst().value; });
    }

    void within(const double* point, double radius, std::vector<Neighbour>& found) const {
        visit(point, [&](double bound, std::int64_t) { return bound * kSlack > radius; },
              [&](double value, std::int64_t row) { found.push_back({value, row}); }, [&] { return radius; });
    }

  private:
    static constexpr double kSlack = 1 - 1e-12;  // boxes and rows round differently

    std::size_t columns() const { return D == 0 ? tree_.d : D; }

    template <class Skip, class Take, class Limit>
    void visit(const double* point, Skip skip, Take take, Limit limit) const {
        struct Waiting {
            std::size_t node;
            double bound;
        } stack[64];
        std::size_t depth = 0;
        stack[depth++] = {0, outside(0, point)};
        while (depth > 0) {
            const Waiting top = stack[--depth];
            std::size_t k = top.node;
            if (skip(top.bound, tree_.nodes[k].first_row)) continue;
            while (tree_.nodes[k].right != 0) {
                const auto right = static_cast<std::size_t>(tree_.nodes[k].right);
                const bool goes_left = point[tree_.nodes[k].column] < tree_.splits[k];
                const std::size_t far = goes_left ? right : k + 1;
                const double bound = outside(far, point);
                if (!skip(bound, tree_.nodes[far].first_row)) stack[depth++] = {far, bound};
                k = goes_left ? k + 1 : right;
            }
            look(static_cast<std::size_t>(tree_.nodes[k].from), point, take, limit);
        }
    }

    double outside(std::size_t k, const double* point) const {
        const double* box = tree_.boxes + k * 2 * columns();
        double sum = 0;
        for (std::size_t j = 0; j < columns(); ++j) {
            const double gap = std::max(0.0, std::max(box[2 * j] - point[j], point[j] - box[2 * j + 1]));
            if constexpr (std::is_base_of_v<Summed, Term>)
                sum += gap_of(term_, gap);
            else
                sum = std::max(sum, gap_of(term_, gap));
        }
        return sum;
    }

    template <class Take, class Limit>
    void look(std::size_t from, const double* point, Take take, Limit limit) const {
        const double* cells = tree_.cells + from * columns();
        double values[kLeafRows];
        constexpr int kParts = kLeafRows / kLanes;
        Vec sum[kParts] = {};
        for (std::size_t j = 0; j < columns(); ++j) {
            const Vec x = broadcast(point[j]);
            for (int v = 0; v < kParts; ++v)
                sum[v] = added(term_, sum[v], x, load(cells + j * kLeafRows + static_cast<std::size_t>(v * kLanes)), j);
        }
        const Vec most = broadcast(limit());
        unsigned some = 0;
        for (int v = 0; v < kParts; ++v) {
            store(values + v * kLanes, sum[v]);
            some |= at_most(sum[v], most) << (v * kLanes);
        }
        while (some != 0) {
            const auto c = static_cast<std::size_t>(__builtin_ctz(some));
            some &= some - 1;
            const std::int64_t row = tree_.rows[from + c];
            if (row >= 0) take(values[c], row);
        }
    }

    TreeView tree_;
    Term term_;
};

}  // namespace suffice
