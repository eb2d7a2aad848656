// Better centres by exchange: a row replaces the centre that is missed least, where Σ ‖x − centre‖² falls.
//
// Every row knows its two nearest centres. A candidate farther from a row's centre than the row is from both of them
// together cannot be nearer than either (triangle inequality), so that most rows are not read.
#include <cmath>
#include <limits>
#include <vector>

#include "core/binding.hpp"
#include "core/simd.hpp"
#include "core/squared_distance.hpp"

namespace suffice {
namespace {

constexpr double kSlack = 1 + 1e-9;  // rounding of distances, far above what it can be
constexpr double kWorthwhile = 1e-6;  // the share of the cost by which a swap must lower it

struct TwoNearest {
    double first = std::numeric_limits<double>::infinity(), second = first;
    std::int32_t near = 0, next = 0;

    void see(double squared, std::size_t j) {
        const auto at = static_cast<std::int32_t>(j);
        if (squared < first) {
            second = first;
            next = near;
            first = squared;
            near = at;
        } else if (squared < second) {
            second = squared;
            next = at;
        }
    }
};

// Centres across the lanes of a vector, so that no sum crosses lanes.
class PackedCentres {
    static constexpr std::size_t kGroup = 2 * kLanes;

  public:
    PackedCentres(const double* centres, std::size_t k, std::size_t d)
        : k_(k), d_(d), packed_(round_up(k, kGroup) * d) {
        for (std::size_t j = 0; j < k; ++j) put(j, centres + j * d);
    }

    void put(std::size_t j, const double* centre) {
        double* out = &packed_[j / kGroup * kGroup * d_ + j % kGroup];
        for (std::size_t i = 0; i < d_; ++i) out[i * kGroup] = centre[i];
    }

    TwoNearest nearest(const double* row) const {
        TwoNearest found;
        for (std::size_t first = 0; first < k_; first += kGroup) {
            const double* at = &packed_[first * d_];
            Vec sum[2] = {};
            for (std::size_t i = 0; i < d_; ++i, at += kGroup)
                for (int v = 0; v < 2; ++v) {
                    const Vec delta = row[i] - load(at + v * kLanes);
                    sum[v] = plus_square(sum[v], delta);
                }
            for (std::size_t j = first; j < std::min(first + kGroup, k_); ++j)
                found.see(sum[(j - first) / kLanes][(j - first) % kLanes], j);
        }
        return found;
    }

  private:
    std::size_t k_, d_;
    std::vector<double> packed_;  // (groups, d, kGroup)
};

template <class T>
class Swaps {
  public:
    Swaps(const View<T>& x, double* centres, std::size_t k, const Runtime& runtime)
        : x_(x), centres_(centres), k_(k), runtime_(runtime), stripes_(x.rows, 256), packed_(centres, k, x.cols),
          rows_(x.rows), reach_(x.rows), total_(stripes_.count()), gap_(k), candidate_(x.cols) {
        each_row(static_cast<double>(k), [&](std::size_t, const double* row) { return packed_.nearest(row); });
    }

    // Tries the row that this number draws by its squared distance; false where every row is a centre.
    bool trial(double uniform) {
        double cost = 0;
        for (double total : total_) cost += total;
        if (!(cost > 0)) return false;
        std::vector<double> scratch(x_.cols);
        const double* row = rows_as_double(x_, drawn(uniform * cost), 1, scratch.data());
        candidate_.assign(row, row + x_.cols);
        for (std::size_t j = 0; j < k_; ++j)
            gap_[j] = std::sqrt(squared_distance(candidate_.data(), centres_ + j * x_.cols, x_.cols));
        const auto [gone, change] = best_exchange();
        if (change < -kWorthwhile * cost) exchange(gone);
        return true;
    }

  private:
    // Whether the candidate cannot be among the two nearest of a row.
    bool is_far(std::size_t i) const { return reach_[i] <= gap_[static_cast<std::size_t>(rows_[i].near)]; }

    std::size_t drawn(double mark) const {
        std::size_t s = 0, last = 0;
        for (; s < stripes_.count(); ++s) {
            if (total_[s] > 0) last = s;
            if (total_[s] > mark) break;
            mark -= total_[s];
        }
        if (s == stripes_.count()) s = last;
        std::size_t chosen = stripes_.begin(s);
        for (std::size_t i = stripes_.begin(s); i < stripes_.end(s); ++i) {
            if (rows_[i].first > 0) chosen = i;
            if (rows_[i].first > mark) break;
            mark -= rows_[i].first;
        }
        return chosen;
    }

    // The centre that the candidate should replace, and by how much the cost changes.
    std::pair<std::size_t, double> best_exchange() {
        struct Own {
            std::vector<double> without, row;
            double nearer = 0;
        };
        std::vector<double> without(k_);  // by how much the cost rises without each centre, with the candidate
        double nearer = 0;
        reduce_stripes(
            stripes_.count(), static_cast<double>(x_.rows * (x_.cols / 4 + 4)), runtime_,
            [&] { return Own{std::vector<double>(k_), std::vector<double>(x_.cols), 0.0}; },
            [&](std::size_t s, Own& own) {
                std::fill(own.without.begin(), own.without.end(), 0.0);
                own.nearer = 0;
                for (std::size_t i = stripes_.begin(s); i < stripes_.end(s); ++i) {
                    const TwoNearest& at = rows_[i];
                    const double squared = is_far(i) ? at.second : squared_to_candidate(i, own.row);
                    const double gain = std::min(squared - at.first, 0.0);
                    own.nearer += gain;
                    own.without[static_cast<std::size_t>(at.near)] += std::min(squared, at.second) - at.first - gain;
                }
            },
            [&](std::size_t, Own& own) {
                nearer += own.nearer;
                for (std::size_t j = 0; j < k_; ++j) without[j] += own.without[j];
            });
        const auto least = std::min_element(without.begin(), without.end());
        return {static_cast<std::size_t>(least - without.begin()), nearer + *least};
    }

    double squared_to_candidate(std::size_t i, std::vector<double>& scratch) const {
        return squared_distance(rows_as_double(x_, i, 1, scratch.data()), candidate_.data(), x_.cols);
    }

    void exchange(std::size_t gone) {
        std::copy(candidate_.begin(), candidate_.end(), centres_ + gone * x_.cols);
        packed_.put(gone, candidate_.data());
        const auto at = static_cast<std::int32_t>(gone);
        each_row(1.0, [&](std::size_t i, const double* row) {
            TwoNearest found = rows_[i];
            if (found.near == at || found.next == at) return packed_.nearest(row);
            if (!is_far(i)) found.see(squared_distance(row, candidate_.data(), x_.cols), gone);
            return found;
        });
    }

    // Sets what is known of every row, and what follows from it.
    template <class Find>
    void each_row(double centres, Find find) {
        for_stripes(
            stripes_.count(), static_cast<double>(x_.rows * (x_.cols + 8)) * centres, runtime_,
            [&] { return std::vector<double>(x_.cols); },
            [&](std::size_t s, std::vector<double>& scratch) {
                double sum = 0;
                for (std::size_t i = stripes_.begin(s); i < stripes_.end(s); ++i) {
                    const TwoNearest found = rows_[i] = find(i, rows_as_double(x_, i, 1, scratch.data()));
                    reach_[i] = (std::sqrt(found.first) + std::sqrt(found.second)) * kSlack;
                    sum += found.first;
                }
                total_[s] = sum;
            });
    }

    View<T> x_;
    double* centres_;  // (k, d)
    std::size_t k_;
    const Runtime& runtime_;
    Stripes stripes_;
    PackedCentres packed_;
    std::vector<TwoNearest> rows_;   // (n)
    std::vector<double> reach_;      // (n) the distances to both, or a little more
    std::vector<double> total_;      // of each stripe, Σ first
    std::vector<double> gap_;        // (k) from the candidate to each centre
    std::vector<double> candidate_;  // (d)
};

template <class T>
void bind(nb::module_& m) {
    m.def("kmeans_swaps", [](Matrix<T> x, Input uniform, int threads, Output centres) {
        const std::size_t d = x.shape(1), k = d ? centres.size() / d : 0;
        expect("centres", centres, k * d);
        if (x.shape(0) == 0 || k < 2) throw nb::value_error("swaps need a row and two centres");
        const double* numbers = uniform.data();
        call(threads, [&](const Runtime& r) {
            Swaps<T> swaps(view<T>(x), centres.data(), k, r);
            for (std::size_t t = 0; t < uniform.size(); ++t)
                if (!swaps.trial(numbers[t])) break;
        });
    }, nb::arg("x"), nb::arg("uniform"), nb::arg("threads"), nb::arg("centres"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
