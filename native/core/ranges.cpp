// Whether numbers that kernels follow are in range.
#include "core/ranges.hpp"

#include <algorithm>
#include <type_traits>

#include "core/parallel.hpp"

namespace suffice {
namespace {

// The farthest number from `least` on, without a sign: what lies below is farther than all others. There is no branch.
template <class Number>
std::size_t farthest(const Number* numbers, std::size_t count, int least) {
    using Place = std::make_unsigned_t<Number>;
    const auto first = static_cast<Place>(static_cast<std::int64_t>(least));
    Place found = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto own = static_cast<Place>(static_cast<Place>(numbers[i]) - first);
        found = own > found ? own : found;
    }
    return found;
}

template <class Number>
bool all_below(const Number* numbers, std::size_t count, std::size_t n, int least, int threads) {
    constexpr std::size_t kMany = std::size_t{1} << 16;
    const std::size_t limit = n + (least < 0);
    if (count < 2 * kMany || threads < 2) return count == 0 || farthest(numbers, count, least) < limit;
    const Stripes stripes(count, kMany);
    std::size_t found = 0;
    reduce_stripes(
        stripes.count(), static_cast<double>(count), Runtime{threads, [] { return false; }}, [] { return std::size_t{0}; },
        [&](std::size_t s, std::size_t& own) {
            own = farthest(numbers + stripes.begin(s), stripes.end(s) - stripes.begin(s), least);
        },
        [&](std::size_t, std::size_t& own) { found = std::max(found, own); });
    return found < limit;
}

}  // namespace

bool are_below(const std::uint16_t* numbers, std::size_t count, std::size_t n, int least, int threads) {
    return all_below(numbers, count, n, least, threads);
}
bool are_below(const std::int32_t* numbers, std::size_t count, std::size_t n, int least, int threads) {
    return all_below(numbers, count, n, least, threads);
}
bool are_below(const std::int64_t* numbers, std::size_t count, std::size_t n, int least, int threads) {
    return all_below(numbers, count, n, least, threads);
}

}  // namespace suffice
