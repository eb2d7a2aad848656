// What two rows add up to, column by column, and tiles of such sums.
//
// Rows of y lie across the lanes in panels of two vectors, by column; some rows of x share the loads of a panel.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "core/simd.hpp"
#include "core/vector_math.hpp"
#include "core/view.hpp"

namespace suffice {

inline constexpr int kVectors = 2;
inline constexpr std::size_t kPanel = kVectors * kLanes;

inline Vec absolute(Vec x) { return x < 0 ? -x : x; }

// x^p of x >= 0 for p > 0; NaN stays.
inline Vec power(Vec x, double p) {
    const Vec tiny = broadcast(std::numeric_limits<double>::min());
    const Vec exponent = p * log_normal(x > tiny ? x : tiny);
    const Vec below = exp_nonpositive(exponent > 0 ? -exponent : exponent, -699.0);
    const Vec value = exponent > 0 ? 1.0 / below : below;
    return x > tiny ? value : (x == x ? Vec{} : x);
}

// ---- what two cells add; NaN where one of them is missing ----

struct Summed {
    static Vec join(Vec sum, Vec value) { return sum + value; }
};

struct Squared : Summed {
    Vec operator()(Vec x, Vec y, std::size_t) const { return (x - y) * (x - y); }
};

struct Absolute : Summed {
    Vec operator()(Vec x, Vec y, std::size_t) const { return absolute(x - y); }
};

struct Largest {
    static Vec join(Vec sum, Vec value) { return value > sum ? value : sum; }
    Vec operator()(Vec x, Vec y, std::size_t) const { return absolute(x - y); }
};

struct Power : Summed {
    double p;
    Vec operator()(Vec x, Vec y, std::size_t) const { return power(absolute(x - y), p); }
};

struct Different : Summed {
    Vec operator()(Vec x, Vec y, std::size_t) const {
        const Vec apart = x - y;
        return apart > 0 ? broadcast(1.0) : (apart < 0 ? broadcast(1.0) : apart);
    }
};

// Sets as rows of 0 and 1: the cells that are in neither do not count.
struct Membership : Summed {
    Vec operator()(Vec x, Vec y, std::size_t) const {
        return x + y > 0 ? absolute(x - y) : broadcast(std::numeric_limits<double>::quiet_NaN());
    }
};

// The first `numbers` columns are numbers, the others codes of categories.
struct Mixed : Summed {
    std::size_t numbers;
    Vec operator()(Vec x, Vec y, std::size_t j) const { return j < numbers ? Absolute{}(x, y, j) : Different{}(x, y, j); }
};

struct Product : Summed {
    Vec operator()(Vec x, Vec y, std::size_t) const { return x * y; }
};

// (x log(x/m) + y log(y/m)) / 2 with m = (x + y) / 2, as m ((1 + t) log(1 + t) + (1 − t) log(1 − t)) / 2 with
// t = |x − y| / (x + y); near t = 0 by its series Σ t^2k / (k (2k − 1)), which does not cancel.
struct Jensen : Summed {
    static Vec entropy(Vec u) {
        const Vec tiny = broadcast(std::numeric_limits<double>::min());
        return u * log_normal(u > tiny ? u : tiny);
    }
    Vec operator()(Vec x, Vec y, std::size_t) const {
        const Vec both = x + y, t = absolute(x - y) / (both > 0 ? both : broadcast(1.0)), z = t * t;
        Vec series = broadcast(1.0 / (12 * 23));
        for (int k = 11; k >= 1; --k) series = series * z + 1.0 / (k * (2 * k - 1));
        const Vec far = entropy(1 + t) + entropy(1 - t);
        return 0.25 * both * (z < 0.0625 ? series * z : far);
    }
};

// ---- what becomes of the sums ----

enum class Finish { kNone, kRoot, kPower };

struct Form {
    Finish finish = Finish::kNone;
    double p = 2;
    const double* weight = nullptr;  // of the columns, (d,); used where cells may be missing
    double scale = 1;                // where cells may be missing: the mean over present columns, times this
};

inline Form make_form(const std::string& finish, double p, const double* weight, double scale) {
    const Finish what = finish == "root" ? Finish::kRoot : finish == "power" ? Finish::kPower : Finish::kNone;
    return {what, p, weight, scale};
}

// ---- one tile ----

// out[R, V kLanes] = the sums of R rows and the rows of a panel that is V vectors wide
template <int R, bool kGaps, int V = kVectors, class Term>
void tile(const double* rows, std::size_t d, const double* panel, const Term& term, const Form& form, double* out) {
    constexpr std::size_t kWidth = V * kLanes;
    Vec sum[R][V] = {}, present[R][V] = {};
    for (std::size_t j = 0; j < d; ++j) {
        Vec y[V];
        for (int v = 0; v < V; ++v) y[v] = load(panel + j * kWidth + v * kLanes);
        for (int r = 0; r < R; ++r) {
            const Vec x = broadcast(rows[r * d + j]);
            for (int v = 0; v < V; ++v) {
                const Vec value = term(x, y[v], j);
                if constexpr (kGaps) {
                    const Vec w = broadcast(form.weight[j]);
                    sum[r][v] = value == value ? Term::join(sum[r][v], w * value) : sum[r][v];
                    present[r][v] += value == value ? w : Vec{};
                } else {
                    sum[r][v] = Term::join(sum[r][v], value);
                }
            }
        }
    }
    for (int r = 0; r < R; ++r)
        for (int v = 0; v < V; ++v) {
            Vec value = sum[r][v];
            if constexpr (kGaps) {
                constexpr bool kMean = std::is_base_of_v<Summed, Term>;
                const Vec mean = kMean ? value / present[r][v] * form.scale : value;
                value = present[r][v] > 0 ? mean : broadcast(std::numeric_limits<double>::quiet_NaN());
            }
            store(out + r * kWidth + v * kLanes, value);
        }
}

inline void finish(const Form& form, double* values, std::size_t count) {
    if (form.finish == Finish::kRoot)
        for (std::size_t i = 0; i < count; ++i) values[i] = std::sqrt(values[i]);
    if (form.finish == Finish::kPower)
        for (std::size_t i = 0; i < count; i += kLanes) store(values + i, power(load(values + i), 1 / form.p));
}

// ---- rows and results of either precision ----

struct Rows {
    std::size_t rows, cols;
    const void* data;
    std::ptrdiff_t row_stride, col_stride;
    bool is_single;

    template <class T>
    explicit Rows(const View<T>& x)
        : rows(x.rows), cols(x.cols), data(x.data), row_stride(x.row_stride), col_stride(x.col_stride),
          is_single(sizeof(T) == sizeof(float)) {}

    void copy(std::size_t first, std::size_t count, double* out) const {
        if (is_single)
            copy_rows(View<float>{static_cast<const float*>(data), rows, cols, row_stride, col_stride}, first, count,
                      out, cols);
        else
            copy_rows(View<double>{static_cast<const double*>(data), rows, cols, row_stride, col_stride}, first, count,
                      out, cols);
    }
};

// The rows in panels, (panels, d, width); the last row fills up the last panel.
inline std::vector<double> packed(const Rows& y, std::size_t width = kPanel) {
    const std::size_t d = y.cols, panels = (y.rows + width - 1) / width;
    std::vector<double> all(panels * width * d), block(width * d);
    for (std::size_t p = 0; p < panels; ++p) {
        const std::size_t count = std::min(width, y.rows - p * width);
        y.copy(p * width, count, block.data());
        double* panel = all.data() + p * width * d;
        for (std::size_t c = 0; c < width; ++c)
            for (std::size_t j = 0; j < d; ++j) panel[j * width + c] = block[std::min(c, count - 1) * d + j];
    }
    return all;
}

// Calls use(term, gaps) with the term of that name, and whether cells may be missing as a constant.
template <class Use>
void with_term(const std::string& kind, double p, std::size_t numbers, bool gaps, Use use) {
    auto either = [&](auto term) { gaps ? use(term, std::true_type{}) : use(term, std::false_type{}); };
    if (kind == "squared") return either(Squared{});
    if (kind == "absolute") return either(Absolute{});
    if (kind == "largest") return either(Largest{});
    if (kind == "power") return either(Power{{}, p});
    if (kind == "different") return either(Different{});
    if (kind == "mixed") return either(Mixed{{}, numbers});
    if (kind == "jaccard") return use(Membership{}, std::true_type{});
    if (kind == "product") return use(Product{}, std::false_type{});
    if (kind == "jensen") return use(Jensen{}, std::false_type{});
    throw std::invalid_argument("unknown kind of distance: " + kind);
}

}  // namespace suffice
