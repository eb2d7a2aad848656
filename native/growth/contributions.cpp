// Shapley values of the columns for what trees say of a row, where a column that is not known sends rows both ways, by
// the weights of the children (path-dependent TreeSHAP).
//
// A leaf adds v · Π f_j over the columns j of its path, where f_j is o_j (whether the row takes all branches that j
// decides) if j is known, and z_j (the share of the weight that does) if not. The mean over all orders of the columns is
// an integral over t, the share of columns that are known:
//     φ_i = v · (o_i − z_i) · ∫ Π_{j≠i} (o_j t + z_j (1 − t)) dt,
// a polynomial in t, so that a Gauss rule of half as many points as there are columns is exact. Each node of the path
// multiplies the product at all points, and the sums of the leaves come back up, so that a node costs the same at any
// depth. Where a column decides again further down, its factor is replaced: what the node above adds for those leaves is
// taken away. Rows go eight side by side; all of them meet all nodes.
#include <stdexcept>
#include <vector>

#include "growth/forest.hpp"

namespace suffice {
namespace {

constexpr std::size_t kLanes = 8, kBlock = 256;  // rows side by side; rows of a block

struct Gauss {
    const double *t, *weight;
    std::size_t points;
};

// A node on the way through a tree, every parent before its children, the left half of a tree before the right one.
struct Stop {
    std::int32_t node, above;  // above: the stop from which the same column was decided before; 0, the root: never
    std::int32_t parent;
    std::uint32_t depth, column;
    double share, before, here;  // of the weight: of the parent's, and of the column's decisions without and with this
    bool leaf, is_left;
};

// The ways through all trees, and the greatest depth.
struct Ways {
    std::vector<Stop> stops;
    std::vector<std::size_t> starts{0};
    std::size_t depth = 0, longest = 0;
};

class Walk {
  public:
    Walk(const Forest& f, const double* weight, std::size_t columns) : f_(f), weight_(weight), last_(columns, 0) {}

    Ways all() {
        for (std::size_t t = 0; t < f_.trees; ++t) {
            first_ = f_.starts[t];
            size_ = static_cast<std::size_t>(f_.starts[t + 1] - first_);
            begin_ = found_.stops.size();
            found_.stops.push_back({0, 0, 0, 0, 0, 1.0, 1.0, 1.0, is_leaf(0), false});
            descend();
            found_.longest = std::max(found_.longest, found_.stops.size() - begin_);
            found_.starts.push_back(found_.stops.size());
        }
        return std::move(found_);
    }

  private:
    bool is_leaf(std::int32_t node) const { return f_.nodes[first_ + node].left == node; }
    Stop& stop(std::int32_t s) { return found_.stops[begin_ + static_cast<std::size_t>(s)]; }

    void descend() {
        std::vector<std::int32_t> path;  // stops of the node that is looked at and of those above it
        struct Child {
            std::int32_t parent;
            bool is_left;
        };
        std::vector<Child> open;
        const auto enter = [&](std::int32_t s) {
            path.push_back(s);
            if (!stop(s).leaf) open.push_back({s, false}), open.push_back({s, true});
        };
        enter(0);
        while (!open.empty()) {
            const Child child = open.back();
            open.pop_back();
            while (path.back() != child.parent) leave(path);
            if (found_.stops.size() - begin_ >= size_) throw std::invalid_argument("a node has two parents");
            add(child.parent, child.is_left);
            enter(static_cast<std::int32_t>(found_.stops.size() - begin_) - 1);
        }
        while (!path.empty()) leave(path);
    }

    void leave(std::vector<std::int32_t>& path) {
        const Stop& gone = stop(path.back());
        if (path.size() > 1) last_[gone.column] = gone.above;
        path.pop_back();
    }

    void add(std::int32_t parent, bool is_left) {
        const Stop from = stop(parent);
        const ForestNode& split = f_.nodes[first_ + from.node];
        const double left = weight_[first_ + split.left], right = weight_[first_ + split.left + 1], both = left + right;
        const double share = both > 0 ? (is_left ? left : right) / both : 0.5;
        const std::uint32_t column = split.column >> 2;
        const std::int32_t above = last_[column], node = split.left + !is_left;
        const double before = stop(above).here;
        last_[column] = static_cast<std::int32_t>(found_.stops.size() - begin_);
        found_.stops.push_back({node, above, parent, from.depth + 1, column, share, before, before * share, is_leaf(node), is_left});
        found_.depth = std::max<std::size_t>(found_.depth, from.depth + 1);
    }

    const Forest& f_;
    const double* weight_;
    std::vector<std::int32_t> last_;  // (d): the stop where a column was decided last on the path
    Ways found_;
    std::int64_t first_ = 0;
    std::size_t size_ = 0, begin_ = 0;
};

// By what a node multiplies the product at a point, and what its column adds of the sum there, for rows that take the
// branches of the column up to here; up to the node before, but not here; or not even those.
struct Factors {
    double all, until_here, none;
    double adds, loses;
};

Factors factors_of(const Stop& s, double t, double weight) {
    const double before = t + s.before * (1 - t), here = t + s.here * (1 - t);
    const double was = (1 - s.before) / before;
    return {here / before, s.here * (1 - t) / before, s.share, weight * ((1 - s.here) / here - was), weight * (-1 / (1 - t) - was)};
}

struct Scratch {
    std::vector<double> rows, product, sum;  // (kBlock, d); (depth + 1, points, lanes); (depth + 1, q, points, lanes)
    std::vector<Factors> factors;            // (stops, points)
    std::vector<std::uint8_t> taken;         // (stops): the lanes whose rows take the branches of its column
    std::vector<std::int32_t> path;          // (depth + 1)
};

class Contributions {
  public:
    Contributions(const Forest& f, const Ways& ways, const Gauss& gauss, const double* value, std::size_t q, std::size_t d)
        : f_(f), w_(ways), g_(gauss), value_(value), q_(q), d_(d), wide_(gauss.points * kLanes) {}

    Scratch scratch() const {
        const std::size_t levels = w_.depth + 1;
        return {std::vector<double>(kBlock * d_), std::vector<double>(levels * wide_), std::vector<double>(levels * q_ * wide_),
                std::vector<Factors>(w_.longest * g_.points), std::vector<std::uint8_t>(w_.longest), std::vector<std::int32_t>(levels)};
    }

    // Of the rows of a block, (count, d), to out, (count, d, q).
    void block(const double* rows, std::size_t count, Scratch& own, double* out) const {
        for (std::size_t t = 0; t < f_.trees; ++t) {
            const Stop* stops = w_.stops.data() + w_.starts[t];
            const std::size_t size = w_.starts[t + 1] - w_.starts[t];
            for (std::size_t s = 0; s < size; ++s)
                for (std::size_t p = 0; p < g_.points; ++p)
                    own.factors[s * g_.points + p] = factors_of(stops[s], g_.t[p], g_.weight[p]);
            for (std::size_t i = 0; i < count; i += kLanes)
                tree(t, stops, size, rows + i * d_, std::min(kLanes, count - i), own, out + i * d_ * q_);
        }
    }

  private:
    void tree(std::size_t t, const Stop* stops, std::size_t size, const double* rows, std::size_t count, Scratch& own,
              double* out) const {
        const ForestNode* nodes = f_.nodes + f_.starts[t];
        const double* value = value_ + static_cast<std::size_t>(f_.starts[t]) * q_;
        own.taken[0] = 0xff;
        std::fill_n(own.product.data(), wide_, 1.0);
        std::size_t depth = 0;
        own.path[0] = 0;
        for (std::size_t s = 1; s < size; ++s) {
            const Stop& at = stops[s];
            for (; depth >= at.depth; --depth) close(stops, depth, own, count, out);
            const std::uint8_t left = goes(nodes[stops[at.parent].node], rows, count);
            own.taken[s] = own.taken[static_cast<std::size_t>(at.above)] & (at.is_left ? left : ~left);
            open(at, s, own);
            if (at.leaf) say(value + static_cast<std::size_t>(at.node) * q_, at.depth, own);
            else std::fill_n(&own.sum[at.depth * q_ * wide_], q_ * wide_, 0.0);
            depth = at.depth;
            own.path[depth] = static_cast<std::int32_t>(s);
        }
        for (; depth > 0; --depth) close(stops, depth, own, count, out);
    }

    std::uint8_t goes(const ForestNode& node, const double* rows, std::size_t count) const {
        unsigned found = 0;
        for (std::size_t l = 0; l < count; ++l)
            found |= static_cast<unsigned>(goes_left(f_, node, rows[l * d_ + (node.column >> 2)])) << l;
        return static_cast<std::uint8_t>(found);
    }

    static void lanes_of(std::uint8_t mask, std::int64_t* lanes) {
        for (std::size_t l = 0; l < kLanes; ++l) lanes[l] = mask >> l & 1;
    }

    void open(const Stop& at, std::size_t s, Scratch& own) const {
        std::int64_t here[kLanes], above[kLanes];
        lanes_of(own.taken[s], here);
        lanes_of(own.taken[static_cast<std::size_t>(at.above)], above);
        const double* from = &own.product[(at.depth - 1) * wide_];
        double* to = &own.product[at.depth * wide_];
        for (std::size_t p = 0; p < g_.points; ++p) {
            const Factors& f = own.factors[s * g_.points + p];
            for (std::size_t l = 0; l < kLanes; ++l) {
                const double missed = above[l] ? f.until_here : f.none;
                to[p * kLanes + l] = from[p * kLanes + l] * (here[l] ? f.all : missed);
            }
        }
    }

    void say(const double* value, std::size_t depth, Scratch& own) const {
        const double* from = &own.product[depth * wide_];
        double* to = &own.sum[depth * q_ * wide_];
        for (std::size_t c = 0; c < q_; ++c)
            for (std::size_t k = 0; k < wide_; ++k) to[c * wide_ + k] = value[c] * from[k];
    }

    // What the column of the node at this depth of the path adds, from the leaves below it.
    void close(const Stop* stops, std::size_t depth, Scratch& own, std::size_t count, double* out) const {
        const auto s = static_cast<std::size_t>(own.path[depth]);
        const auto above_stop = static_cast<std::size_t>(stops[s].above);
        std::int64_t here[kLanes], above[kLanes];
        lanes_of(own.taken[s], here);
        lanes_of(own.taken[above_stop], above);
        for (std::size_t c = 0; c < q_; ++c) {
            const double* from = &own.sum[(depth * q_ + c) * wide_];
            double found[kLanes] = {};
            for (std::size_t p = 0; p < g_.points; ++p) {
                const Factors& f = own.factors[s * g_.points + p];
                for (std::size_t l = 0; l < kLanes; ++l) {
                    const double missed = above[l] ? f.loses : 0.0;
                    found[l] += from[p * kLanes + l] * (here[l] ? f.adds : missed);
                }
            }
            for (std::size_t l = 0; l < count; ++l) out[(l * d_ + stops[s].column) * q_ + c] += found[l];
        }
        if (depth == 1) return;
        const double* from = &own.sum[depth * q_ * wide_];
        double* to = &own.sum[(depth - 1) * q_ * wide_];
        for (std::size_t k = 0; k < q_ * wide_; ++k) to[k] += from[k];
    }

    const Forest& f_;
    const Ways& w_;
    const Gauss g_;
    const double* value_;
    const std::size_t q_, d_, wide_;
};

template <class T>
void define(nb::module_& m) {
    m.def(
        "tree_contributions",
        [](const Matrix<T>& x, const Vector<std::uint8_t>& nodes, const Codes& starts, const Vector<std::uint64_t>& sets,
           const Codes& words, const Vector<double>& weight, const Full<double>& value, const Vector<double>& t,
           const Vector<double>& rule, const Output& out, int threads) {
            const Forest f = forest_of(x.shape(1), nodes, starts, sets, words);
            const std::size_t q = value.shape(1), size = nodes.size() / sizeof(ForestNode), d = x.shape(1);
            expect("weight", weight, size);
            expect("value", value, size * q);
            expect("rule", rule, t.size());
            expect("out", out, x.size() * q);
            call(threads, [&](const Runtime& runtime) {
                const Ways ways = Walk(f, weight.data(), d).all();
                const Contributions all(f, ways, {t.data(), rule.data(), t.size()}, value.data(), q, d);
                const View<T> rows = view<T>(x);
                const double work = 2.0 * static_cast<double>(ways.stops.size() * rows.rows * t.size() * (q + 1));
                for_stripes((rows.rows + kBlock - 1) / kBlock, work, runtime, [&] { return all.scratch(); },
                            [&](std::size_t b, Scratch& own) {
                                const std::size_t begin = b * kBlock, count = std::min(kBlock, rows.rows - begin);
                                all.block(rows_as_double(rows, begin, count, own.rows.data()), count, own,
                                          out.data() + begin * d * q);
                            });
            });
        },
        nb::arg("x"), nb::arg("nodes"), nb::arg("starts"), nb::arg("sets"), nb::arg("words"), nb::arg("weight"),
        nb::arg("value"), nb::arg("t"), nb::arg("rule"), nb::arg("out"), nb::arg("threads"));
}

void add(nb::module_& m) {
    define<double>(m);
    define<float>(m);
}

const Register registered(add);

}  // namespace
}  // namespace suffice
