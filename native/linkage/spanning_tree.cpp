// The Euclidean minimum spanning tree of rows with few columns, by Borůvka's rounds on a k-d tree.
//
// In a round every small component looks for its nearest row of another component; components are joined along what
// was found, and the largest never needs to look. A row remembers how near the nearest stranger was: strangers only
// get fewer, so it need not look again while its component has something nearer. Parts of the tree that belong to one
// component are passed over as a whole.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/binding.hpp"
#include "linkage/linkage.hpp"
#include "core/simd.hpp"

namespace suffice {
namespace {

constexpr std::size_t kLeaf = 16;  // rows of a leaf, compared at once
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Node {
    std::uint32_t from, to;  // places
    std::uint32_t right;     // the left child follows its parent; 0 for leaves
    std::int32_t component;  // of all rows here; -1 where there are several
};

struct Edge {
    double squared = kInfinity;
    std::uint32_t from = 0, to = 0;  // places
};

// Rows in the order of the tree, by columns within leaves. D is the number of columns, or 0 where it is known later.
template <std::size_t D>
class Tree {
  public:
    std::vector<Node> nodes;
    std::vector<std::uint32_t> row;  // by place
    std::vector<double> component;   // by place, whole numbers

    Tree(const double* points, std::size_t n, std::size_t d) : row(n), component(round_up(n, kLeaf), -1.0), d_(d) {
        for (std::size_t i = 0; i < n; ++i) row[i] = static_cast<std::uint32_t>(i);
        keys_.resize(n);
        build(points, 0, n);
        cells_.assign(component.size() * d, kInfinity);
        for (std::size_t at = 0; at < n; ++at)
            for (std::size_t j = 0; j < d; ++j) cells_[cell(at, j)] = points[row[at] * d + j];
    }

    std::size_t size() const { return row.size(); }

    // Gives every node the component of its rows.
    void mark() {
        for (std::size_t k = nodes.size(); k-- > 0;) {
            Node& node = nodes[k];
            if (node.right != 0) {
                const std::int32_t left = nodes[k + 1].component;
                node.component = left == nodes[node.right].component ? left : -1;
                continue;
            }
            node.component = static_cast<std::int32_t>(component[node.from]);
            for (std::size_t at = node.from; at < node.to; ++at)
                if (component[at] != component[node.from]) node.component = -1;
        }
    }

    // The nearest row of another component, if it is nearer than `edge`.
    void search(std::uint32_t at, Edge& edge) const {
        double point[D == 0 ? 16 : D];
        for (std::size_t j = 0; j < columns(); ++j) point[j] = cells_[cell(at, j)];
        const double own = component[at];
        struct Waiting {
            std::uint32_t node;
            double bound;
        } stack[64];
        std::size_t depth = 0;
        stack[depth++] = {0, 0.0};
        while (depth > 0) {
            const Waiting top = stack[--depth];
            const Node& node = nodes[top.node];
            if (top.bound >= edge.squared || node.component == own) continue;
            if (node.right == 0) {
                look(node, point, own, at, edge);
                continue;
            }
            const std::uint32_t left = top.node + 1, right = node.right;
            const double to_left = outside(left, point), to_right = outside(right, point);
            const bool left_first = to_left <= to_right;
            stack[depth++] = left_first ? Waiting{right, to_right} : Waiting{left, to_left};
            stack[depth++] = left_first ? Waiting{left, to_left} : Waiting{right, to_right};
        }
    }

  private:
    std::size_t columns() const { return D == 0 ? d_ : D; }
    std::size_t cell(std::size_t at, std::size_t j) const { return (at / kLeaf * columns() + j) * kLeaf + at % kLeaf; }

    std::uint32_t build(const double* points, std::size_t from, std::size_t to) {
        const auto k = static_cast<std::uint32_t>(nodes.size());
        nodes.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), 0, -1});
        const std::size_t j = add_box(points, from, to);
        if (to - from <= kLeaf) return k;
        const std::size_t middle = from + ((to - from) / 2 + kLeaf - 1) / kLeaf * kLeaf;
        for (std::size_t i = from; i < to; ++i) keys_[i] = {points[row[i] * d_ + j], row[i]};
        std::nth_element(keys_.begin() + from, keys_.begin() + middle, keys_.begin() + to);
        for (std::size_t i = from; i < to; ++i) row[i] = keys_[i].second;
        build(points, from, middle);
        const std::uint32_t right = build(points, middle, to);
        nodes[k].right = right;
        return k;
    }

    // The box around some rows; gives the column in which it is widest.
    std::size_t add_box(const double* points, std::size_t from, std::size_t to) {
        const std::size_t base = box_.size();
        box_.resize(base + 2 * d_);
        std::size_t widest = 0;
        for (std::size_t j = 0; j < d_; ++j) {
            double low = kInfinity, high = -kInfinity;
            for (std::size_t i = from; i < to; ++i) {
                const double x = points[row[i] * d_ + j];
                low = std::min(low, x);
                high = std::max(high, x);
            }
            box_[base + 2 * j] = low;
            box_[base + 2 * j + 1] = high;
            if (high - low > box_[base + 2 * widest + 1] - box_[base + 2 * widest]) widest = j;
        }
        return widest;
    }

    double outside(std::uint32_t k, const double* point) const {
        const double* box = box_.data() + k * 2 * columns();
        double sum = 0;
        for (std::size_t j = 0; j < columns(); ++j) {
            const double below = box[2 * j] - point[j], above = point[j] - box[2 * j + 1];
            const double out = std::max(0.0, std::max(below, above));
            sum += out * out;
        }
        return sum;
    }

    void look(const Node& leaf, const double* point, double own, std::uint32_t at, Edge& edge) const {
        double values[kLeaf];
        const double* cells = cells_.data() + leaf.from * columns();
        Vec least = broadcast(kInfinity);
        for (std::size_t c = 0; c < kLeaf; c += kLanes) {
            Vec sum{};
            for (std::size_t j = 0; j < columns(); ++j) {
                const Vec step = load(cells + j * kLeaf + c) - point[j];
                sum += step * step;
            }
            sum = load(&component[leaf.from + c]) == own ? broadcast(kInfinity) : sum;
            store(values + c, sum);
            least = sum < least ? sum : least;
        }
        double best = kInfinity;
        for (int l = 0; l < kLanes; ++l) best = std::min(best, least[l]);
        if (!(best < edge.squared)) return;
        std::uint32_t c = 0;
        while (values[c] != best) ++c;
        edge = {best, at, leaf.from + c};
    }

    std::size_t d_;
    std::vector<double> cells_, box_;
    std::vector<std::pair<double, std::uint32_t>> keys_;
};

// The components of the rows, numbered from 0, and the rows of each.
class Components {
  public:
    explicit Components(std::size_t n) : parent_(n), number_(n), members(n), start(n + 1) {
        for (std::size_t i = 0; i < n; ++i) parent_[i] = static_cast<std::uint32_t>(i);
        renumber();
    }

    std::size_t count() const { return start.size() - 1; }
    std::size_t size(std::size_t c) const { return start[c + 1] - start[c]; }
    std::uint32_t number(std::size_t at) const { return number_[at]; }

    bool join(std::uint32_t a, std::uint32_t b) {
        a = root(a);
        b = root(b);
        if (a == b) return false;
        parent_[std::max(a, b)] = std::min(a, b);
        return true;
    }

    // To be called after joins: members in the order of their places.
    void renumber() {
        const std::size_t n = parent_.size();
        std::uint32_t next = 0;
        for (std::size_t at = 0; at < n; ++at) {
            const std::uint32_t top = root(static_cast<std::uint32_t>(at));
            number_[at] = top == at ? next++ : number_[top];  // a root is the first of its component
        }
        start.assign(next + 1, 0);
        for (std::size_t at = 0; at < n; ++at) ++start[number_[at] + 1];
        for (std::size_t c = 0; c < next; ++c) start[c + 1] += start[c];
        std::vector<std::uint32_t> fill(start.begin(), start.end() - 1);
        for (std::size_t at = 0; at < n; ++at) members[fill[number_[at]]++] = static_cast<std::uint32_t>(at);
    }

  private:
    std::uint32_t root(std::uint32_t i) {
        while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
        return i;
    }
    std::vector<std::uint32_t> parent_, number_;

  public:
    std::vector<std::uint32_t> members, start;
};

// The shortest edge out of a component; `known` are lower bounds of what its rows can find.
template <std::size_t D>
Edge shortest(const Tree<D>& tree, const Components& all, std::size_t c, std::vector<double>& known) {
    Edge best;
    auto ask = [&](std::uint32_t at) {
        if (known[at] >= best.squared) return;
        const double before = best.squared;
        Edge edge{before, at, at};
        tree.search(at, edge);
        known[at] = edge.squared;
        if (edge.squared < before) best = edge;
    };
    std::uint32_t first = all.members[all.start[c]];
    for (std::size_t i = all.start[c]; i < all.start[c + 1]; ++i)
        if (known[all.members[i]] < known[first]) first = all.members[i];
    ask(first);
    for (std::size_t i = all.start[c]; i < all.start[c + 1]; ++i)
        if (all.members[i] != first) ask(all.members[i]);
    return best;
}

template <std::size_t D>
void span(const double* points, std::size_t n, std::size_t d, Merges merges, const Runtime& runtime) {
    Tree<D> tree(points, n, d);
    Components all(n);
    std::vector<double> known(n, 0.0);
    while (all.count() > 1) {
        for (std::size_t at = 0; at < n; ++at) tree.component[at] = all.number(at);
        tree.mark();
        std::size_t largest = 0, rows = 0;
        for (std::size_t c = 0; c < all.count(); ++c) largest = all.size(c) > all.size(largest) ? c : largest;
        std::vector<std::size_t> asked;
        for (std::size_t c = 0; c < all.count(); ++c)
            if (c != largest && all.size(c) * all.count() <= 4 * n) {
                asked.push_back(c);
                rows += all.size(c);
            }
        std::vector<Edge> found(asked.size());
        const Stripes stripes(asked.size(), 1);
        for_stripes(
            stripes.count(), 1000.0 * static_cast<double>(rows), runtime, [] { return 0; },
            [&](std::size_t s, int&) {
                for (std::size_t k = stripes.begin(s); k < stripes.end(s); ++k)
                    found[k] = shortest(tree, all, asked[k], known);
            });
        for (const Edge& edge : found)
            if (all.join(edge.from, edge.to)) merges.add(tree.row[edge.from], tree.row[edge.to], edge.squared);
        all.renumber();
    }
}

const Register registered([](nb::module_& m) {
    m.def("spanning_tree", [](Full<double> x, int threads, Result<std::int64_t> pair, Output height) {
        const std::size_t n = x.shape(0), d = x.shape(1);
        if (d == 0 || d > 16) throw nb::value_error("the tree of rows has 1 to 16 columns");
        const double* points = x.data();
        const Merges merges = merges_of(pair, height, n, x.shape(1));
        call(threads, [&](const Runtime& r) {
            if (d == 2)
                span<2>(points, n, d, merges, r);
            else if (d == 3)
                span<3>(points, n, d, merges, r);
            else
                span<0>(points, n, d, merges, r);
        });
    }, nb::arg("x"), nb::arg("threads"), nb::arg("pair"), nb::arg("height"));
});

}  // namespace
}  // namespace suffice
