// Rounds of gradient boosting: gradients of a loss, a tree of Newton steps for each predictor, and predictors moved by
// what its leaves say.
#pragma once

#include "growth/boosting.hpp"
#include "growth/draws.hpp"
#include "growth/scaled_steps.hpp"
#include "predictors/known_parts.hpp"

namespace suffice {

struct RoundsPlan {
    int kind;                 // of the loss; kSoftmax: of several classes
    const double* numbers;    // of the loss, 2
    double rate, l2;
    double curvature;         // of all rows, or NaN where the loss gives that of each
    double share;             // the quantile of residuals that leaves say, or NaN
    double unit;              // what a whole weight stands for
    int bits;                 // of the largest number
    const double *y, *weight, *counted;     // (n): targets; weights, and those of rows learned from, null for 1
    const double* factor;                   // (n): weights before rounding, or null
    const std::int64_t* times;              // (n): whole weights, or null for 1
    const std::int32_t* learned;            // (n): 0 or 1, or null for all
    Sampling sampling;                      // of each tree; no draws: all that are learned from
    const std::int64_t* judged;             // (m): rows whose predictors are written down after each round
    std::size_t judged_count;

    static constexpr int kSoftmax = -1;
};

// Predictors (k, n) with their gradients and, unless one is for all, curvatures.
struct Standing {
    double *raw, *gradient, *curvature;
    std::size_t k, n;
};

struct Residual {
    double value, weight;
    bool operator<(const Residual& o) const { return value < o.value; }
};

// The quantile of some residuals, by count or by weight: the middle one of those equally good.
class LeafQuantile {
  public:
    LeafQuantile(double share, Residual* begin, Residual* end) : share_(share), begin_(begin), end_(end) {}

    double by_count() {
        const double n = static_cast<double>(end_ - begin_);
        const auto place = [&](double slack) {
            return static_cast<std::ptrdiff_t>(std::clamp(std::ceil((share_ + slack) * n) - 1, 0.0, n - 1));
        };
        Residual *low = begin_ + place(-kTied), *high = begin_ + place(kTied);
        std::nth_element(begin_, low, end_);
        if (high != low) std::nth_element(low + 1, high, end_);
        return 0.5 * (low->value + high->value);
    }
    double by_weight() {
        std::sort(begin_, end_);
        double total = 0;
        for (const Residual* r = begin_; r != end_; ++r) total += r->weight;
        return 0.5 * (reached((share_ - kTied) * total) + reached((share_ + kTied) * total));
    }

  private:
    static constexpr double kTied = 1e-9;

    double reached(double aim) const {
        double below = 0;
        for (const Residual* r = begin_; r != end_; ++r)
            if ((below += r->weight) >= aim) return r->value;
        return (end_ - 1)->value;
    }

    double share_;
    Residual *begin_, *end_;
};

// Gradients and curvatures of the deviance of k classes; Σ w ℓ of some rows.
struct SoftmaxParts {
    const double *raw, *y, *weight;  // (k, n); (n): numbers of classes; (n), or null for 1
    double *gradient, *curvature;    // (k, n)
    std::size_t k, n;

    // Predictors, gradients and curvatures lie class by class, so that vectors go over rows.
    double operator()(std::size_t begin, std::size_t end) const {
        Vec total{};
        for (std::size_t i = begin; i < end; i += kLanes) {
            const std::size_t count = std::min<std::size_t>(kLanes, end - i);
            const auto read = [&](const double* from) {
                double held[kLanes] = {};
                std::copy_n(from, count, held);
                return count == kLanes ? load(from) : load(held);
            };
            const auto write = [&](double* to, Vec v) {
                double held[kLanes];
                if (count == kLanes) return store(to, v);
                store(held, v);
                std::copy_n(held, count, to);
            };
            const Vec own_class = read(y + i);
            Vec top = read(raw + i), sum{}, own{};
            for (std::size_t c = 1; c < k; ++c) {
                const Vec eta = read(raw + c * n + i);
                top = eta > top ? eta : top;
            }
            for (std::size_t c = 0; c < k; ++c) {
                const Vec eta = read(raw + c * n + i), e = exp_nonpositive(eta - top, kLeastExponent);
                own = own_class == static_cast<double>(c) ? eta : own;
                sum += e;
                write(gradient + c * n + i, e);
            }
            for (std::size_t c = 0; c < k; ++c) {
                const Vec share = read(gradient + c * n + i) / sum;
                write(curvature + c * n + i, share * (1.0 - share));
                write(gradient + c * n + i, own_class == static_cast<double>(c) ? share - 1.0 : share);
            }
            Vec w = weight ? read(weight + i) : broadcast(1.0);
            for (std::size_t l = count; l < kLanes; ++l) w[l] = 0;
            total += w > 0.0 ? w * (log_normal(sum) + top - own) : Vec{};
        }
        return sum_lanes(total);
    }
};

class Rounds {
  public:
    using Tree = BoostedGrower::Tree;

    Rounds(const CodedTable& table, const Limits& limits, const Boosted& asked, const RoundsPlan& plan,
           const Standing& standing, Team& team)
        : plan_(plan), at_(standing), team_(team), stripes_(standing.n, 4096), own_(stripes_.count()),
          grower_(table, limits, asked, team) {
        for (std::size_t i = 0; plan_.times && i < at_.n; ++i) most_times_ = std::max(most_times_, plan_.times[i]);
    }

    const TripleRows& rows() const { return grower_.rows(); }

    // A tree of predictor c, what its nodes say, and the predictors moved by it.
    Tree tree(std::size_t c, std::uint64_t seed, std::vector<double>& value, Clock& clock) {
        const Step step = this->step(c, seed);
        Tree found = grower_.grow(step, scaled_, clock);
        const std::size_t first = value.size();
        double* raw = at_.raw + c * at_.n;
        value.resize(first + found.nodes.size());
        if (std::isnan(plan_.share)) say_steps(found, step.units, &value[first]);
        else say_quantiles(found, raw, &value[first]);
        const double* says = &value[first];
        grower_.each_leaf(found, step.times, [&](Row row, std::size_t leaf) { raw[row] += says[leaf]; });
        return found;
    }

    // Gradients and curvatures at the predictors; Σ w ℓ of the rows learned from.
    double parts() {
        if (plan_.kind == RoundsPlan::kSoftmax) {
            each_stripe(SoftmaxParts{at_.raw, plan_.y, plan_.counted, at_.gradient, at_.curvature, at_.k, at_.n});
        } else {
            const Known known{at_.raw, plan_.y, plan_.counted, at_.gradient, at_.curvature};
            with_loss(plan_.kind, plan_.numbers, [&](const auto& loss) {
                each_stripe([&](std::size_t begin, std::size_t end) { return parts_of(loss, known, begin, end); });
            });
        }
        double total = 0;
        for (const double own : own_) total += own;
        return total;
    }

    void write_judged(double* out) const {
        for (std::size_t c = 0; c < at_.k; ++c)
            for (std::size_t i = 0; i < plan_.judged_count; ++i)
                *out++ = at_.raw[c * at_.n + static_cast<std::size_t>(plan_.judged[i])];
    }

  private:
    static constexpr int kLeast = -1000;  // the exponent of the smallest unit

    // own_[s] = work(begin, end) of each stripe s of rows.
    template <class Work>
    void each_stripe(const Work& work) {
        team_.share(stripes_.count(), [&](std::size_t s, std::size_t) { own_[s] = work(stripes_.begin(s), stripes_.end(s)); });
    }

    Step step(std::size_t c, std::uint64_t seed) {
        const double* gradient = at_.gradient + c * at_.n;
        const double* curvature = at_.curvature ? at_.curvature + c * at_.n : nullptr;
        const double most_first = largest(gradient), most_second = curvature ? largest(curvature) : 0.0;
        const int first = exponent(most_first), second = curvature ? exponent(most_second) : 0;
        scaled_ = {std::ldexp(1.0, -first), std::ldexp(1.0, -second), gradient, curvature, plan_.factor, plan_.times};
        const std::int64_t times = plan_.factor ? 1 : most_times_;
        const Packing packing(times * Scaled::rounded(most_first * scaled_.first),
                              curvature ? times * Scaled::rounded(most_second * scaled_.second) : most_times_, most_times_,
                              !curvature);
        const double unit = curvature ? std::ldexp(1.0, second) : plan_.curvature * plan_.unit;
        const std::int32_t* learned = plan_.learned;
        if (plan_.sampling.draws) {
            plan_.sampling.fill(drawn_, at_.n, seed);
            learned = drawn_.data();
        }
        return {{std::ldexp(1.0, first), unit, plan_.unit, plan_.l2}, packing, learned, seed};
    }

    // The largest size of a number times its factor, of rows that weigh something.
    double largest(const double* numbers) {
        each_stripe([&](std::size_t begin, std::size_t end) {
            double most = 0;
            if (!plan_.weight)
                for (std::size_t i = begin; i < end; ++i) most = std::max(most, std::abs(numbers[i]));
            else
                for (std::size_t i = begin; i < end; ++i)
                    if (plan_.weight[i] > 0)
                        most = std::max(most, std::abs(plan_.factor ? numbers[i] * plan_.factor[i] : numbers[i]));
            return most;
        });
        return *std::max_element(own_.begin(), own_.end());
    }
    int exponent(double most) const {
        int found = 0;
        std::frexp(most > 0 ? most : 1.0, &found);
        return std::max(found - plan_.bits, kLeast);
    }

    void say_steps(const Tree& tree, const TripleUnits& u, double* value) const {
        for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
            const double first = static_cast<double>(tree.sums[k].first) * u.first;
            const double second = static_cast<double>(tree.sums[k].second) * u.second + u.l2;
            value[k] = plan_.rate * grower_.bounds(k).clipped(second > 0 ? first / second : 0.0);
        }
    }
    // Of leaves alone.
    void say_quantiles(const Tree& tree, const double* raw, double* value) {
        residuals_.resize(at_.n);
        team_.share(tree.nodes.size(), [&](std::size_t k, std::size_t) {
            const Span span = grower_.span(k);
            if (tree.nodes[k].left >= 0 || span.size() == 0) return;
            for (std::size_t i = span.begin; i < span.end; ++i) {
                const Row row = grower_.row(i);
                residuals_[i] = {plan_.y[row] - raw[row], plan_.weight ? plan_.weight[row] : 1.0};
            }
            LeafQuantile own(plan_.share, &residuals_[span.begin], &residuals_[0] + span.end);
            value[k] = plan_.rate * (plan_.weight ? own.by_weight() : own.by_count());
        });
    }

    const RoundsPlan& plan_;
    const Standing at_;
    Team& team_;
    const Stripes stripes_;
    std::vector<double> own_;  // of each stripe
    BoostedGrower grower_;
    Scaled scaled_{};
    std::int64_t most_times_ = 1;
    std::vector<std::int32_t> drawn_;
    std::vector<Residual> residuals_;  // of the rows that are held, leaf by leaf
};

}  // namespace suffice
