// Random orders of rows, one an epoch: the same on every machine, whichever epoch is asked for first.
#include "core/binding.hpp"
#include "dual/draws.hpp"

namespace suffice {
namespace {

// Fisher and Yates.
void shuffle(std::int64_t* rows, std::size_t count, Draws draws) {
    for (std::size_t s = 0; s + 1 < count; ++s) std::swap(rows[s], rows[s + draws.below(count - s)]);
}

const Register registered([](nb::module_& m) {
    m.def("random_orders", [](Codes rows, std::uint64_t seed, std::uint64_t first, int threads,
                              Result<std::int64_t> orders) {
        const std::size_t n = rows.size(), count = n ? orders.size() / n : 0;
        expect("orders", orders, count * n);
        const std::int64_t* from = rows.data();
        std::int64_t* to = orders.data();
        call(threads, [&](const Runtime&) {
            for (std::size_t e = 0; e < count; ++e) {
                std::copy_n(from, n, to + e * n);
                shuffle(to + e * n, n, Draws(seed + (first + e) * 0xD1B54A32D192ED03u));
            }
        });
    }, nb::arg("rows"), nb::arg("seed"), nb::arg("first"), nb::arg("threads"), nb::arg("orders"));
});

}  // namespace
}  // namespace suffice
