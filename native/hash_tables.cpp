// Locality-sensitive hashing: rows near each other tend to share a bucket of some table.
//
// A bucket is a whole number made of K projections of a row: their signs (random hyperplanes, for angles), or the cells of
// width 1 they fall in (p-stable, for Euclidean distances). A query looks into its own bucket of each table and then into
// those that are nearest to it, whatever the table, in the order of how far the projections would have to move (Lv et al.,
// 2007). Rows found are compared in single precision, the best of them exactly.
#include <algorithm>
#include <cmath>
#include <queue>
#include <vector>

#include "binding.hpp"
#include "nearest.hpp"
#include "neighbours.hpp"

namespace suffice {
namespace {

constexpr std::size_t kMost = 32;   // projections of a table
constexpr std::size_t kSpare = 8;   // rows compared exactly beyond k
constexpr std::size_t kAhead = 4;   // rows fetched before they are compared

struct Shape {
    bool by_sign;
    std::size_t tables, projections, bits;  // 2^bits buckets a table
};

std::uint32_t bucket_of(const std::int32_t* code, const Shape& shape) {
    std::uint64_t mixed = 0;
    if (shape.by_sign) {
        for (std::size_t j = 0; j < shape.projections; ++j) mixed = mixed << 1 | static_cast<std::uint64_t>(code[j] & 1);
        return static_cast<std::uint32_t>(mixed);
    }
    for (std::size_t j = 0; j < shape.projections; ++j) {
        mixed = (mixed ^ static_cast<std::uint64_t>(static_cast<std::uint32_t>(code[j]))) * 0x9E3779B97F4A7C15ull;
        mixed ^= mixed >> 29;
    }
    return static_cast<std::uint32_t>(mixed >> (64 - shape.bits));
}

void codes_of(const float* projected, const Shape& shape, std::int32_t* code) {
    for (std::size_t j = 0; j < shape.projections; ++j)
        code[j] = shape.by_sign ? projected[j] >= 0 : static_cast<std::int32_t>(std::floor(projected[j]));
}

struct Tables {
    Shape shape;
    const std::int32_t* starts;  // (tables, buckets + 1)
    const std::int32_t* order;   // (tables, n): rows by bucket
    std::size_t n;
};

// One step of a projection to a cell nearby.
struct Step {
    float cost;
    std::int16_t projection, move;
    bool operator<(const Step& other) const { return cost < other.cost; }
};

// Some steps of one table, as bits in the order of their costs.
struct Probe {
    float cost;
    std::uint32_t table;
    std::uint64_t steps;
    std::uint32_t last;
    bool operator<(const Probe& other) const {  // the cheapest comes out of a queue first
        return cost > other.cost || (cost == other.cost && table > other.table);
    }
};

class Prober {
  public:
    explicit Prober(const Tables& tables)
        : tables_(tables), code_(tables.shape.tables * kMost), steps_(tables.shape.tables), seen_(tables.n, 0) {}

    // The rows in the `probes` best buckets, each once.
    const std::vector<std::int32_t>& rows(const float* projected, std::size_t probes) {
        ++stamp_;
        found_.clear();
        queue_ = {};
        const Shape& shape = tables_.shape;
        for (std::size_t t = 0; t < shape.tables; ++t) {
            prepare(t, projected + t * shape.projections);
            look(t, 0);
            queue_.push({steps_[t][0].cost, static_cast<std::uint32_t>(t), 1, 0});
        }
        for (std::size_t p = shape.tables; p < probes && !queue_.empty();) {
            const Probe best = queue_.top();
            queue_.pop();
            advance(best);
            if (!is_possible(best)) continue;
            look(best.table, best.steps);
            ++p;
        }
        return found_;
    }

  private:
    void prepare(std::size_t t, const float* projected) {
        const Shape& shape = tables_.shape;
        std::int32_t* code = &code_[t * kMost];
        codes_of(projected, shape, code);
        auto& steps = steps_[t];
        steps.clear();
        for (std::size_t j = 0; j < shape.projections; ++j) {
            const auto at = static_cast<std::int16_t>(j);
            if (shape.by_sign) {
                steps.push_back({projected[j] * projected[j], at, static_cast<std::int16_t>(code[j] ? -1 : 1)});
                continue;
            }
            const float below = projected[j] - static_cast<float>(code[j]), above = 1 - below;
            steps.push_back({below * below, at, -1});
            steps.push_back({above * above, at, 1});
        }
        std::sort(steps.begin(), steps.end());
    }

    // The next sets of steps: one more, or the last one exchanged for the next.
    void advance(const Probe& probe) {
        const auto& steps = steps_[probe.table];
        const std::uint32_t next = probe.last + 1;
        if (next >= steps.size()) return;
        const std::uint64_t bit = std::uint64_t{1} << next;
        queue_.push({probe.cost + steps[next].cost, probe.table, probe.steps | bit, next});
        const std::uint64_t without = probe.steps & ~(std::uint64_t{1} << probe.last);
        queue_.push({probe.cost - steps[probe.last].cost + steps[next].cost, probe.table, without | bit, next});
    }

    // A projection cannot move both ways.
    bool is_possible(const Probe& probe) const {
        std::uint64_t moved = 0;
        for (std::uint64_t rest = probe.steps; rest != 0; rest &= rest - 1) {
            const Step& step = steps_[probe.table][static_cast<std::size_t>(__builtin_ctzll(rest))];
            const std::uint64_t bit = std::uint64_t{1} << step.projection;
            if (moved & bit) return false;
            moved |= bit;
        }
        return true;
    }

    void look(std::size_t t, std::uint64_t steps) {
        std::int32_t code[kMost];
        std::copy_n(&code_[t * kMost], tables_.shape.projections, code);
        for (; steps != 0; steps &= steps - 1) {
            const Step& step = steps_[t][static_cast<std::size_t>(__builtin_ctzll(steps))];
            code[step.projection] += step.move;
        }
        const std::size_t bucket = bucket_of(code, tables_.shape);
        const std::int32_t* starts = tables_.starts + t * ((std::size_t{1} << tables_.shape.bits) + 1);
        const std::int32_t* order = tables_.order + t * tables_.n;
        for (std::int32_t e = starts[bucket]; e < starts[bucket + 1]; ++e) {
            const auto row = static_cast<std::size_t>(order[e]);
            if (seen_[row] == stamp_) continue;
            seen_[row] = stamp_;
            found_.push_back(order[e]);
        }
    }

    const Tables& tables_;
    std::vector<std::int32_t> code_;
    std::vector<std::vector<Step>> steps_;
    std::vector<std::uint32_t> seen_;
    std::vector<std::int32_t> found_;
    std::priority_queue<Probe> queue_;
    std::uint32_t stamp_ = 0;
};

// In single precision, side by side.
float squared_single(const float* a, const float* b, std::size_t d) {
    using V = LaneTypes<float>::V;
    constexpr std::size_t kWide = sizeof(V) / sizeof(float);
    V sum{};
    std::size_t j = 0;
    for (; j + kWide <= d; j += kWide) {
        V x, y;
        std::memcpy(&x, a + j, sizeof x);
        std::memcpy(&y, b + j, sizeof y);
        sum += (x - y) * (x - y);
    }
    float total = sum_across(sum);
    for (; j < d; ++j) total += (a[j] - b[j]) * (a[j] - b[j]);
    return total;
}

// As everywhere: the columns in order, in double.
template <class T>
double squared_exact(const double* x, const T* y, std::size_t d) {
    double sum = 0;
    for (std::size_t j = 0; j < d; ++j) {
        const double step = x[j] - static_cast<double>(y[j]);
#if defined(__FP_FAST_FMA)
        sum = __builtin_fma(step, step, sum);
#else
        sum += step * step;
#endif
    }
    return sum;
}

struct Queries {
    const double* rows;
    const float* single;
    const float* projected;
    std::size_t count;
};

template <class T>
struct Stored {
    const T* rows;
    const float* single;
    std::size_t d;

    // Calls take(squared distance in single precision, row).
    template <class Take>
    void compare(const float* query, const std::vector<std::int32_t>& found, Take take) const {
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (i + kAhead < found.size()) {
                const float* next = single + static_cast<std::size_t>(found[i + kAhead]) * d;
                for (std::size_t j = 0; j < d; j += 16) __builtin_prefetch(next + j);
            }
            take(squared_single(query, single + static_cast<std::size_t>(found[i]) * d, d), found[i]);
        }
    }
};

template <class T>
void nearest(const Queries& queries, const Stored<T>& stored, const Tables& tables, std::size_t probes, std::size_t k,
             Lists out, std::int64_t* compared, const Runtime& runtime) {
    const Stripes stripes(queries.count, 16);
    const std::size_t width = tables.shape.tables * tables.shape.projections, d = stored.d;
    struct Scratch {
        Prober prober;
        TopK rough, list;
        std::vector<double> values;
        std::vector<std::int64_t> rows;
    };
    const std::size_t more = k + kSpare;
    reduce_stripes(
        stripes.count(), static_cast<double>(queries.count) * 1e4, runtime,
        [&] {
            return Scratch{Prober(tables), TopK(more), TopK(k), std::vector<double>(more), std::vector<std::int64_t>(more)};
        },
        [&](std::size_t s, Scratch& scratch) {
            for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i) {
                const auto& found = scratch.prober.rows(queries.projected + i * width, probes);
                scratch.rough.clear();
                stored.compare(queries.single + i * d, found,
                               [&](float value, std::int64_t row) { scratch.rough.offer(value, row); });
                scratch.rough.write(scratch.values.data(), scratch.rows.data());
                scratch.list.clear();
                for (const std::int64_t row : scratch.rows)
                    if (row >= 0)
                        scratch.list.offer(
                            squared_exact(queries.rows + i * d, stored.rows + static_cast<std::size_t>(row) * d, d), row);
                scratch.list.write(out.values + i * k, out.rows + i * k);
                compared[i] = static_cast<std::int64_t>(found.size());
            }
        },
        [](std::size_t, Scratch&) {});
}

template <class T>
Found within(const Queries& queries, const Stored<T>& stored, const Tables& tables, std::size_t probes, double radius,
             const Runtime& runtime) {
    const std::size_t width = tables.shape.tables * tables.shape.projections, d = stored.d;
    return find_all(queries.count, static_cast<double>(queries.count) * 1e4, runtime, [&] { return Prober(tables); },
                    [&](std::size_t first, std::size_t count, Prober& prober, std::vector<std::vector<Neighbour>>& lists) {
                        for (std::size_t i = first; i < first + count; ++i)
                            for (const std::int32_t row : prober.rows(queries.projected + i * width, probes)) {
                                const double value = squared_exact(
                                    queries.rows + i * d, stored.rows + static_cast<std::size_t>(row) * d, d);
                                if (value <= radius) lists[i - first].push_back({value, row});
                            }
                    });
}

using Singles = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Places = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Full = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
void bind(nb::module_& m) {
    m.def("hash_nearest", [](Full<double> x, Singles x_single, Singles projected, Full<T> y, Singles y_single,
                             bool by_sign, std::size_t projections, std::size_t bits, Places starts, Places order,
                             std::size_t probes, std::size_t k, int threads, Output values, Result<std::int64_t> rows,
                             Result<std::int64_t> compared) {
        const Tables tables{{by_sign, order.shape(0), projections, bits}, starts.data(), order.data(), order.shape(1)};
        const Queries queries{x.data(), x_single.data(), projected.data(), x.shape(0)};
        const Stored<T> stored{y.data(), y_single.data(), y.shape(1)};
        const Lists out{values.data(), rows.data()};
        call(threads, [&](const Runtime& r) { nearest(queries, stored, tables, probes, k, out, compared.data(), r); });
    });
    m.def("hash_within", [](Full<double> x, Singles x_single, Singles projected, Full<T> y, Singles y_single,
                            bool by_sign, std::size_t projections, std::size_t bits, Places starts, Places order,
                            std::size_t probes, double radius, int threads) {
        const Tables tables{{by_sign, order.shape(0), projections, bits}, starts.data(), order.data(), order.shape(1)};
        const Queries queries{x.data(), x_single.data(), projected.data(), x.shape(0)};
        const Stored<T> stored{y.data(), y_single.data(), y.shape(1)};
        return to_python(
            call(threads, [&](const Runtime& r) { return within(queries, stored, tables, probes, radius, r); }));
    });
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
    m.def("hash_buckets", [](Singles projected, bool by_sign, std::size_t projections, std::size_t bits, int threads,
                             Result<std::int32_t> out) {
        const Shape shape{by_sign, projected.shape(1) / projections, projections, bits};
        const Stripes stripes(projected.shape(0), 1024);
        call(threads, [&](const Runtime& r) {
            reduce_stripes(
                stripes.count(), static_cast<double>(projected.size()) * 4, r, [] { return 0; },
                [&](std::size_t s, int&) {
                    std::int32_t code[kMost];
                    for (std::size_t i = stripes.begin(s) * shape.tables; i < stripes.end(s) * shape.tables; ++i) {
                        codes_of(projected.data() + i * projections, shape, code);
                        out.data()[i] = static_cast<std::int32_t>(bucket_of(code, shape));
                    }
                },
                [](std::size_t, int&) {});
        });
    });
});

}  // namespace
}  // namespace suffice
