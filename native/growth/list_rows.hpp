// Rows that add to a list of sums, of the same shape as `PairRows`: to the weights of k classes, where a row has a class
// and a weight; or to the sums of several targets and of weights, k in all, where it has one number for each.
#pragma once

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "growth/pair_rows.hpp"

namespace suffice {

template <bool kClasses>
class ListRows {
  public:
    struct OfClass {
        std::int64_t at, weight;
    };
    struct OfNumbers {
        const std::int64_t* sums;  // (k)
        std::int64_t times;
    };
    using Own = std::conditional_t<kClasses, OfClass, OfNumbers>;
    using Sums = std::vector<std::int64_t>;  // (k)

    explicit ListRows(const Targets& targets) : t_(targets), k_(targets.k) {}

    Own own(Row row, std::int64_t times) const {
        if constexpr (kClasses) return {t_.sums[2 * row], times * t_.sums[2 * row + 1]};
        else return {t_.sums + row * k_, times};
    }
    Sums zero() const { return Sums(k_); }
    static void add(Sums& sums, const Own& own) { add(sums.data(), sums.size(), own); }
    void close(Sums&) const {}
    void write(const Sums& s, std::int64_t* out) const { std::copy(s.begin(), s.end(), out); }
    double weight(const Sums& s) const { return weight(s.data()); }
    double score(const Sums& s) const { return score(s.data(), total(s.data())); }
    double value(const Sums&) const { return 0.0; }

    class Cells {
      public:
        explicit Cells(const ListRows& rows) : k(rows.k_), missing(k), of_code_(kCodes * k) {}

        void add(Code code, const Own& own) { ListRows::add(&of_code_[code * k], k, own); }
        bool empty(std::size_t code) const {
            const auto* first = &of_code_[code * k];
            return std::all_of(first, first + k, [](auto w) { return w == 0; });
        }
        void take(std::size_t code) {
            auto* first = &of_code_[code * k];
            if (code == kMissing) std::copy_n(first, k, missing.begin());
            else found.insert(found.end(), first, first + k);
            std::fill_n(first, k, 0);
        }
        void open() { found.resize(found.size() + k); }
        void add_to_last(const Own& own) { ListRows::add(&found[found.size() - k], k, own); }
        void add_missing(const Own& own) { ListRows::add(missing.data(), k, own); }
        void clear() { found.clear(), std::fill(missing.begin(), missing.end(), 0); }

        std::size_t k;
        Sums found, missing, left, right;  // k numbers for each place
        std::vector<double> score, weight;

      private:
        Sums of_code_;
    };

    // Categories are ordered by the share of each class in turn, or by the mean of each target.
    std::size_t orders() const { return kClasses ? k_ : k_ - 1; }
    double rank(const Cells& cells, std::size_t place, std::size_t order) const {
        const auto* w = &cells.found[place * k_];
        return static_cast<double>(w[order]) / static_cast<double>(total(w));
    }

    class Sides {
      public:
        Sides(const ListRows& rows, Cells& cells, const Sums& all) : rows_(rows), c_(cells), all_(all.data()) {}

        const double* scores(const std::vector<std::size_t>& order, std::size_t count, bool missing_left, double least) {
            const std::size_t k = c_.k;
            c_.score.resize(count), c_.weight.resize(count);
            c_.right.assign(all_, all_ + k);
            c_.left.assign(k, 0);
            if (missing_left) shift(c_.missing.data());
            for (std::size_t p = 0; p < count; ++p) {
                shift(&c_.found[order[p] * k]);
                const double left = rows_.weight(c_.left.data()), right = rows_.weight(c_.right.data());
                c_.weight[p] = left - right;
                c_.score[p] = left >= least && right >= least ? rows_.score(c_.left) + rows_.score(c_.right)
                                                              : -std::numeric_limits<double>::infinity();
            }
            return c_.score.data();
        }
        double left_weight(std::size_t p) const { return c_.weight[p]; }  // as much as it is more than the right one
        double right_weight(std::size_t) const { return 0.0; }
        double left_value(std::size_t) const { return 0.0; }
        double right_value(std::size_t) const { return 0.0; }

      private:
        void shift(const std::int64_t* w) {
            for (std::size_t c = 0; c < c_.k; ++c) c_.left[c] += w[c], c_.right[c] -= w[c];
        }

        const ListRows& rows_;
        Cells& c_;
        const std::int64_t* all_;
    };

  private:
    static void add(std::int64_t* sums, [[maybe_unused]] std::size_t k, const Own& own) {
        if constexpr (kClasses) sums[own.at] += own.weight;
        else
            for (std::size_t c = 0; c < k; ++c) sums[c] += own.times * own.sums[c];
    }
    std::int64_t total(const std::int64_t* w) const {
        return kClasses ? std::accumulate(w, w + k_, std::int64_t{0}) : w[k_ - 1];
    }
    double weight(const std::int64_t* w) const { return static_cast<double>(total(w)) * t_.weight_unit; }
    double score(const std::int64_t* w, std::int64_t sum) const {
        const double own = static_cast<double>(sum);
        if constexpr (kClasses) return class_score(t_.criterion, w, k_, own) * t_.weight_unit;
        if (t_.criterion == Criterion::deviance) return targets_deviance(w, k_ - 1, own * t_.weight_unit, t_.first_unit);
        return targets_score(w, k_ - 1, own) * (t_.first_unit * t_.first_unit / t_.weight_unit);
    }

    Targets t_;
    std::size_t k_;
};

}  // namespace suffice
