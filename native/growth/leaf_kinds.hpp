// What leaves say, told apart: the leaves of a deep tree of classes say few different things, which stay near in a table.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "growth/forest.hpp"

namespace suffice {

// Empty where leaves say too many different things.
struct LeafKinds {
    std::vector<std::uint16_t> kind;  // (nodes)
    std::vector<double> said;         // (kinds, q)
};

inline LeafKinds leaf_kinds(const Forest& f, const double* value, std::size_t q) {
    constexpr std::size_t kMostNumbers = 2048, kPlaces = 4 * kMostNumbers;  // which take 16 KiB
    LeafKinds found{std::vector<std::uint16_t>(static_cast<std::size_t>(f.starts[f.trees])), {}};
    std::vector<std::uint16_t> places(kPlaces);  // of each kind, from 1 on
    for (std::size_t t = 0; t < f.trees; ++t)
        for (std::int64_t i = f.starts[t]; i < f.starts[t + 1]; ++i) {
            if (f.nodes[i].left != i - f.starts[t]) continue;
            const double* own = value + static_cast<std::size_t>(i) * q;
            std::uint64_t hash = 0;
            for (std::size_t c = 0; c < q; ++c) hash = (hash ^ std::bit_cast<std::uint64_t>(own[c])) * 0x9e3779b97f4a7c15u;
            for (std::size_t at = hash >> 51;; at = (at + 1) % kPlaces) {
                if (places[at] == 0) {
                    if (found.said.size() + q > kMostNumbers) return {};
                    found.said.insert(found.said.end(), own, own + q);
                    places[at] = static_cast<std::uint16_t>(found.said.size() / q);
                }
                const std::size_t kind = places[at] - std::size_t{1};
                if (std::memcmp(&found.said[kind * q], own, q * sizeof(double)) != 0) continue;
                found.kind[static_cast<std::size_t>(i)] = static_cast<std::uint16_t>(kind);
                break;
            }
        }
    return found;
}

}  // namespace suffice
