// The rising function nearest to some numbers, which is level on blocks of them.
//
// Some thousand numbers at a time become blocks by the greatest convex minorant of their running sums (Barlow and Brunk,
// 1972). The minorant of every kStride-th sum lies nowhere below that of all, so only sums below the former can be corners of
// the latter: a pass in whole vectors leaves few to look at one by one. Blocks that fall are then pooled (Kruskal, 1964).
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/binding.hpp"
#include "core/ranges.hpp"
#include "core/vectors.hpp"

namespace suffice {
namespace {

constexpr std::size_t kPart = 4096, kStride = 64;

using Places = std::vector<std::size_t>;

// The sum of n numbers that `part` makes of what stands at the same place in arrays.
template <class Part>
double sum_of(std::size_t n, Part part) {
    double few = 0;
    if (n < kLanes) {
        for (std::size_t i = 0; i < n; ++i) few += part([i](const double* p) { return p[i]; });
        return few;
    }
    Vec sum{};
    for_vectors(n, [&](std::size_t, auto get) { sum += part(get); });
    return sum_lanes(sum);
}

// Some numbers in the order in which they shall rise, with what they weigh.
struct Numbers {
    std::array<double, kPart> value, weight;
    std::size_t n = 0;

    // Running sums, 0 before the first number: of weights, and of weights times numbers less about their mean.
    std::array<double, kPart + 1> up_to, sum;

    void add_up() {
        const double mean = sum_of(n, [&](auto get) { return get(value.data()); }) / static_cast<double>(n);
        double whole = up_to[0] = 0, all = sum[0] = 0;
        for (std::size_t i = 0; i < n; ++i) {
            up_to[i + 1] = whole += weight[i];
            sum[i + 1] = all += weight[i] * (value[i] - mean);
        }
    }

    // Whether the middle one of three sums is not below the line from the first to the last.
    bool is_above(std::size_t a, std::size_t b, std::size_t c) const {
        return (sum[b] - sum[a]) * (up_to[c] - up_to[a]) >= (sum[c] - sum[a]) * (up_to[b] - up_to[a]);
    }
};

struct Block {
    double mean, weight;
    std::size_t count;
};

// Blocks that rise; the last one takes in those before it while its mean is not above theirs.
class Pools {
  public:
    void add(Block last) {
        while (!blocks_.empty() && !(blocks_.back().mean < last.mean)) {
            const Block& before = blocks_.back();
            const double both = before.weight + last.weight;
            last.mean = both > 0 ? before.mean + (last.mean - before.mean) * (last.weight / both) : before.mean;
            last.weight = both;
            last.count += before.count;
            blocks_.pop_back();
        }
        blocks_.push_back(last);
    }

    // Calls write(i, mean) for the numbers in their order.
    template <class Write>
    void write(Write out) const {
        std::size_t at = 0;
        for (const Block& block : blocks_)
            for (const std::size_t end = at + block.count; at < end; ++at) out(at, block.mean);
    }

  private:
    std::vector<Block> blocks_;
};

// Makes blocks of numbers.
class Minorant {
  public:
    Numbers numbers;

    void pool(Pools& pools) {
        numbers.add_up();
        corners();
        for (std::size_t c = 0; c + 1 < all_.size(); ++c) {
            const double *value = numbers.value.data() + all_[c], *counts = numbers.weight.data() + all_[c];
            const std::size_t size = all_[c + 1] - all_[c];
            const double weight = sum_of(size, [&](auto get) { return get(counts); });
            const double sum = sum_of(size, [&](auto get) { return get(counts) * get(value); });
            pools.add({weight > 0 ? sum / weight : *value, weight, size});
        }
    }

  private:
    void corners() {
        coarse_.clear(), all_.clear();
        for (std::size_t i = 0; i < numbers.n; i += kStride) add(coarse_, i);
        add(coarse_, numbers.n);
        for (std::size_t c = 0; c + 1 < coarse_.size(); ++c) {
            add(all_, coarse_[c]);
            add_below(coarse_[c], coarse_[c + 1]);
        }
        add(all_, numbers.n);
    }

    // A sum behind others, of which those that are no corners any more are taken away.
    void add(Places& corners, std::size_t at) {
        while (corners.size() > 1 && numbers.is_above(corners[corners.size() - 2], corners.back(), at)) corners.pop_back();
        corners.push_back(at);
    }

    // Adds the sums between a and b that are below the line between these.
    void add_below(std::size_t a, std::size_t b) {
        const double *up_to = numbers.up_to.data(), *sum = numbers.sum.data(), wide = up_to[b] - up_to[a];
        const double slope = wide > 0 ? (sum[b] - sum[a]) / wide : 0.0;
        const auto over = [&](auto weight, auto value) { return value - sum[a] - slope * (weight - up_to[a]); };
        for (std::size_t begin = a + 1; begin < b; begin += kStride) {
            const std::size_t end = std::min(begin + kStride, b);
            std::size_t i = begin;
            Vec least{};
            for (; i + kLanes <= end; i += kLanes) {
                const Vec here = over(load(up_to + i), load(sum + i));
                least = here < least ? here : least;
            }
            bool some = i < end;
            for (int l = 0; l < kLanes; ++l) some |= least[l] < 0;
            for (i = begin; some && i < end; ++i)
                if (over(up_to[i], sum[i]) < 0) add(all_, i);
        }
    }

    Places coarse_, all_;
};

// Blocks of n numbers, of which read(i, value, weight) gives one.
template <class Read>
void pool(std::size_t n, Pools& pools, Read read) {
    const auto part = std::make_unique<Minorant>();  // larger than some stacks
    Numbers& own = part->numbers;
    for (std::size_t begin = 0; begin < n; begin += kPart) {
        own.n = std::min(kPart, n - begin);
        for (std::size_t i = 0; i < own.n; ++i) read(begin + i, own.value[i], own.weight[i]);
        part->pool(pools);
    }
}

// values and weight in any order, `order` (n) the places from the least on, `ends` (b) where each tie of them ends.
struct Ordered {
    const double *values, *weight;
    const std::int64_t* order;
    std::size_t n;
    const std::int64_t* ends;
    std::size_t ties;

    double w(std::size_t i) const { return weight ? weight[order[i]] : 1.0; }
};

// By value, then by place; what is no number comes last.
bool comes_before(const double* values, std::int64_t a, std::int64_t b) {
    const double one = values[a], two = values[b];
    if (one < two || two < one) return one < two;
    const bool is_number = one == one, other = two == two;
    return is_number != other ? is_number : a < b;
}

// The order in which numbers of one tie come in their own.
std::vector<std::int64_t> without_ties(const Ordered& x) {
    std::vector<std::int64_t> order(x.order, x.order + x.n);
    std::int64_t begin = 0;
    for (std::size_t t = 0; t < x.ties; begin = x.ends[t++])
        if (x.ends[t] - begin > 1)
            std::sort(order.begin() + begin, order.begin() + x.ends[t],
                      [&](std::int64_t a, std::int64_t b) { return comes_before(x.values, a, b); });
    return order;
}

// Ties may be broken.
void broken(Ordered x, double* out) {
    std::vector<std::int64_t> order;
    if (x.ties < x.n) {
        order = without_ties(x);
        x.order = order.data();
    }
    Pools pools;
    pool(x.n, pools, [&](std::size_t i, double& value, double& weight) { value = x.values[x.order[i]], weight = x.w(i); });
    pools.write([&](std::size_t i, double mean) { out[x.order[i]] = mean; });
}

// Ties stay: all numbers of one get the same.
void kept(const Ordered& x, double* out) {
    const auto begin = [&](std::size_t t) { return static_cast<std::size_t>(t > 0 ? x.ends[t - 1] : 0); };
    Pools pools;
    pool(x.ties, pools, [&](std::size_t t, double& value, double& weight) {
        double sum = weight = 0, plain = 0;
        const std::size_t first = begin(t), end = begin(t + 1);
        for (std::size_t i = first; i < end; ++i) {
            const double own = x.values[x.order[i]];
            sum += x.w(i) * own, weight += x.w(i), plain += own;
        }
        value = weight > 0 ? sum / weight : end > first ? plain / static_cast<double>(end - first) : 0.0;
    });
    pools.write([&](std::size_t t, double mean) {
        for (std::size_t i = begin(t); i < begin(t + 1); ++i) out[x.order[i]] = mean;
    });
}

const Register registered([](nb::module_& m) {
    m.def("isotonic", [](Input values, Optional<Input> weight, Codes order, Codes ends, bool keep_ties, Output out) {
        const std::size_t n = values.size();
        expect("weight", weight, n);
        expect("order", order, n);
        expect("out", out, n);
        expect_below("order", order, n);
        expect_ends("ends", ends, n);
        const Ordered x{values.data(), pointer(weight), order.data(), n, ends.data(), ends.size()};
        double* into = out.data();
        call(1, [&](const Runtime&) { keep_ties ? kept(x, into) : broken(x, into); });
    }, nb::arg("values"), nb::arg("weight").none(), nb::arg("order"), nb::arg("ends"), nb::arg("keep_ties"), nb::arg("out"));
});

}  // namespace
}  // namespace suffice
