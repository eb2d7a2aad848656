// How searches hand their lists to Python: (m, k) arrays that Python made, or lists of any length, one a query.
#pragma once

#include <atomic>
#include <utility>
#include <vector>

#include "core/owned.hpp"
#include "neighbors/top_k.hpp"

namespace suffice {

struct Lists {
    double* values;      // (m, k)
    std::int64_t* rows;  // (m, k)
};

// Room for the lists of some queries, each of one row at least.
inline Lists lists_of(const Output& values, const Result<std::int64_t>& rows, std::size_t queries, std::size_t k) {
    if (k == 0) throw nb::value_error("lists have one row at least");
    expect("values", values, queries * k);
    expect("rows", rows, queries * k);
    return {values.data(), rows.data()};
}

// The rows within a radius of each query, in the order of the queries.
struct Found {
    std::vector<std::int64_t> ends;  // of each query's list
    std::vector<Neighbour> all;

    // Called in the order of the stripes.
    void append(const std::vector<std::vector<Neighbour>>& lists, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            all.insert(all.end(), lists[i].begin(), lists[i].end());
            ends.push_back(static_cast<std::int64_t>(all.size()));
        }
    }
};

// (ends, values, rows)
inline nb::tuple to_python(Found found) {
    std::vector<double> values(found.all.size());
    std::vector<std::int64_t> rows(found.all.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        values[i] = found.all[i].value;
        rows[i] = found.all[i].row;
    }
    return nb::make_tuple(owned(std::move(found.ends)), owned(std::move(values)), owned(std::move(rows)));
}

// Runs search(first, count, own, lists) for all queries, stripes of at least `height`; each stripe's lists are sorted,
// nearest first, and appended in order.
template <class MakeScratch, class Search>
Found find_all(std::size_t queries, double operations, const Runtime& runtime, MakeScratch make, Search search,
               std::size_t height = 16) {
    using Lists = std::vector<std::vector<Neighbour>>;
    Found found;
    found.ends.reserve(queries);
    const Stripes stripes(queries, height);
    using Own = decltype(make());
    reduce_stripes(
        stripes.count(), operations, runtime,
        [&] { return std::pair<Own, Lists>(make(), Lists(std::min(stripes.height, queries))); },
        [&](std::size_t s, std::pair<Own, Lists>& scratch) {
            const std::size_t first = stripes.begin(s), count = stripes.end(s) - first;
            for (std::size_t i = 0; i < count; ++i) scratch.second[i].clear();
            search(first, count, scratch.first, scratch.second);
            for (std::size_t i = 0; i < count; ++i) std::sort(scratch.second[i].begin(), scratch.second[i].end());
        },
        [&](std::size_t s, std::pair<Own, Lists>& scratch) {
            found.append(scratch.second, stripes.end(s) - stripes.begin(s));
        });
    return found;
}

// Runs search(query, list) for the first queries, at least one, as many as have about `most` neighbours together; the
// lists of a stripe may hold a quarter of that.
template <class Search>
Found find_first(std::size_t queries, double operations, const Runtime& runtime, std::size_t most, Search search) {
    struct Scratch {
        std::vector<std::vector<Neighbour>> lists;
        std::size_t done = 0;
    };
    Found found;
    const Stripes stripes(queries, 16);
    std::atomic<bool> full{false};
    reduce_stripes(
        stripes.count(), operations, runtime,
        [&] { return Scratch{std::vector<std::vector<Neighbour>>(std::min(stripes.height, queries))}; },
        [&](std::size_t s, Scratch& scratch) {
            const std::size_t count = stripes.end(s) - stripes.begin(s);
            std::size_t held = 0;
            for (scratch.done = 0; scratch.done < count && held <= most / 4 && !full; ++scratch.done) {
                auto& list = scratch.lists[scratch.done];
                list.clear();
                search(stripes.begin(s) + scratch.done, list);
                std::sort(list.begin(), list.end());
                held += list.size();
            }
        },
        [&](std::size_t s, Scratch& scratch) {
            if (full) return;
            found.append(scratch.lists, scratch.done);
            if (scratch.done < stripes.end(s) - stripes.begin(s) || found.all.size() >= most) full = true;
        });
    return found;
}

}  // namespace suffice
