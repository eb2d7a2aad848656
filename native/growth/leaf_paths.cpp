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
            expect_ends("ends", ends, out.size());
            const auto nodes = static_cast<std::int64_t>(parent.size());
            std::int64_t begin = 0;
            for (std::size_t i = 0; i < count; ++i) {
                const std::int64_t end = ends.data()[i];
                std::int64_t at = leaf.data()[i];
                for (std::int64_t place = end; place > begin && at >= 0 && at < nodes; at = parent.data()[at])
                    out.data()[--place] = static_cast<std::int32_t>(at);
                begin = end;
            }
        },
        nb::arg("leaf"), nb::arg("parent"), nb::arg("ends"), nb::arg("out"));
}

const Register registered(add);

}  // namespace
}  // namespace suffice
