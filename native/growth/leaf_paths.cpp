// The nodes from the roots of trees to leaves.
#include "core/binding.hpp"

namespace suffice {
namespace {

void add(nb::module_& m) {
    m.def(
        "leaf_paths",
        [](const Codes& leaf, const Vector<std::int32_t>& parent, const Codes& ends, const Result<std::int32_t>& out) {
            const std::size_t count = leaf.size();
            expect("ends", ends, count);
            expect("out", out, count ? static_cast<std::size_t>(ends.data()[count - 1]) : 0);
            std::int64_t begin = 0;
            for (std::size_t i = 0; i < count; ++i) {
                const std::int64_t end = ends.data()[i];
                auto at = static_cast<std::int32_t>(leaf.data()[i]);
                for (std::int64_t place = end; place > begin && at >= 0; at = parent.data()[at]) out.data()[--place] = at;
                begin = end;
            }
        },
        nb::arg("leaf"), nb::arg("parent"), nb::arg("ends"), nb::arg("out"));
}

const Register registered(add);

}  // namespace
}  // namespace suffice
