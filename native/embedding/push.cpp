// How near points of a map are to all others: Σⱼ mⱼ / (1 + d²), its slope and its curvature, all pairs compared.
#include <algorithm>

#include "core/binding.hpp"
#include "embedding/points.hpp"

namespace suffice {
namespace {

template <int K>
void push(const double* rows, std::size_t q, const PointColumns& points, const Runtime& runtime, Field out) {
    const std::size_t k = points.k;
    const Stripes stripes(q, 8);
    const double work = 4.0 * static_cast<double>(q) * static_cast<double>(points.width + 1);
    for_stripes(stripes.count(), work, runtime, [] { return 0; }, [&](std::size_t s, int&) {
        Lanes<K> slope(k), apart(k);
        Curvature<K> curvature(k);
        for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i) {
            Vec value{};
            slope.clear();
            curvature.clear();
            for (std::size_t j = 0; j < points.width; j += kLanes) {
                Vec sum = broadcast(1.0);
                for (std::size_t c = 0; c < k; ++c) {
                    apart[c] = rows[i * k + c] - load(points.column(c) + j);
                    sum += apart[c] * apart[c];
                }
                const Vec near = 1.0 / sum, own = load(points.mass.data() + j) * near, pull = own * near * -2.0;
                value += own;
                for (std::size_t c = 0; c < k; ++c) slope[c] += pull * apart[c];
                if (out.curve) curvature.add(pull, pull * near * -4.0, apart);
            }
            out.value[i] = sum_lanes(value);
            for (std::size_t c = 0; c < k; ++c) out.slope[i * k + c] = sum_lanes(slope[c]);
            if (out.curve) curvature.write(out.curve + i * k * k);
        }
    });
}

const Register registered([](nb::module_& m) {
    m.def("embedding_push", [](Full<double> rows, Full<double> points, Optional<Input> mass, int threads, Output value,
                               Output slope, Optional<Output> curve) {
        const std::size_t q = rows.shape(0), k = rows.shape(1), n = points.shape(0);
        expect("points", points, n * k);
        expect("mass", mass, n);
        expect("value", value, q);
        expect("slope", slope, q * k);
        expect("curve", curve, q * k * k);
        const PointColumns columns(points.data(), pointer(mass), n, k);
        const Field out{value.data(), slope.data(), pointer(curve)};
        const double* own = rows.data();
        call(threads, [&](const Runtime& r) {
            with_coordinates(k, [&]<int K>() { push<K>(own, q, columns, r, out); });
        });
    }, nb::arg("rows"), nb::arg("points"), nb::arg("mass").none(), nb::arg("threads"), nb::arg("value"),
       nb::arg("slope"), nb::arg("curve").none());
});

}  // namespace
}  // namespace suffice
