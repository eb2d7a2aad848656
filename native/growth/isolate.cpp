// Trees that set rows apart by random cuts of random columns; see suffice/backend/growth/isolating.py for what they are.
//
// Built without fused operations, so that cuts are those of the plain formula.
#include <cmath>
#include <numeric>

#include "core/growing.hpp"
#include "core/in_order.hpp"
#include "growth/columns.hpp"
#include "growth/draws.hpp"

namespace suffice {
namespace {

struct IsolatingTree {
    std::vector<std::int32_t> column, left, depth;
    std::vector<double> threshold;
    std::vector<std::uint8_t> missing_left;
    std::vector<std::int64_t> count;

    void clear() { column.clear(), left.clear(), depth.clear(), threshold.clear(), missing_left.clear(), count.clear(); }
    void add(std::size_t rows, std::size_t deep) {
        column.push_back(-1), left.push_back(-1), threshold.push_back(0.0), missing_left.push_back(0);
        depth.push_back(static_cast<std::int32_t>(deep)), count.push_back(static_cast<std::int64_t>(rows));
    }
};

struct IsolatingTrees {
    Growing<std::int64_t> starts, count;
    Growing<std::int32_t> column, left, depth;
    Growing<double> threshold;
    Growing<std::uint8_t> missing_left;

    IsolatingTrees() { starts.push_back(0); }
    void append(const IsolatingTree& tree) {
        column.append(tree.column), left.append(tree.left), depth.append(tree.depth), threshold.append(tree.threshold);
        missing_left.append(tree.missing_left), count.append(tree.count);
        starts.push_back(static_cast<std::int64_t>(column.size()));
    }
};

template <class T>
class Isolating {
  public:
    Isolating(const View<T>& x, std::size_t of_tree, std::size_t most_depth) : x_(x), of_tree_(of_tree), most_depth_(most_depth) {}

    // `times` says how often each row counts.
    void grow(const std::vector<std::int32_t>& times, std::uint64_t seed, IsolatingTree& tree) {
        rows_.clear();
        for (std::size_t i = 0; i < times.size(); ++i) rows_.insert(rows_.end(), static_cast<std::size_t>(times[i]), static_cast<Row>(i));
        spare_.resize(rows_.size());
        tree.clear(), open_.clear();
        pool_ = drawn_columns(x_.cols, of_tree_, seed);
        tree.add(rows_.size(), 0);
        open_.push_back({0, {0, rows_.size()}, seed});
        while (!open_.empty()) {
            const Open own = open_.back();
            open_.pop_back();
            split(own, tree);
        }
    }

  private:
    struct Open {
        std::size_t node;
        Span span;
        std::uint64_t seed;
    };
    struct Range {
        double low = std::numeric_limits<double>::infinity(), high = -low;
    };

    void split(Open own, IsolatingTree& tree) {
        const auto depth = static_cast<std::size_t>(tree.depth[own.node]);
        if (depth >= most_depth_ || own.span.size() < 2) return;
        drawn_ = pool_;
        for (std::size_t j = 0; j < drawn_.size(); ++j) {
            std::swap(drawn_[j], drawn_[j + below(own.seed, drawn_.size() - j)]);
            const Range range = range_of(drawn_[j], own.span);
            if (!(range.low < range.high)) continue;
            const double share = uniform(own.seed), at = range.low * (1 - share) + range.high * share;
            cut(own, drawn_[j], at >= range.low && at < range.high ? at : range.low, tree);
            return;
        }
    }
    Range range_of(std::size_t column, Span span) const {
        Range found;
        for (std::size_t i = span.begin; i < span.end; ++i) {
            const auto x = static_cast<double>(x_.at(rows_[i], column));
            if (x < found.low) found.low = x;
            if (x > found.high) found.high = x;
        }
        return found;
    }
    void cut(Open own, std::size_t column, double at, IsolatingTree& tree) {
        std::size_t below_it = 0, above = 0;
        for (std::size_t i = own.span.begin; i < own.span.end; ++i) {
            const auto x = static_cast<double>(x_.at(rows_[i], column));
            below_it += x <= at, above += x > at;
        }
        const bool missing_left = below_it > above;
        const std::size_t middle = divide(own.span, column, at, missing_left), left = tree.column.size();
        const auto deep = static_cast<std::size_t>(tree.depth[own.node]) + 1;
        tree.column[own.node] = static_cast<std::int32_t>(column), tree.left[own.node] = static_cast<std::int32_t>(left);
        tree.threshold[own.node] = at, tree.missing_left[own.node] = missing_left;
        tree.add(middle - own.span.begin, deep), tree.add(own.span.end - middle, deep);
        const std::uint64_t right_seed = next_random(own.seed), left_seed = next_random(own.seed);
        open_.push_back({left + 1, {middle, own.span.end}, right_seed});
        open_.push_back({left, {own.span.begin, middle}, left_seed});
    }
    std::size_t divide(Span span, std::size_t column, double at, bool missing_left) {
        std::size_t left = span.begin, right = 0;
        for (std::size_t i = span.begin; i < span.end; ++i) {
            const Row row = rows_[i];
            const auto x = static_cast<double>(x_.at(row, column));
            const bool goes_left = x <= at || (missing_left && std::isnan(x));
            spare_[right] = rows_[left] = row;
            left += goes_left, right += !goes_left;
        }
        std::copy_n(spare_.begin(), right, rows_.begin() + static_cast<std::ptrdiff_t>(left));
        return left;
    }

    const View<T> x_;
    const std::size_t of_tree_, most_depth_;
    std::vector<Row> rows_, spare_;
    std::vector<std::size_t> pool_, drawn_;
    std::vector<Open> open_;
};

template <class T>
void define(nb::module_& m) {
    m.def(
        "grow_isolating",
        [](const Matrix<T>& x, const Codes& seeds, std::size_t drawn, bool replace, const Optional<Codes>& mass,
           std::size_t of_tree, std::size_t most_depth, int threads) {
            const View<T> rows = view<T>(x);
            expect_draws(drawn, mass, rows.rows);
            if (rows.rows == 0 || rows.rows >= kNoPlace || drawn == 0 || of_tree == 0 || of_tree > rows.cols)
                throw nb::value_error("the growth of trees was asked for wrongly");
            const Sampling sampling{drawn, replace, pointer(mass)};
            IsolatingTrees found;
            InOrder<IsolatingTree> trees(seeds.size());
            struct Scratch {
                Isolating<T> grower;
                std::vector<std::int32_t> times;
            };
            call(threads, [&](const Runtime& runtime) {
                for_stripes(
                    seeds.size(), 5.0 * static_cast<double>(seeds.size() * (rows.rows + 20 * drawn)), runtime,
                    [&] { return Scratch{{rows, of_tree, most_depth}, {}}; },
                    [&](std::size_t t, Scratch& own) {
                        const auto seed = static_cast<std::uint64_t>(seeds.data()[t]);
                        sampling.fill(own.times, rows.rows, seed);
                        auto part = trees.blank();
                        own.grower.grow(own.times, seed, *part);
                        trees.bring(t, std::move(part), [&](const IsolatingTree& tree, bool) { found.append(tree); });
                    });
            });
            return nb::make_tuple(owned(std::move(found.starts)), owned(std::move(found.column)), owned(std::move(found.left)),
                                  owned(std::move(found.threshold)), owned(std::move(found.missing_left)),
                                  owned(std::move(found.depth)), owned(std::move(found.count)));
        },
        nb::arg("x"), nb::arg("seeds"), nb::arg("drawn"), nb::arg("replace"), nb::arg("mass").none(), nb::arg("of_tree"),
        nb::arg("most_depth"), nb::arg("threads"));
}

void add(nb::module_& m) {
    define<double>(m);
    define<float>(m);
}

const Register registered(add);

}  // namespace
}  // namespace suffice
