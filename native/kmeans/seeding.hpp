// The centres of k-means++ as they are found: what is kept of every row, and how the best candidate is told.
//
// A candidate at least twice as far from a row's centre as the row is cannot be nearer to the row (triangle
// inequality), so most rows are not read once a few centres stand. What the candidates would gain is estimated in single
// precision; where this cannot tell which is best, and for rows that a new centre may be nearer to, it is computed in double.
// The error grows with the number of columns, so that of long rows it is computed in double at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "kmeans/nearest.hpp"
#include "kmeans/seed_estimates.hpp"
#include "core/squared_distance.hpp"

namespace suffice {

inline constexpr double kSeedSlack = 1 + 1e-9;  // rounding of squared distances, far above what it can be

struct RowWeights {
    const double* given;  // null: each row counts once

    double operator()(std::size_t i) const { return given ? given[i] : 1.0; }
};

// The seeds so far, and for each row the nearest of them.
template <class T>
class Seeding {
    static constexpr std::size_t kMostCells = std::size_t{1} << 25;  // 128 MiB
    static constexpr std::size_t kLong = 512;  // columns
    static constexpr std::size_t kMore = 3 * Estimates::kRows;  // rows after the last, to fetch without asking

  public:
    Seeding(const View<T>& x, RowWeights weight, const Runtime& runtime, double* centres)
        : x_(x), weight_(weight), runtime_(runtime), stripes_(x.rows, least_rows(x.cols, 1024)), centres_(centres),
          frame_(View<T>{x.data, is_long() ? 0 : x.rows, x.cols, x.row_stride, x.col_stride}),
          squared_(x.rows, std::numeric_limits<double>::infinity()), nearest_(x.rows), total_(stripes_.count()),
          norm_(x.rows), nearer_(x.rows), cells_(!is_long() && x.rows * x.cols <= kMostCells ? x.rows * x.cols : 0) {}

    // Takes in the candidate row that leaves the smallest Σ w squared; the first of equally good ones.
    void add(const std::vector<std::size_t>& rows) {
        read_candidates(rows);
        find_limits();
        const std::size_t best = candidates_.size() > 1 ? best_candidate() : 0;
        std::copy_n(candidates_[best].data(), x_.cols, centres_ + count_ * x_.cols);
        take(best);
        ++count_;
    }

    std::size_t draw_by_weight(double uniform) const {
        double all = 0;
        for (std::size_t i = 0; i < x_.rows; ++i) all += weight_(i);
        return find(0, x_.rows, uniform * all, weight_);
    }

    // The row where the running sum of w squared passes that share of the whole.
    std::size_t draw_by_distance(double uniform) const {
        const double all = remaining();
        double before = 0;
        std::size_t s = 0, last = 0;
        for (double mark = uniform * all; s < stripes_.count(); ++s) {
            if (total_[s] > 0) last = s;
            if (before + total_[s] > mark) break;
            before += total_[s];
        }
        if (s == stripes_.count()) s = last;
        auto mass = [this](std::size_t i) { return weight_(i) * squared_[i]; };
        return find(stripes_.begin(s), stripes_.end(s), uniform * all - before, mass);
    }

    std::size_t farthest() const {
        std::size_t far = 0;
        double most = -1;
        for (std::size_t i = 0; i < x_.rows; ++i) {
            const double squared = weight_(i) > 0 ? squared_[i] : 0.0;
            if (squared > most) {
                most = squared;
                far = i;
            }
        }
        return far;
    }

    // Σ w squared.
    double remaining() const {
        double all = 0;
        for (double total : total_) all += total;
        return all;
    }

  private:
    bool is_long() const { return x_.cols >= kLong; }

    template <class Mass>
    std::size_t find(std::size_t begin, std::size_t end, double mark, Mass mass) const {
        double running = 0;
        std::size_t last = begin;
        for (std::size_t i = begin; i < end; ++i) {
            if (mass(i) > 0) last = i;
            running += mass(i);
            if (running > mark) return i;
        }
        return last;
    }

    bool no_candidate_is_nearer(std::size_t i) const {
        return count_ && squared_[i] * kSeedSlack <= limit_[static_cast<std::size_t>(nearest_[i])];
    }

    const double* row(std::size_t i, std::vector<double>& scratch) const {
        return rows_as_double(x_, i, 1, scratch.data());
    }

    // Each once, in order.
    void read_candidates(const std::vector<std::size_t>& rows) {
        std::vector<double> scratch(x_.cols);
        candidates_.clear();
        for (std::size_t i : rows) {
            const double* at = row(i, scratch);
            std::vector<double> candidate(at, at + x_.cols);
            if (std::find(candidates_.begin(), candidates_.end(), candidate) == candidates_.end())
                candidates_.push_back(std::move(candidate));
        }
    }

    void find_limits() {
        limit_.assign(count_, std::numeric_limits<double>::infinity());
        for (const auto& candidate : candidates_)
            for (std::size_t j = 0; j < count_; ++j) {
                const double squared = squared_distance(candidate.data(), centres_ + j * x_.cols, x_.cols);
                limit_[j] = std::min(limit_[j], squared / 4);
            }
    }

    // Computes in double what the estimates leave open.
    std::size_t best_candidate() {
        if (is_long()) return best_of_all();
        auto [gain, error] = estimated_gains();
        const double most = *std::max_element(gain.begin(), gain.end());
        std::vector<std::size_t> open;
        for (std::size_t p = 0; p < gain.size(); ++p)
            if (!(gain[p] < most - 2 * error)) open.push_back(p);
        if (open.size() == 1) return open[0];
        gain = gains(open);
        return open[static_cast<std::size_t>(std::max_element(gain.begin(), gain.end()) - gain.begin())];
    }

    std::size_t best_of_all() {
        for (std::size_t i = 0; i < x_.rows; ++i) nearer_[i] = no_candidate_is_nearer(i) ? 0u : ~0u;
        std::vector<std::size_t> all(candidates_.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        const std::vector<double> gain = gains(all);
        return static_cast<std::size_t>(std::max_element(gain.begin(), gain.end()) - gain.begin());
    }

    // How much each candidate would take from Σ w squared, and how wrong that may be; marks the rows it may be nearer to.
    std::pair<std::vector<double>, double> estimated_gains() {
        const std::size_t c = candidates_.size(), d = x_.cols;
        std::vector<double> points(c * d), gain(c);
        for (std::size_t p = 0; p < c; ++p) std::copy_n(candidates_[p].data(), d, &points[p * d]);
        double error = frame_.is_usable() ? 0 : std::numeric_limits<double>::infinity();
        reduce_stripes(
            stripes_.count(), static_cast<double>(x_.rows * c * (d + 4)), runtime_,
            [&] { return Estimating{{points.data(), c, d, frame_}, std::vector<std::size_t>(stripes_.height + kMore)}; },
            [&](std::size_t s, Estimating& own) { cells_.empty() ? estimate<false>(s, own) : estimate<true>(s, own); },
            [&](std::size_t, Estimating& own) {
                for (std::size_t p = 0; p < c; ++p) gain[p] += own.estimates.gain[p];
                error += own.estimates.error;
            });
        return {gain, error};
    }

    struct Estimating {
        Estimates estimates;
        std::vector<std::size_t> open;
    };

    template <bool is_kept>
    void estimate(std::size_t stripe, Estimating& own) {
        constexpr std::size_t kRows = Estimates::kRows;
        const double scale = frame_.scale * frame_.scale;
        double squared[kRows] = {}, weight[kRows] = {};
        float norm[kRows] = {};
        own.estimates.clear();
        const std::size_t count = find_open(stripe, own.open);
        for (std::size_t first = 0; first < count; first += kRows) {
            const std::size_t some = std::min(kRows, count - first);
            for (std::size_t r = 0; r < kRows; ++r) {
                const std::size_t i = own.open[first + r];
                fetch<is_kept>(own.open[first + r + 2 * kRows]);
                put<is_kept>(r, i, own.estimates);
                squared[r] = squared_[i] * scale;
                norm[r] = norm_[i];
                weight[r] = r < some ? weight_(i) : 0.0;
            }
            std::uint32_t nearer[kRows];
            own.estimates.see(squared, norm, weight, nearer);
            for (std::size_t r = 0; r < some; ++r)
                nearer_[own.open[first + r]] = frame_.is_usable() ? nearer[r] : ~0u;
        }
    }

    // The rows that a candidate may be nearer to, with some more after the last.
    std::size_t find_open(std::size_t stripe, std::vector<std::size_t>& open) {
        std::size_t count = 0;
        for (std::size_t i = stripes_.begin(stripe); i < stripes_.end(stripe); ++i) {
            nearer_[i] = 0;
            open[count] = i;
            count += !no_candidate_is_nearer(i);  // no branch: it could not be foretold
        }
        std::fill_n(open.begin() + static_cast<std::ptrdiff_t>(count), kMore, stripes_.begin(stripe));
        return count;
    }

    template <bool is_kept>
    void put(std::size_t r, std::size_t i, Estimates& estimates) const {
        if constexpr (is_kept)
            estimates.put(r, &cells_[i * x_.cols]);
        else
            estimates.put(r, x_, i);
    }

    template <bool is_kept>
    void fetch(std::size_t i) const {
        constexpr std::size_t line = 64 / (is_kept ? sizeof(float) : sizeof(T));
        for (std::size_t j = 0; j < x_.cols; j += line)
            __builtin_prefetch(is_kept ? static_cast<const void*>(&cells_[i * x_.cols + j]) : &x_.at(i, j));
    }

    // The same in double, of some candidates; of rows read it is then known which of these are nearer.
    std::vector<double> gains(const std::vector<std::size_t>& some) {
        struct Own {
            std::vector<double> gain, row;
        };
        std::vector<double> gain(some.size());
        reduce_stripes(
            stripes_.count(), static_cast<double>(x_.rows * some.size() * (x_.cols + 4)), runtime_,
            [&] { return Own{std::vector<double>(some.size()), std::vector<double>(x_.cols)}; },
            [&](std::size_t s, Own& own) {
                std::fill(own.gain.begin(), own.gain.end(), 0.0);
                for (std::size_t i = stripes_.begin(s); i < stripes_.end(s); ++i) {
                    if (!nearer_[i]) continue;
                    const double* at = row(i, own.row);
                    std::uint32_t nearer = 0;
                    for (std::size_t p = 0; p < some.size(); ++p) {
                        const double squared = squared_distance(at, candidates_[some[p]].data(), x_.cols);
                        if (!(squared < squared_[i])) continue;
                        own.gain[p] += weight_(i) * (squared_[i] - squared);
                        nearer |= 1u << (some[p] % 32);
                    }
                    nearer_[i] = nearer;
                }
            },
            [&](std::size_t, Own& own) {
                for (std::size_t p = 0; p < some.size(); ++p) gain[p] += own.gain[p];
            });
        return gain;
    }

    // The rows that are nearer to the new centre.
    void take(std::size_t best) {
        const double* centre = candidates_[best].data();
        const bool is_estimated = candidates_.size() > 1;
        auto work = [&](std::size_t stripe, std::vector<double>& scratch) {
            double sum = 0;
            for (std::size_t i = stripes_.begin(stripe); i < stripes_.end(stripe); ++i) {
                if (is_estimated ? nearer_[i] >> (best % 32) & 1 : !no_candidate_is_nearer(i))
                    see_centre(i, row(i, scratch), centre);
                sum += weight_(i) * squared_[i];
            }
            total_[stripe] = sum;
        };
        for_stripes(
            stripes_.count(), static_cast<double>(x_.rows * (10 + 3 * x_.cols / (count_ + 1))), runtime_,
            [&] { return std::vector<double>(x_.cols); }, work);
    }

    void see_centre(std::size_t i, const double* at, const double* centre) {
        if (count_ == 0 && !is_long()) {
            norm_[i] = frame_.squared_norm(at);
            if (!cells_.empty()) frame_.put(x_, i, &cells_[i * x_.cols]);
        }
        const double squared = squared_distance(at, centre, x_.cols);
        if (squared < squared_[i]) {
            squared_[i] = squared;
            nearest_[i] = static_cast<std::int32_t>(count_);
        }
    }

    View<T> x_;
    RowWeights weight_;
    const Runtime& runtime_;
    Stripes stripes_;
    double* centres_;  // (k, d), of which count_ stand
    std::size_t count_ = 0;
    Frame frame_;
    std::vector<double> squared_;          // (n) to the nearest centre so far
    std::vector<std::int32_t> nearest_;    // (n) which one that is
    std::vector<double> total_;            // Σ w squared of each stripe
    std::vector<float> norm_;              // (n) ‖x‖² about the frame
    std::vector<std::uint32_t> nearer_;    // (n) which candidates may be nearer
    std::vector<float> cells_;             // (n, d) the rows in the frame, unless they are too many to be kept
    std::vector<std::vector<double>> candidates_;
    std::vector<double> limit_;            // (count_) a quarter of the squared distance to the nearest candidate
};

}  // namespace suffice
