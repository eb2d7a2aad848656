// Locality-sensitive hashing: rows near each other tend to share a bucket of some table.
//
// The rows in the best buckets are compared in single precision, the best of them exactly.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/binding.hpp"
#include "hashing/hash_probing.hpp"
#include "kmeans/nearest.hpp"
#include "neighbors/filter_scan.hpp"
#include "neighbors/neighbours.hpp"

namespace suffice {
namespace {

constexpr std::size_t kSpare = 8;   // rows compared exactly beyond k
constexpr std::size_t kAhead = 8;   // rows fetched before they are compared

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
    float total = sum_lanes(sum);
    for (; j < d; ++j) total += (a[j] - b[j]) * (a[j] - b[j]);
    return total;
}

struct Queries {
    const double* rows;
    const float* single;
    const float* projected;
    std::size_t count;
};

template <class T>
struct Stored {
    View<T> rows;
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
        std::vector<Candidates::Kept> kept;
    };
    const std::size_t more = k + kSpare;
    for_stripes(
        stripes.count(), static_cast<double>(queries.count) * 1e4, runtime,
        [&] {
            return Scratch{Prober(tables), TopK(more), TopK(k), std::vector<double>(more),
                           std::vector<std::int64_t>(more), {}};
        },
        [&](std::size_t s, Scratch& scratch) {
            for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i) {
                const auto& found = scratch.prober.rows(queries.projected + i * width, probes);
                scratch.rough.clear();
                stored.compare(queries.single + i * d, found,
                               [&](float value, std::int64_t row) { scratch.rough.offer(value, row); });
                scratch.rough.write(scratch.values.data(), scratch.rows.data());
                scratch.kept.clear();
                for (const std::int64_t row : scratch.rows)
                    if (row >= 0) scratch.kept.push_back({0, static_cast<std::uint32_t>(row)});
                scratch.list.clear();
                compare_kept(queries.rows + i * d, stored.rows, scratch.kept,
                             [&](std::uint32_t row, double squared) { scratch.list.offer(squared, row); });
                scratch.list.write(out.values + i * k, out.rows + i * k);
                compared[i] = static_cast<std::int64_t>(found.size());
            }
        });
}

// No row at most √radius away from a query x has a greater square in single precision: its cells, and the query's, are
// rounded by a part of 2⁻²⁴ each, and so is every step of the sum.
double most_single(const float* query, std::size_t d, double radius) {
    constexpr double kUnit = 1.2e-7;
    double norm = 0;
    for (std::size_t j = 0; j < d; ++j) norm += static_cast<double>(query[j]) * static_cast<double>(query[j]);
    const double distance = std::sqrt(radius), cells = kUnit * (2 * std::sqrt(norm) + distance) + 1e-40;
    const double most = (distance + cells) * (1 + kUnit * static_cast<double>(d + 8));
    return most < 1e18 ? most * most : std::numeric_limits<double>::infinity();  // beyond, single precision overflows
}

template <class T>
Found within(const Queries& queries, const Stored<T>& stored, const Tables& tables, std::size_t probes, double radius,
             const Runtime& runtime) {
    const std::size_t width = tables.shape.tables * tables.shape.projections, d = stored.d;
    struct Scratch {
        Prober prober;
        std::vector<Candidates::Kept> kept;
    };
    return find_all(
        queries.count, static_cast<double>(queries.count) * 1e4, runtime, [&] { return Scratch{Prober(tables), {}}; },
        [&](std::size_t first, std::size_t count, Scratch& scratch, std::vector<std::vector<Neighbour>>& lists) {
            for (std::size_t i = first; i < first + count; ++i) {
                const double most = most_single(queries.single + i * d, d, radius);
                scratch.kept.clear();
                stored.compare(queries.single + i * d, scratch.prober.rows(queries.projected + i * width, probes),
                               [&](float rough, std::int32_t row) {
                                   if (!(static_cast<double>(rough) > most))
                                       scratch.kept.push_back({rough, static_cast<std::uint32_t>(row)});
                               });
                compare_kept(queries.rows + i * d, stored.rows, scratch.kept, [&](std::uint32_t row, double squared) {
                    if (squared <= radius) lists[i - first].push_back({squared, row});
                });
            }
        });
}

using Singles = Full<float>;
using Places = Full<std::int32_t>;

// Refuses codes with buckets that are not there.
void expect_code(bool by_sign, std::size_t projections, std::size_t bits) {
    if (projections == 0 || projections > kMost || bits == 0 || bits > 30 || (by_sign && projections > bits))
        throw nb::value_error("too many projections or bits, or none");
}

template <class T>
void expect_tables(const Full<double>& x, const Singles& x_single, const Singles& projected, const Full<T>& y,
                   const Singles& y_single, bool by_sign, std::size_t projections, std::size_t bits, const Places& starts,
                   const Places& order) {
    const std::size_t tables = order.shape(0), d = y.shape(1);
    expect_code(by_sign, projections, bits);
    expect("x", x, x.shape(0) * d);
    expect("x_single", x_single, x.shape(0) * d);
    expect("projected", projected, x.shape(0) * tables * projections);
    expect("y_single", y_single, y.size());
    expect("starts", starts, tables * ((std::size_t{1} << bits) + 1));
    expect("order", order, tables * y.shape(0));
}

template <class T>
void bind(nb::module_& m) {
    m.def("hash_nearest", [](Full<double> x, Singles x_single, Singles projected, Full<T> y, Singles y_single,
                             bool by_sign, std::size_t projections, std::size_t bits, Places starts, Places order,
                             std::size_t probes, std::size_t k, int threads, Output values, Result<std::int64_t> rows,
                             Result<std::int64_t> compared) {
        expect_tables(x, x_single, projected, y, y_single, by_sign, projections, bits, starts, order);
        const Tables tables{{by_sign, order.shape(0), projections, bits}, starts.data(), order.data(), order.shape(1)};
        const Queries queries{x.data(), x_single.data(), projected.data(), x.shape(0)};
        const std::size_t d = y.shape(1);
        const Stored<T> stored{{y.data(), y.shape(0), d, static_cast<std::ptrdiff_t>(d), 1}, y_single.data(), d};
        expect("compared", compared, x.shape(0));
        const Lists out = lists_of(values, rows, x.shape(0), k);
        call(threads, [&](const Runtime& r) { nearest(queries, stored, tables, probes, k, out, compared.data(), r); });
    }, nb::arg("x"), nb::arg("x_single"), nb::arg("projected"), nb::arg("y"), nb::arg("y_single"), nb::arg("by_sign"),
       nb::arg("projections"), nb::arg("bits"), nb::arg("starts"), nb::arg("order"), nb::arg("probes"), nb::arg("k"),
       nb::arg("threads"), nb::arg("values"), nb::arg("rows"), nb::arg("compared"));
    m.def("hash_within", [](Full<double> x, Singles x_single, Singles projected, Full<T> y, Singles y_single,
                            bool by_sign, std::size_t projections, std::size_t bits, Places starts, Places order,
                            std::size_t probes, double radius, int threads) {
        expect_tables(x, x_single, projected, y, y_single, by_sign, projections, bits, starts, order);
        const Tables tables{{by_sign, order.shape(0), projections, bits}, starts.data(), order.data(), order.shape(1)};
        const Queries queries{x.data(), x_single.data(), projected.data(), x.shape(0)};
        const std::size_t d = y.shape(1);
        const Stored<T> stored{{y.data(), y.shape(0), d, static_cast<std::ptrdiff_t>(d), 1}, y_single.data(), d};
        return to_python(
            call(threads, [&](const Runtime& r) { return within(queries, stored, tables, probes, radius, r); }));
    }, nb::arg("x"), nb::arg("x_single"), nb::arg("projected"), nb::arg("y"), nb::arg("y_single"), nb::arg("by_sign"),
       nb::arg("projections"), nb::arg("bits"), nb::arg("starts"), nb::arg("order"), nb::arg("probes"), nb::arg("radius"),
       nb::arg("threads"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
    m.def("hash_buckets", [](Singles projected, bool by_sign, std::size_t projections, std::size_t bits, int threads,
                             Result<std::int32_t> out) {
        expect_code(by_sign, projections, bits);
        const Shape shape{by_sign, projected.shape(1) / projections, projections, bits};
        expect("projected", projected, projected.shape(0) * shape.tables * projections);
        expect("out", out, projected.shape(0) * shape.tables);
        const Stripes stripes(projected.shape(0), 1024);
        call(threads, [&](const Runtime& r) {
            for_stripes(
                stripes.count(), static_cast<double>(projected.size()) * 4, r, [] { return 0; },
                [&](std::size_t s, int&) {
                    std::int32_t code[kMost];
                    for (std::size_t i = stripes.begin(s) * shape.tables; i < stripes.end(s) * shape.tables; ++i) {
                        codes_of(projected.data() + i * projections, shape, code);
                        out.data()[i] = static_cast<std::int32_t>(bucket_of(code, shape));
                    }
                });
        });
    }, nb::arg("projected"), nb::arg("by_sign"), nb::arg("projections"), nb::arg("bits"), nb::arg("threads"), nb::arg("out"));
});

}  // namespace
}  // namespace suffice
