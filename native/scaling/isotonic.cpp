// The rising function nearest to some numbers, by pooling neighbours that fall (Kruskal, 1964; Barlow and Brunk, 1972).
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/binding.hpp"

namespace suffice {
namespace {

// Blocks of places with their mean; the last one takes in those before it while its mean is not above theirs.
class Pools {
  public:
    explicit Pools(std::size_t most) { blocks_.reserve(std::min<std::size_t>(most, 1 << 20)); }

    void add(double value, double weight, std::size_t count) {
        Block last{value, weight, count};
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

    template <class Write>
    void write(Write out) const {
        std::size_t at = 0;
        for (const Block& block : blocks_)
            for (std::size_t end = at + block.count; at < end; ++at) out(at, block.mean);
    }

  private:
    struct Block {
        double mean, weight;
        std::size_t count;
    };
    std::vector<Block> blocks_;
};

// values and weight in any order, `order` (n) the places from the least on, `ends` (b) where each tie of them ends.
struct Ordered {
    const double *values, *weight;
    const std::int64_t* order;
    std::size_t n;
    const std::int64_t* ends;
    std::size_t ties;

    std::size_t at(std::size_t i) const { return static_cast<std::size_t>(order[i]); }
    double w(std::size_t i) const { return weight ? weight[at(i)] : 1.0; }
};

// Ties may be broken: within one, numbers come in their own order.
void broken(const Ordered& x, double* out) {
    std::vector<std::int64_t> order(x.order, x.order + x.n);
    std::size_t begin = 0;
    for (std::size_t t = 0; t < x.ties; ++t) {
        const auto end = static_cast<std::size_t>(x.ends[t]);
        if (end - begin > 1)
            std::sort(order.begin() + static_cast<std::ptrdiff_t>(begin), order.begin() + static_cast<std::ptrdiff_t>(end),
                      [&](std::int64_t a, std::int64_t b) {
                          return x.values[a] != x.values[b] ? x.values[a] < x.values[b] : a < b;
                      });
        begin = end;
    }
    Pools pools(x.n);
    for (std::int64_t place : order) pools.add(x.values[place], x.weight ? x.weight[place] : 1.0, 1);
    pools.write([&](std::size_t i, double mean) { out[order[i]] = mean; });
}

// Ties stay: all numbers of one get the same.
void kept(const Ordered& x, double* out) {
    Pools pools(x.ties);
    std::size_t begin = 0;
    for (std::size_t t = 0; t < x.ties; ++t) {
        const auto end = static_cast<std::size_t>(x.ends[t]);
        double sum = 0, weight = 0, plain = 0;
        for (std::size_t i = begin; i < end; ++i) {
            sum += x.w(i) * x.values[x.at(i)], weight += x.w(i);
            plain += x.values[x.at(i)];
        }
        if (end > begin) pools.add(weight > 0 ? sum / weight : plain / static_cast<double>(end - begin), weight, end - begin);
        begin = end;
    }
    pools.write([&](std::size_t i, double mean) { out[x.order[i]] = mean; });
}

const Register registered([](nb::module_& m) {
    m.def("isotonic", [](Input values, Optional<Input> weight, Codes order, Codes ends, bool keep_ties, Output out) {
        const std::size_t n = values.size();
        expect("weight", weight, n);
        expect("order", order, n);
        expect("out", out, n);
        const Ordered x{values.data(), pointer(weight), order.data(), n, ends.data(), ends.size()};
        double* into = out.data();
        call(1, [&](const Runtime&) { keep_ties ? kept(x, into) : broken(x, into); });
    }, nb::arg("values"), nb::arg("weight").none(), nb::arg("order"), nb::arg("ends"), nb::arg("keep_ties"), nb::arg("out"));
});

}  // namespace
}  // namespace suffice
