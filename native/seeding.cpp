// The centres of k-means++: each is the best of a few rows drawn by weight times squared distance to those so far.
//
// A candidate at least twice as far from a row's centre as the row is cannot be nearer to the row (triangle
// inequality), so most rows are not read once a few centres stand.
#include <limits>
#include <vector>

#include "binding.hpp"
#include "nearest.hpp"

namespace suffice {
namespace {

constexpr double kSlack = 1 + 1e-6;  // distances may be kept in single precision

// Squared distances from a few rows to a few points, the points across the lanes: rows are read where they stand.
class Distances {
  public:
    static constexpr std::size_t kRows = 8;  // at a time: sums that do not wait for each other

    Distances(const double* points, std::size_t count, std::size_t d)
        : d_(d), width_(round_up(count, kLanes)), packed_(d * width_), squared_(kRows * width_), copies_(kRows * d) {
        for (std::size_t p = 0; p < count; ++p)
            for (std::size_t i = 0; i < d; ++i) packed_[i * width_ + p] = points[p * d + i];
        std::fill_n(rows_, kRows, copies_.data());
    }

    std::size_t width() const { return width_; }

    template <class T>
    void put(std::size_t r, const View<T>& x, std::size_t i) {
        if constexpr (sizeof(T) == sizeof(double)) {
            if (x.col_stride == 1) {
                rows_[r] = &x.at(i, 0);
                const double* later = &x.at(std::min(i + 2 * kRows, x.rows - 1), 0);
                for (std::size_t j = 0; j < d_; j += 8) __builtin_prefetch(later + j);
                return;
            }
        }
        copy_rows(x, i, 1, &copies_[r * d_], d_);
        rows_[r] = &copies_[r * d_];
    }

    void compute() {
        for (std::size_t v = 0; v < width_; v += kLanes) {
            Vec sum[kRows] = {};
            const double* point = &packed_[v];
            for (std::size_t i = 0; i < d_; ++i, point += width_) {
                const Vec at = load(point);
                for (std::size_t r = 0; r < kRows; ++r) {
                    const Vec delta = at - rows_[r][i];
                    sum[r] += delta * delta;
                }
            }
            for (std::size_t r = 0; r < kRows; ++r) store(&squared_[r * width_ + v], sum[r]);
        }
    }

    const double* of(std::size_t r) const { return &squared_[r * width_]; }  // to all points

  private:
    std::size_t d_, width_;
    std::vector<double> packed_, squared_, copies_;
    const double* rows_[kRows];
};

struct RowWeights {
    const double* given;  // null: each row counts once

    double operator()(std::size_t i) const { return given ? given[i] : 1.0; }
};

// The seeds so far, and for each row the nearest of them. D is what the distances to candidates are kept in.
template <class T, class D>
class Seeding {
    static constexpr D kLargest = std::numeric_limits<D>::max();

  public:
    Seeding(const View<T>& x, RowWeights weight, std::size_t trials, const Runtime& runtime, double* centres)
        : x_(x), weight_(weight), runtime_(runtime), stripes_(x.rows, 1024), centres_(centres),
          squared_(x.rows, std::numeric_limits<double>::infinity()), nearest_(x.rows), total_(stripes_.count()),
          distance_(x.rows * trials) {}

    // Takes in the candidate row that leaves the smallest Σ w squared; the first of equally good ones.
    void add(const std::vector<std::size_t>& rows) {
        const std::size_t c = rows.size(), d = x_.cols;
        std::vector<double> candidates(c * d), row(d);
        for (std::size_t p = 0; p < c; ++p)
            std::copy_n(rows_as_double(x_, rows[p], 1, row.data()), d, &candidates[p * d]);
        limit_.assign(count_, std::numeric_limits<double>::infinity());
        for (std::size_t p = 0; p < c; ++p)
            for (std::size_t j = 0; j < count_; ++j)
                limit_[j] = std::min(limit_[j], squared_distance(&candidates[p * d], centres_ + j * d, d) / 4);
        const std::vector<double> left = potentials(candidates, c);
        const auto best = static_cast<std::size_t>(std::min_element(left.begin(), left.end()) - left.begin());
        std::copy_n(&candidates[best * d], d, centres_ + count_ * d);
        take(c, best);
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
        return count_ && squared_[i] * kSlack <= limit_[static_cast<std::size_t>(nearest_[i])];
    }

    // Σ w min(squared, distance to the candidate) for each. `distance_` (n, c) keeps what was computed for `take`; its
    // first entry is negative for rows that no candidate can be nearer to.
    std::vector<double> potentials(const std::vector<double>& candidates, std::size_t c) {
        struct Scratch {
            Distances distances;
            std::vector<double> saved;  // as wide as the distances
        };
        std::vector<double> potential(c);
        reduce_stripes(
            stripes_.count(), static_cast<double>(x_.rows * c) * static_cast<double>(x_.cols + 4), runtime_,
            [&] {
                Distances distances(candidates.data(), c, x_.cols);
                return Scratch{distances, std::vector<double>(distances.width())};
            },
            [&](std::size_t s, Scratch& own) { see_rows(s, c, own.distances, own.saved); },
            [&](std::size_t, Scratch& own) {
                for (std::size_t p = 0; p < c; ++p) potential[p] += own.saved[p];
            });
        return potential;
    }

    void see_rows(std::size_t stripe, std::size_t c, Distances& distances, std::vector<double>& saved) {
        std::fill(saved.begin(), saved.end(), 0.0);
        double settled = 0;
        std::size_t open[Distances::kRows], count = 0;
        auto flush = [&] {
            distances.compute();
            for (std::size_t r = 0; r < count; ++r) see_row(open[r], c, distances.of(r), saved);
            count = 0;
        };
        for (std::size_t i = stripes_.begin(stripe); i < stripes_.end(stripe); ++i) {
            if (no_candidate_is_nearer(i)) {
                distance_[i * c] = -1;
                settled += weight_(i) * squared_[i];
                continue;
            }
            distances.put(count, x_, i);
            open[count++] = i;
            if (count == Distances::kRows) flush();
        }
        if (count) flush();
        for (double& sum : saved) sum += settled;
    }

    void see_row(std::size_t i, std::size_t c, const double* squared, std::vector<double>& saved) {
        const double w = weight_(i);
        const Vec best = broadcast(squared_[i]);
        for (std::size_t v = 0; v < saved.size(); v += kLanes) {
            const Vec found = load(squared + v);
            store(&saved[v], load(&saved[v]) + w * (found < best ? found : best));
        }
        D* kept = &distance_[i * c];
        for (std::size_t p = 0; p < c; ++p) kept[p] = static_cast<D>(std::min<double>(squared[p], kLargest));
    }

    void take(std::size_t c, std::size_t best) {
        auto work = [&](std::size_t stripe, int&) {
            double sum = 0;
            for (std::size_t i = stripes_.begin(stripe); i < stripes_.end(stripe); ++i) {
                const auto squared = static_cast<double>(distance_[i * c + best]);
                if (distance_[i * c] >= 0 && squared < squared_[i]) {
                    squared_[i] = squared;
                    nearest_[i] = static_cast<std::int32_t>(count_);
                }
                sum += weight_(i) * squared_[i];
            }
            total_[stripe] = sum;
        };
        reduce_stripes(
            stripes_.count(), static_cast<double>(x_.rows) * 10, runtime_, [] { return 0; }, work,
            [](std::size_t, int&) {});
    }

    View<T> x_;
    RowWeights weight_;
    const Runtime& runtime_;
    Stripes stripes_;
    double* centres_;  // (k, d), of which count_ stand
    std::size_t count_ = 0;
    std::vector<double> squared_;        // (n) to the nearest centre so far
    std::vector<std::int32_t> nearest_;  // (n) which one that is
    std::vector<double> total_;          // Σ w squared of each stripe
    std::vector<D> distance_;            // (n, c)
    std::vector<double> limit_;          // (count_) a quarter of the squared distance to the nearest candidate
};

// uniform (k, trials): the random numbers; with `farthest` only the first is used, and each next seed is the row
// farthest from all before it.
template <class T, class D>
void seed(const View<T>& x, const double* row_weight, const double* uniform, std::size_t k, std::size_t trials,
          bool farthest, const Runtime& runtime, double* centres) {
    Seeding<T, D> seeds(x, {row_weight}, trials, runtime, centres);
    seeds.add({seeds.draw_by_weight(uniform[0])});
    std::vector<std::size_t> picks;
    for (std::size_t j = 1; j < k; ++j) {
        picks.clear();
        if (farthest) {
            picks.push_back(seeds.farthest());
        } else if (seeds.remaining() > 0) {
            for (std::size_t t = 0; t < trials; ++t) picks.push_back(seeds.draw_by_distance(uniform[j * trials + t]));
        } else {  // every row is a centre already
            picks.push_back(seeds.draw_by_weight(uniform[j * trials]));
        }
        seeds.add(picks);
    }
}

// Whether single precision can hold the squared distances, by the spread of some rows.
template <class T>
bool squares_fit_single(const View<T>& x) {
    double spread = 0;
    for (std::size_t i = 0; i < x.rows; i += std::max<std::size_t>(1, x.rows / 1000))
        for (std::size_t j = 0; j < x.cols; ++j)
            spread = std::max(spread, std::abs(static_cast<double>(x.at(i, j)) - static_cast<double>(x.at(0, j))));
    return spread == 0 || (spread > 1e-12 && spread < 1e12);
}

template <class T>
void bind(nb::module_& m) {
    m.def("seed", [](Matrix<T> x, nb::object weights, Input uniform, bool farthest, int threads, Output centres) {
        const double* w = pointer(weights);
        const View<T> rows = view<T>(x);
        auto* kernel = squares_fit_single(rows) ? &seed<T, float> : &seed<T, double>;
        call(threads, [&](const Runtime& r) {
            kernel(rows, w, uniform.data(), uniform.shape(0), uniform.shape(1), farthest, r, centres.data());
        });
    }, nb::arg("x").noconvert(), nb::arg("weights").none(), nb::arg("uniform"), nb::arg("farthest"), nb::arg("threads"),
       nb::arg("centres"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
