// Sequential minimal optimisation: quadratic programmes with a box and a sum that stays, two variables at a time.
//
// The first variable is the one that may rise and wants to most, the second the one that may fall and with which the
// objective falls most, by its curvature along the pair (Fan, Chen and Lin, 2005). See `portable.py` for the programme.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/binding.hpp"
#include "core/transpose.hpp"

namespace suffice {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr std::size_t kStep = 2 * kLanes;      // variables looked at at once: two chains of comparisons
constexpr std::int64_t kTurns = 1 << 12;       // pairs between two looks for an interrupt
constexpr double kRounding = 1e-13;            // of a variable: as near to a bound as that is at it
constexpr double kFlat = 1e-12;                // of k(x, x) + k(y, y): curvature that is 0 but for rounding
constexpr double kTiny = 1e-100;               // and that of rows whose kernel is 0

struct Programme {
    const double *linear, *low, *high;  // (m)
    double width;
    std::size_t count, first;           // variables, and those of the first sum
};

// The largest number so far in each lane and its place; the first among equals in the end.
struct Largest {
    Vec value = broadcast(-kInfinite), place{};

    void see(Vec found, Vec at) {
        const auto better = found > value;
        value = better ? found : value;
        place = better ? at : place;
    }
    void merge(double& best, double& where) const {
        for (int l = 0; l < kLanes; ++l)
            if (value[l] > best || (value[l] == best && place[l] < where)) best = value[l], where = place[l];
    }
};

// The largest of fractions a/b, b > 0, in each lane, without dividing.
struct LargestShare {
    Vec over{}, under = broadcast(1.0), place{};

    void see(Vec a, Vec b, Vec at) {
        const auto better = a * under > over * b;
        over = better ? a : over;
        under = better ? b : under;
        place = better ? at : place;
    }
    void merge(double& a, double& b, double& where) const {
        for (int l = 0; l < kLanes; ++l) {
            const double left = over[l] * b, right = a * under[l];
            if (left > right || (left == right && over[l] > 0 && place[l] < where))
                a = over[l], b = under[l], where = place[l];
        }
    }
};

inline Vec counted_from(std::size_t first) {
    Vec v;
    for (int l = 0; l < kLanes; ++l) v[l] = static_cast<double>(first + static_cast<std::size_t>(l));
    return v;
}

struct Found {
    double violation, pairs, objective, gap, levels[2];
};

// A part of the variables, whose sum stays: which of them may rise most, and how low one is that may fall.
struct Range {
    std::size_t begin, end;
    double top = -kInfinite, at = 0, bottom = kInfinite;

    double violation() const { return top - bottom; }
};

// The variables of the two sums lie in ranges of whole vectors; what fills them up can neither rise nor fall.
template <class T>
class Pairs {
  public:
    // gram (N, N); variable i has its row and column rows[i], or i where `rows` is null.
    Pairs(const T* gram, std::size_t size, const std::int64_t* rows, const Programme& p, double* a, double* v)
        : p_(p), middle_(round_up(p.first, kStep)), width_(middle_ + round_up(p.count - p.first, kStep)),
          gram_(gram), size_(size), rows_(rows), diagonal_(width_, 1.0), v_(width_), up_(width_, kInfinite),
          down_(width_, kInfinite), a_(a), out_(v) {
        if (rows || p.first < p.count || width_ > p.count) {
            runs_ = runs_of(rows);
            own_.resize(width_);
        }
        for (std::size_t i = 0; i < p.count; ++i) {
            diagonal_[slot(i)] = static_cast<double>(gram[place_of(i) * size + place_of(i)]);
            v_[slot(i)] = v[i];
            place(slot(i), i);
        }
    }

    Found solve(double tol, std::int64_t most, const Runtime& runtime, bool polls) {
        Range ranges[2] = {{0, middle_}, {middle_, width_}};
        bring(0);
        for (Range& range : ranges) look(range, 0, 0, 0.0);
        for (std::int64_t pairs = 0;; ++pairs) {
            const Range& own = ranges[1].violation() > ranges[0].violation() ? ranges[1] : ranges[0];
            const bool goes_on = own.violation() > tol && pairs < most;
            const auto i = static_cast<std::size_t>(goes_on ? own.at : 0.0);
            if (goes_on) bring(i);
            const std::size_t j = goes_on ? partner(own, i) : width_;
            if (j == width_) {
                for (std::size_t i = 0; i < p_.count; ++i) out_[i] = v_[slot(i)];
                Found found{own.violation(), static_cast<double>(pairs), 0, 0, {0, 0}};
                tell(ranges, found);
                return found;
            }
            if (polls && pairs % kTurns == kTurns - 1 && runtime.interrupted()) throw Interrupted{};
            bring(j);
            const double by = move(i, j);
            for (Range& range : ranges) look(range, i, j, by);
        }
    }

  private:
    struct Run {
        std::size_t from, to, count;
    };

    // Columns of the matrix that lie side by side there and here.
    std::vector<Run> runs_of(const std::int64_t* rows) const {
        std::vector<Run> runs;
        for (std::size_t i = 0; i < p_.count; ++i) {
            const std::size_t column = rows ? static_cast<std::size_t>(rows[i]) : i;
            const bool goes_on = !runs.empty() && runs.back().from + runs.back().count == column &&
                                 runs.back().to + runs.back().count == slot(i);
            if (goes_on) ++runs.back().count;
            else runs.push_back({column, slot(i), 1});
        }
        return runs;
    }

    std::size_t place_of(std::size_t i) const { return rows_ ? static_cast<std::size_t>(rows_[i]) : i; }

    // A row of the matrix is copied when it is used first, where the given one does not lie in whole vectors.
    void bring(std::size_t s) {
        if (own_.empty() || !own_[s].empty()) return;
        own_[s].resize(width_);
        const bool filler = s < middle_ ? s >= p_.first : s - middle_ >= p_.count - p_.first;
        if (filler) return;
        const T* from = gram_ + place_of(variable(s)) * size_;
        for (const Run& run : runs_) std::copy_n(from + run.from, run.count, own_[s].data() + run.to);
    }

    const T* row(std::size_t s) const { return own_.empty() ? gram_ + s * size_ : own_[s].data(); }

    std::size_t slot(std::size_t i) const { return i < p_.first ? i : middle_ + i - p_.first; }
    std::size_t variable(std::size_t s) const { return s < middle_ ? s : s - middle_ + p_.first; }

    // What a variable's slope is less, to rise or to fall: what its width costs, or infinite at a bound.
    void place(std::size_t s, std::size_t i) {
        const double a = a_[i], w = p_.width;
        up_[s] = a < p_.high[i] ? (a >= 0 ? w : -w) : kInfinite;
        down_[s] = a > p_.low[i] ? (a > 0 ? -w : w) : kInfinite;
    }

    // v −= by · (row i − row j), and what may rise and fall in a range.
    void look(Range& range, std::size_t i, std::size_t j, double by) {
        const T *left = row(i), *right = row(j);
        const Vec step = broadcast(by);
        Largest top[2], bottom[2];
        Vec at[2] = {counted_from(range.begin), counted_from(range.begin + kLanes)};
        for (std::size_t k = range.begin; k < range.end; k += kStep)
            for (std::size_t c = 0; c < 2; ++c) {
                const std::size_t s = k + c * kLanes;
                const Vec v = load(&v_[s]) - step * (load_doubles(left + s) - load_doubles(right + s));
                store(&v_[s], v);
                top[c].see(v - load(&up_[s]), at[c]);
                bottom[c].value = -v - load(&down_[s]) > bottom[c].value ? -v - load(&down_[s]) : bottom[c].value;
                at[c] += static_cast<double>(kStep);
            }
        range.top = -kInfinite, range.at = kInfinite, range.bottom = kInfinite;
        for (int c = 0; c < 2; ++c) {
            top[c].merge(range.top, range.at);
            for (int l = 0; l < kLanes; ++l) range.bottom = std::min(range.bottom, -bottom[c].value[l]);
        }
    }

    // The variable of the range with which the objective falls most when i rises; none, `width_`, where squares overflow
    // or vanish.
    std::size_t partner(const Range& range, std::size_t i) const {
        const T* own_row = row(i);
        LargestShare best[2];
        Vec at[2] = {counted_from(range.begin), counted_from(range.begin + kLanes)};
        const Vec top = broadcast(range.top), own = broadcast(diagonal_[i]), tiny = broadcast(kTiny);
        for (std::size_t k = range.begin; k < range.end; k += kStep)
            for (std::size_t c = 0; c < 2; ++c) {
                const std::size_t s = k + c * kLanes;
                const Vec apart = top - (load(&v_[s]) + load(&down_[s]));
                const Vec both = own + load(&diagonal_[s]), curve = both - 2.0 * load_doubles(own_row + s);
                const Vec flat = both * kFlat > tiny ? both * kFlat : tiny;
                best[c].see(apart > 0 ? apart * apart : Vec{}, curve > flat ? curve : flat, at[c]);
                at[c] += static_cast<double>(kStep);
            }
        double over = 0, under = 1, where = kInfinite;
        for (int c = 0; c < 2; ++c) best[c].merge(over, under, where);
        return where < kInfinite ? static_cast<std::size_t>(where) : width_;
    }

    // The objective, the level of each sum, and what all variables could still gain.
    void tell(const Range* ranges, Found& found) const {
        for (int r = 0; r < 2; ++r) {
            const std::size_t begin = r ? p_.first : 0, end = r ? p_.count : p_.first;
            if (begin == end) continue;
            double sum = 0;
            std::size_t free = 0;
            for (std::size_t i = begin; i < end; ++i) {
                const std::size_t s = slot(i);
                if (up_[s] == kInfinite || down_[s] == kInfinite || (p_.width != 0 && a_[i] == 0)) continue;
                sum += 0.5 * ((v_[s] - up_[s]) + (v_[s] + down_[s]));
                ++free;
            }
            const double top = ranges[r].top, bottom = ranges[r].bottom;
            const bool both = top > -kInfinite && bottom < kInfinite;
            const double level = free ? sum / static_cast<double>(free) : both ? 0.5 * (top + bottom)
                                 : top > -kInfinite ? top : bottom;
            found.levels[r] = level;
            for (std::size_t i = begin; i < end; ++i) {
                const double v = v_[slot(i)], rest = v - level, far = std::abs(rest < 0 ? p_.low[i] : p_.high[i]);
                const double best = rest == 0 ? 0.0 : std::max(far * (std::abs(rest) - p_.width), 0.0);
                found.gap += best - a_[i] * rest + p_.width * std::abs(a_[i]);
                found.objective += p_.width * std::abs(a_[i]) - 0.5 * a_[i] * (v + p_.linear[i]);
            }
        }
    }

    // Raises i and lowers j by the same, to where the objective is least or one of them meets a bound or a kink.
    double move(std::size_t s, std::size_t t) {
        const std::size_t i = variable(s), j = variable(t);
        const double both = diagonal_[s] + diagonal_[t], flat = std::max(both * kFlat, kTiny);
        const double curve = std::max(both - 2.0 * static_cast<double>(row(s)[t]), flat);
        const double apart = (v_[s] - up_[s]) - (v_[t] + down_[t]);
        const double high = p_.width > 0 && a_[i] < 0 ? 0.0 : p_.high[i];
        const double low = p_.width > 0 && a_[j] > 0 ? 0.0 : p_.low[j];
        const double by = std::min({apart / curve, high - a_[i], a_[j] - low});
        const bool meets_high = by >= high - a_[i] - kRounding * (std::abs(a_[i]) + by);
        const bool meets_low = by >= a_[j] - low - kRounding * (std::abs(a_[j]) + by);
        a_[i] = meets_high ? high : a_[i] + by;
        a_[j] = meets_low ? low : a_[j] - by;
        place(s, i);
        place(t, j);
        return by;
    }

    const Programme p_;
    const std::size_t middle_, width_;
    const T* gram_;  // (size, size)
    const std::size_t size_;
    const std::int64_t* rows_;
    std::vector<Run> runs_;
    std::vector<std::vector<T>> own_;  // rows (width) that were used, where the given matrix does not lie in whole vectors
    std::vector<double> diagonal_, v_, up_, down_;
    double *a_, *out_;
};

template <class T>
void bind(nb::module_& m) {
    m.def("smo", [](Full<T> gram, Optional<Codes> rows, Codes starts, Codes firsts, Vector<double> linear,
                    Vector<double> low, Vector<double> high, Vector<double> widths, double tol, std::int64_t most,
                    int threads, Output a, Output v, Output found) {
        const std::size_t problems = firsts.size(), all = linear.size();
        expect("gram", gram, gram.shape(0) * gram.shape(0));
        expect("starts", starts, problems + 1);
        expect("rows", rows, all);
        for (const Vector<double>* array : {&low, &high}) expect("bounds", *array, all);
        for (const Output* array : {&a, &v}) expect("a and v", *array, all);
        expect("widths", widths, problems);
        expect("found", found, 6 * problems);
        expect_starts("starts", starts, problems, all);
        expect_below("rows", rows, gram.shape(0));
        for (std::size_t p = 0; p < problems; ++p)
            if (firsts.data()[p] < 0 || firsts.data()[p] > starts.data()[p + 1] - starts.data()[p])
                throw nb::value_error("a sum has more variables than its programme");
        const std::int64_t* from = starts.data();
        if (static_cast<std::size_t>(from[problems]) != all) throw nb::value_error("starts end elsewhere");
        if (!rows && gram.shape(0) != all) throw nb::value_error("gram has another size than the variables");
        call(threads, [&](const Runtime& r) {
            double work = 0;
            for (std::size_t p = 0; p < problems; ++p)
                work += 4.0 * static_cast<double>(from[p + 1] - from[p]) * static_cast<double>(from[p + 1] - from[p]);
            for_stripes(problems, work, r, [] { return 0; }, [&](std::size_t p, int&) {
                const auto begin = static_cast<std::size_t>(from[p]), end = static_cast<std::size_t>(from[p + 1]);
                const Programme own{linear.data() + begin, low.data() + begin, high.data() + begin, widths.data()[p],
                                    end - begin, static_cast<std::size_t>(firsts.data()[p])};
                const std::int64_t* places = pointer(rows);
                Pairs<T> pairs(gram.data(), gram.shape(0), places ? places + begin : nullptr, own, a.data() + begin,
                               v.data() + begin);
                const Found done = pairs.solve(tol, most, r, problems == 1);
                const double told[] = {done.violation, done.pairs, done.objective, done.gap, done.levels[0],
                                       done.levels[1]};
                std::copy_n(told, 6, found.data() + 6 * p);
            });
        });
    }, nb::arg("gram"), nb::arg("rows").none(), nb::arg("starts"), nb::arg("firsts"), nb::arg("linear"),
       nb::arg("low"), nb::arg("high"), nb::arg("widths"), nb::arg("tol"), nb::arg("most"), nb::arg("threads"),
       nb::arg("a"), nb::arg("v"), nb::arg("found"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
