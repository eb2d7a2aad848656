// Rows with gaps under a Gaussian: what is missing given what was seen.
//
// With the precision matrix L the expected residual is r_m = -L_mm⁻¹ L_mo r_o and its covariance L_mm⁻¹; the quadratic
// form of the completed row is that of what was seen, and det(covariance of what was seen) = det(covariance) · det L_mm.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/vector_math.hpp"
#include "mixture/roots.hpp"

namespace suffice {

inline constexpr double kLogTwoPi = 1.8378770664093454836;

// Of so many gaps the matrices of several rows would leave the cache: rows are taken one by one.
inline constexpr std::size_t kMostTogether = 48;

// Rows of a block with gaps, in groups that have the same number of them, so that the lanes of a vector are rows.
class Gaps {
  public:
    struct Group {
        std::size_t rows[kLanes], lanes, missing;  // `missing` cells in each row
    };
    std::vector<std::size_t> rows;  // in the order of the block
    std::vector<Group> groups;

    bool empty() const { return rows.empty(); }

    // The gaps of the rows before `count` of a block whose columns lie ld apart.
    void find(const double* x, std::size_t d, std::size_t count, std::size_t ld) {
        rows.clear();
        groups.clear();
        columns_ = d;
        places_.resize(count * d);
        numbers_.assign(count, 0);
        for (std::size_t b = 0; b < count; ++b) {
            for (std::size_t j = 0; j < d; ++j)
                if (std::isnan(x[j * ld + b])) places_[b * d + numbers_[b]++] = j;
            if (numbers_[b]) rows.push_back(b);
        }
        order_ = rows;
        std::stable_sort(order_.begin(), order_.end(), [&](auto a, auto b) { return numbers_[a] < numbers_[b]; });
        group(nullptr);
    }

    // Groups of the rows with a share only; of all of them where there are no shares.
    void group(const double* share) {
        groups.clear();
        for (const std::size_t row : order_) {
            if (share && share[row] == 0) continue;
            if (groups.empty() || groups.back().lanes == kLanes || groups.back().missing != numbers_[row] ||
                numbers_[row] > kMostTogether)
                groups.push_back({{}, 0, numbers_[row]});
            groups.back().rows[groups.back().lanes++] = row;
        }
    }

    std::size_t place(std::size_t row, std::size_t i) const { return places_[row * columns_ + i]; }

  private:
    std::size_t columns_ = 0;
    std::vector<std::size_t> places_, numbers_, order_;
};

// What is missing given what was seen, for a group of rows under one component.
class Completion {
  public:
    // `z` are residuals with zeros in the gaps, which it fills; `y` = L z. Returns what the log density gains.
    Vec complete(const Gaps& gaps, const Gaps::Group& group, const std::vector<double>& precision, std::size_t d,
                 const double* y, double* z, std::size_t ld) {
        const std::size_t m = group.missing;
        take_root(gaps, group, precision, d);
        right_.resize(m * width_);
        for (std::size_t a = 0; a < m; ++a)
            for (std::size_t lane = 0; lane < width_; ++lane) {
                const std::size_t row = group.rows[lane < group.lanes ? lane : 0];
                right_[a * width_ + lane] = y[gaps.place(row, a) * ld + row];
            }
        const Vec log_root = width_ == 1 ? solve_one(m) : solve_lanes(m);
        for (std::size_t a = 0; a < m; ++a)
            for (std::size_t lane = 0; lane < group.lanes; ++lane) {
                const std::size_t row = group.rows[lane];
                z[gaps.place(row, a) * ld + row] = -right_[a * width_ + lane];
            }
        return 0.5 * static_cast<double>(m) * kLogTwoPi - log_root;
    }

    // The covariance of what is missing: the inverse of L_mm.
    void invert(const Gaps& gaps, const Gaps::Group& group, const std::vector<double>& precision, std::size_t d) {
        const std::size_t m = group.missing;
        take_root(gaps, group, precision, d);
        inverse_.assign(m * m * width_, 0.0);
        covariance_.resize(m * m * width_);
        if (width_ > 1) return invert_lanes(m);
        invert_lower(root_.data(), m, inverse_.data());
        gram_of_lower(inverse_.data(), m, covariance_.data());
    }

    // The covariance of the gaps a >= b of m, of a row of the group.
    double covariance(std::size_t m, std::size_t a, std::size_t b, std::size_t lane) const {
        return covariance_[(a * m + b) * width_ + lane];
    }

  private:
    static Vec at(const std::vector<double>& lanes, std::size_t i) { return load(&lanes[i * kLanes]); }
    static void put(std::vector<double>& lanes, std::size_t i, Vec value) { store(&lanes[i * kLanes], value); }

    // The root of L_mm of every row; lanes without a row repeat the first.
    void take_root(const Gaps& gaps, const Gaps::Group& group, const std::vector<double>& precision, std::size_t d) {
        const std::size_t m = group.missing;
        width_ = m > kMostTogether ? 1 : kLanes;
        root_.resize(m * m * width_);
        for (std::size_t lane = 0; lane < width_; ++lane) {
            const std::size_t row = group.rows[lane < group.lanes ? lane : 0];
            for (std::size_t a = 0; a < m; ++a) {
                const double* from = &precision[gaps.place(row, a) * d];
                for (std::size_t b = 0; b <= a; ++b) root_[(a * m + b) * width_ + lane] = from[gaps.place(row, b)];
            }
        }
        if (width_ > 1)
            root_lanes(m);
        else if (!root_of(root_.data(), m))
            std::fill(root_.begin(), root_.end(), NAN);  // as the lanes of a matrix without a root
    }

    void root_lanes(std::size_t m) {
        for (std::size_t j = 0; j < m; ++j)
            for (std::size_t i = j; i < m; ++i) {
                Vec sum = at(root_, i * m + j);
                for (std::size_t l = 0; l < j; ++l) sum -= at(root_, i * m + l) * at(root_, j * m + l);
                if (i > j)
                    sum = sum / at(root_, j * m + j);
                else
                    for (int lane = 0; lane < kLanes; ++lane) sum[lane] = std::sqrt(sum[lane]);
                put(root_, i * m + j, sum);
            }
    }

    void invert_lanes(std::size_t m) {
        for (std::size_t j = 0; j < m; ++j) {
            put(inverse_, j * m + j, 1.0 / at(root_, j * m + j));
            for (std::size_t i = j + 1; i < m; ++i) {
                Vec sum = {};
                for (std::size_t l = j; l < i; ++l) sum -= at(root_, i * m + l) * at(inverse_, l * m + j);
                put(inverse_, i * m + j, sum / at(root_, i * m + i));
            }
        }
        for (std::size_t a = 0; a < m; ++a)
            for (std::size_t b = 0; b <= a; ++b) {
                Vec sum = {};
                for (std::size_t l = a; l < m; ++l) sum += at(inverse_, l * m + a) * at(inverse_, l * m + b);
                put(covariance_, a * m + b, sum);
            }
    }

    // Solves for what is on the right; returns the logarithm of det of the root.
    Vec solve_lanes(std::size_t m) {
        Vec log_root = {};
        for (std::size_t a = 0; a < m; ++a) {
            Vec sum = at(right_, a);
            for (std::size_t b = 0; b < a; ++b) sum -= at(root_, a * m + b) * at(right_, b);
            put(right_, a, sum / at(root_, a * m + a));
            log_root += log_normal(at(root_, a * m + a));
        }
        for (std::size_t a = m; a-- > 0;) {
            Vec sum = at(right_, a);
            for (std::size_t b = a + 1; b < m; ++b) sum -= at(root_, b * m + a) * at(right_, b);
            put(right_, a, sum / at(root_, a * m + a));
        }
        return log_root;
    }

    Vec solve_one(std::size_t m) {
        double log_root = 0;
        for (std::size_t a = 0; a < m; ++a) {
            const double* row = &root_[a * m];
            right_[a] = (right_[a] - dot(row, right_.data(), a)) / row[a];
            log_root += std::log(row[a]);
        }
        for (std::size_t a = m; a-- > 0;) {
            const double *row = &root_[a * m], value = right_[a] /= row[a];
            for (std::size_t b = 0; b < a; ++b) right_[b] -= row[b] * value;
        }
        return broadcast(log_root);
    }

    std::size_t width_ = kLanes;  // of the matrices: rows side by side
    std::vector<double> root_, right_, inverse_, covariance_;
};

}  // namespace suffice
