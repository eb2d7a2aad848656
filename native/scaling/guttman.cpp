// One pass over all pairs of points of a map: their stress, and what Guttman's transform multiplies by.
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/binding.hpp"
#include "core/simd.hpp"
#include "core/vectors.hpp"

namespace suffice {
namespace {

constexpr std::size_t kParts = 32;  // of about as many pairs each, whatever the threads

// Pairs i < j one row after another; a pair counts weight · mass[i] · mass[j], 1 where they are not given.
struct Pairs {
    const double *target, *weight, *mass;
    std::size_t m;

    std::size_t first(std::size_t i) const { return i * (2 * m - i - 1) / 2; }

    // The row where a part begins: pairs of the rows from i on are as (m − i)².
    std::size_t part_begin(std::size_t part) const {
        if (part >= kParts) return m;
        const double left = 1 - static_cast<double>(part) / static_cast<double>(kParts);
        return std::min(m, static_cast<std::size_t>(static_cast<double>(m) * (1 - std::sqrt(left))));
    }
};

// Points by coordinates, (k, width), with room for a whole vector behind the last.
struct Points {
    std::size_t k, width;
    std::vector<double> cells;

    Points(const double* rows, std::size_t m, std::size_t k) : k(k), width(round_up(m, kLanes) + kLanes), cells(k * width) {
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t c = 0; c < k; ++c) cells[c * width + i] = rows[i * k + c];
    }
};

struct Sums {
    double* product;  // (k, width)
    double stress = 0, squares = 0;
};

template <int K>
class Part {
  public:
    Part(const Pairs& pairs, const Points& points, double* product) : pairs_(pairs), points_(points), sums_{product} {}

    Sums run(std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) row(i);
        sums_.stress = sum_lanes(stress_);
        sums_.squares = sum_lanes(squares_);
        return sums_;
    }

  private:
    std::size_t k() const { return K > 0 ? K : points_.k; }
    const double* z(std::size_t c) const { return points_.cells.data() + c * points_.width; }

    void row(std::size_t i) {
        own_.assign(k(), Vec{});
        const std::size_t first = pairs_.first(i), count = pairs_.m - 1 - i;
        std::size_t at = 0;
        for (; at + kLanes <= count; at += kLanes) {
            Vec weight = pairs_.weight ? load(pairs_.weight + first + at) : broadcast(1.0);
            if (pairs_.mass) weight *= load(pairs_.mass + i + 1 + at);
            meet(i, i + 1 + at, load(pairs_.target + first + at), weight);
        }
        if (at < count) {
            const std::size_t left = count - at;
            Vec weight = load_first(pairs_.weight ? pairs_.weight + first + at : kOnes, left);
            if (pairs_.mass) weight *= load_first(pairs_.mass + i + 1 + at, left);
            meet(i, i + 1 + at, load_first(pairs_.target + first + at, left), weight);
        }
        for (std::size_t c = 0; c < k(); ++c) sums_.product[c * points_.width + i] += sum_lanes(own_[c]);
    }

    // Point i with the points from j on.
    void meet(std::size_t i, std::size_t j, Vec target, Vec weight) {
        if (pairs_.mass) weight *= pairs_.mass[i];
        Vec squared{};
        for (std::size_t c = 0; c < k(); ++c) {
            const Vec apart = z(c)[i] - load(z(c) + j);
            squared += apart * apart;
        }
        Vec distance = squared;
        for (int l = 0; l < kLanes; ++l) distance[l] = std::sqrt(distance[l]);
        const Vec rest = target - distance;
        stress_ += weight * rest * rest;
        squares_ += weight * squared;
        const Vec ratio = squared > 0 ? weight * target / distance : Vec{};
        for (std::size_t c = 0; c < k(); ++c) {
            const Vec step = ratio * (z(c)[i] - load(z(c) + j));
            own_[c] += step;
            double* other = sums_.product + c * points_.width + j;
            store(other, load(other) - step);
        }
    }

    static constexpr double kOnes[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    const Pairs& pairs_;
    const Points& points_;
    Sums sums_;
    Vec stress_{}, squares_{};
    std::vector<Vec> own_;
};

template <int K>
void products(const Pairs& pairs, const Points& points, const Runtime& runtime, double* out, double* figures) {
    const std::size_t k = points.k, size = k * points.width;
    std::vector<double> room(kParts * size, 0.0);
    std::vector<Sums> parts(kParts);
    const double work = static_cast<double>(pairs.m) * static_cast<double>(pairs.m) * (12.0 + 3.0 * static_cast<double>(k));
    for_stripes(kParts, work, runtime, [] { return 0; }, [&](std::size_t part, int&) {
        Part<K> own(pairs, points, room.data() + part * size);
        parts[part] = own.run(pairs.part_begin(part), pairs.part_begin(part + 1));
    });
    std::fill_n(out, pairs.m * k, 0.0);
    figures[0] = figures[1] = 0;
    for (const Sums& part : parts) {
        figures[0] += part.stress, figures[1] += part.squares;
        for (std::size_t c = 0; c < k; ++c)
            for (std::size_t i = 0; i < pairs.m; ++i) out[i * k + c] += part.product[c * points.width + i];
    }
}

const Register registered([](nb::module_& m) {
    m.def("guttman", [](Full<double> points, Input target, Optional<Input> weight, Optional<Input> mass, int threads,
                        Output out, Output figures) {
        const std::size_t n = points.shape(0), k = points.shape(1), pairs = n > 0 ? n * (n - 1) / 2 : 0;
        expect("target", target, pairs);
        expect("weight", weight, pairs);
        expect("mass", mass, n);
        expect("out", out, n * k);
        expect("figures", figures, 2);
        const Points z(points.data(), n, k);
        const Pairs all{target.data(), pointer(weight), pointer(mass), n};
        double *into = out.data(), *two = figures.data();
        call(threads, [&](const Runtime& r) {
            switch (k) {
                case 1: return products<1>(all, z, r, into, two);
                case 2: return products<2>(all, z, r, into, two);
                case 3: return products<3>(all, z, r, into, two);
                default: return products<0>(all, z, r, into, two);
            }
        });
    }, nb::arg("points"), nb::arg("target"), nb::arg("weight").none(), nb::arg("mass").none(), nb::arg("threads"),
       nb::arg("out"), nb::arg("figures"));
});

}  // namespace
}  // namespace suffice
