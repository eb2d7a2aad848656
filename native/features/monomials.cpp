// Monomials of columns, lower degrees first: each column times those of one degree less that begin with it, or after it.
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>

#include "core/binding.hpp"

namespace suffice {
namespace {

constexpr std::size_t kBlockRows = 256;      // whose columns stay in the first cache
constexpr std::size_t kStripeCells = 8192;   // at least so many in a stripe

// Features `to`, `to` + 1, … are a column times features `from`, `from` + 1, ….
struct Run {
    std::size_t column, from, to, count;
};

struct Plan {
    std::vector<Run> runs;
    std::size_t features = 1;  // the first is 1

    Plan(std::size_t columns, std::size_t degree, bool once) {
        std::vector<std::size_t> begin(columns + 1, 0), next(columns + 1);  // those that begin with a column, or after it
        std::size_t end = 1;
        for (std::size_t k = 1; k <= degree; ++k) {
            for (std::size_t j = 0; j < columns; ++j) {
                const std::size_t from = begin[j + once];
                next[j] = features;
                if (end > from) runs.push_back({j, from, features, end - from});
                features += end - from;
            }
            next[columns] = end = features;
            begin = next;
        }
    }
};

// out (features, n); whether a product is infinite.
template <class T>
bool monomials(const View<T>& x, const Plan& plan, const Runtime& runtime, T* out) {
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    const Bits infinity = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
    const std::size_t n = x.rows;
    const Stripes stripes(n, std::max<std::size_t>(16, kStripeCells / plan.features));
    std::atomic<bool> infinite{false};
    auto work = [&](std::size_t s, std::vector<T>& columns) {
        Bits all = 0;
        for (std::size_t first = stripes.begin(s); first < stripes.end(s); first += kBlockRows) {
            const std::size_t count = std::min(kBlockRows, stripes.end(s) - first);
            for (std::size_t j = 0; j < x.cols; ++j)
                for (std::size_t i = 0; i < count; ++i) columns[j * kBlockRows + i] = x.at(first + i, j);
            std::fill_n(out + first, count, T(1));
            for (const Run& run : plan.runs) {
                const T* column = columns.data() + run.column * kBlockRows;
                for (std::size_t f = 0; f < run.count; ++f) {
                    const T* from = out + (run.from + f) * n + first;
                    T* to = out + (run.to + f) * n + first;
                    for (std::size_t i = 0; i < count; ++i) {
                        to[i] = column[i] * from[i];
                        all |= std::bit_cast<Bits>(std::abs(to[i])) == infinity ? Bits(1) : Bits(0);
                    }
                }
            }
        }
        if (all) infinite = true;
    };
    for_stripes(stripes.count(), static_cast<double>(n) * static_cast<double>(plan.features), runtime,
                [&] { return std::vector<T>(x.cols * kBlockRows); }, work);
    return infinite;
}

template <class T>
void bind(nb::module_& m) {
    m.def("monomials", [](Matrix<T> x, std::size_t degree, bool once, int threads, Result<T> out) {
        const Plan plan(x.shape(1), degree, once);
        expect("out", out, plan.features * x.shape(0));
        return call(threads, [&](const Runtime& r) { return monomials<T>(view<T>(x), plan, r, out.data()); });
    }, nb::arg("x"), nb::arg("degree"), nb::arg("once"), nb::arg("threads"), nb::arg("out"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
