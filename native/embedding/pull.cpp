// What holds points of a map to others: −Σ p log ν over the list of each, its slope and its curvature.
#include <algorithm>
#include <cstdint>

#include "core/binding.hpp"
#include "core/ranges.hpp"
#include "core/vector_math.hpp"
#include "embedding/curve.hpp"
#include "embedding/points.hpp"

namespace suffice {
namespace {

struct Lists {
    const std::int64_t* ends;    // (q)
    const std::int32_t* points;  // numbers of points
    const double* share;
};

// −log ν, its derivative by the squared distance, and what the second derivative is made of.
struct Potential {
    Vec value, first, near, wide;
};

// ν = 1 / (1 + d²).
struct Student {
    Potential at(Vec squared) const {
        const Vec sum = 1.0 + squared, near = 1.0 / sum;
        return {log_normal(sum), near, near, sum};
    }
    Vec second(const Potential& p) const { return -p.near * p.near; }
};

struct Bent {
    Curve curve;
    Potential at(Vec squared) const {
        const Vec wide = squared + curve.room;
        const Looks look = looks(wide, curve);
        const Vec share = 1.0 / look.sum, near = look.near * share, least = broadcast(1e-300);
        return {-log_normal(near > least ? near : least), curve.b * look.far * share / wide, near, wide};
    }
    Vec second(const Potential& p) const { return p.first * (curve.b * p.near - 1.0) / p.wide; }
};

template <int K, class Look>
void pull(const double* rows, std::size_t q, std::size_t k, const double* points, const Lists& lists, const Look& look,
          const Runtime& runtime, Field out) {
    const Stripes stripes(q, 16);
    const double work = 10.0 * static_cast<double>(q > 0 ? lists.ends[q - 1] : 0);
    for_stripes(stripes.count(), work, runtime, [] { return 0; }, [&](std::size_t s, int&) {
        Lanes<K> slope(k), apart(k);
        Curvature<K> curvature(k);
        for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i) {
            Vec value{};
            slope.clear();
            curvature.clear();
            const double* own = rows + i * k;
            const std::int64_t end = lists.ends[i];
            for (std::int64_t at = i ? lists.ends[i - 1] : 0; at < end; at += kLanes) {
                const int count = static_cast<int>(std::min<std::int64_t>(kLanes, end - at));
                Vec squared{};
                for (std::size_t c = 0; c < k; ++c) {
                    Vec there = broadcast(own[c]);
                    if (count == kLanes)
                        for (int l = 0; l < kLanes; ++l) there[l] = points[static_cast<std::size_t>(lists.points[at + l]) * k + c];
                    else
                        for (int l = 0; l < count; ++l) there[l] = points[static_cast<std::size_t>(lists.points[at + l]) * k + c];
                    apart[c] = own[c] - there;
                    squared += apart[c] * apart[c];
                }
                const Vec share = count == kLanes ? load(lists.share + at) : load_first(lists.share + at, static_cast<std::size_t>(count));
                const Potential held = look.at(squared);
                const Vec hold = share * held.first * 2.0;
                value += share * held.value;
                for (std::size_t c = 0; c < k; ++c) slope[c] += hold * apart[c];
                if (out.curve) curvature.add(hold, share * look.second(held) * 4.0, apart);
            }
            out.value[i] = sum_lanes(value);
            for (std::size_t c = 0; c < k; ++c) out.slope[i * k + c] = sum_lanes(slope[c]);
            if (out.curve) curvature.write(out.curve + i * k * k);
        }
    });
}

const Register registered([](nb::module_& m) {
    m.def("embedding_pull", [](Full<double> rows, Full<double> points, Codes ends, Vector<std::int32_t> others, Input share,
                               double a, double b, double room, int threads, Output value, Output slope, Optional<Output> curve) {
        const std::size_t q = rows.shape(0), k = rows.shape(1), n = points.shape(0);
        expect("points", points, n * k);
        expect("ends", ends, q);
        expect("others", others, share.size());
        expect_ends("ends", ends, share.size());
        expect_below("others", others, n, 0, threads);
        expect("value", value, q);
        expect("slope", slope, q * k);
        expect("curve", curve, q * k * k);
        const Lists lists{ends.data(), others.data(), share.data()};
        const Field out{value.data(), slope.data(), pointer(curve)};
        const double *own = rows.data(), *all = points.data();
        call(threads, [&](const Runtime& r) {
            with_coordinates(k, [&]<int K>() {
                if (a == 1 && b == 1 && room == 0) pull<K>(own, q, k, all, lists, Student(), r, out);
                else pull<K>(own, q, k, all, lists, Bent{{a, b, room}}, r, out);
            });
        });
    }, nb::arg("rows"), nb::arg("points"), nb::arg("ends"), nb::arg("others"), nb::arg("share"), nb::arg("a"),
       nb::arg("b"), nb::arg("room"), nb::arg("threads"), nb::arg("value"), nb::arg("slope"), nb::arg("curve").none());
});

}  // namespace
}  // namespace suffice
