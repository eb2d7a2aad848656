// Trees from coded or sorted columns, one or many; see suffice/backend/growth/portable.py for what they are.
#include <cstring>
#include <memory>

#include "core/in_order.hpp"
#include "growth/decoded.hpp"
#include "growth/draws.hpp"
#include "growth/grower.hpp"
#include "growth/list_rows.hpp"
#include "growth/median_rows.hpp"
#include "growth/nodes.hpp"

namespace suffice {
namespace {

// Which rows each tree sees, and where its random numbers begin.
struct Draws {
    const std::int32_t* times;  // (trees, n), or null
    const std::int64_t* seeds;  // (trees)
    std::size_t trees;
    std::int32_t* leaves;       // (trees, n), or null
    Sampling sampling;
};

// What the rows of all threads may take: with the codes of the columns, the sums of the targets and weights, one and a half times as
// much as the columns as doubles; or kRoom of a small table.
template <class Table>
std::size_t room_beside(const Table& table, std::size_t sums) {
    constexpr std::size_t kRoom = std::size_t{64} << 20;
    const std::size_t columns = 12 * table.n * table.d, shared = table.n * (table.d + 8 * (sums + 2));
    return std::max(kRoom, columns - std::min(columns, shared));
}

// `to` says where trees grow, and takes them; they come from several threads in any order.
template <class Rows, template <class> class Columns, class Table, class To>
void grow(const Table& table, const Targets& targets, const Limits& limits, const std::int8_t* monotone,
          const Draws& draws, const Runtime& runtime, To& to) {
    using Own = Grower<Rows, Columns>;
    struct Scratch {
        Own grower;
        typename To::template Held<typename Rows::Sums> held;
        std::vector<std::int32_t> drawn;
    };
    Clock clock(runtime);
    Table held = table;
    const std::size_t room = room_beside(table, targets.k), times = draws.sampling.draws ? table.n * sizeof(std::int32_t) : 0;
    const auto fit = [&] { return room / (times + Columns<Rows>::bytes(held, draws.sampling.rows(table.n))); };
    const auto asked = std::min<std::size_t>(static_cast<std::size_t>(std::max(1, runtime.threads)), draws.trees);
    if constexpr (requires { held.lean; }) held.lean = fit() < asked;
    const Runtime within{static_cast<int>(std::clamp<std::size_t>(fit(), 1, std::max<std::size_t>(1, asked))), runtime.interrupted};
    const double operations = 20.0 * static_cast<double>(draws.trees * table.n * std::min(table.d, limits.tried));
    for_stripes(
        draws.trees, operations, within, [&] { return Scratch{Own(held, targets, limits, monotone), {}, {}}; },
        [&](std::size_t t, Scratch& own) {
            const auto seed = static_cast<std::uint64_t>(draws.seeds[t]);
            if (draws.sampling.draws) draws.sampling.fill(own.drawn, table.n, seed);
            const std::int32_t* given = draws.times ? draws.times + t * table.n : nullptr;
            own.grower.grow(draws.sampling.draws ? own.drawn.data() : given, seed,
                            draws.leaves ? draws.leaves + t * table.n : nullptr, draws.trees == 1 ? &clock : nullptr,
                            to.tree(own.held));
            to.take(t, own.held, own.grower.rows());
        });
}

class AsNodes {
  public:
    template <class Sums>
    using Held = Grown<Sums>;

    AsNodes(std::size_t trees, std::size_t k) : k_(k), trees_(trees) {}
    template <class Sums>
    Grown<Sums>& tree(Grown<Sums>& held) {
        return held;
    }
    template <class Sums, class Rows>
    void take(std::size_t t, const Grown<Sums>& held, const Rows& rows) {
        auto part = trees_.blank();
        part->nodes = held.nodes, part->sums.resize(held.size() * k_);
        for (std::size_t i = 0; i < held.size(); ++i) rows.write(held.sums[i], &part->sums[i * k_]);
        trees_.bring(t, std::move(part), [&](const Part& own, bool) { found.append(own.nodes, own.sums); });
    }
    Nodes found;

  private:
    struct Part {
        std::vector<Node> nodes;
        std::vector<std::int64_t> sums;
    };
    const std::size_t k_;
    InOrder<Part> trees_;
};

class AsDecoded {
  public:
    template <class Sums>
    using Held = std::unique_ptr<DecodedTree>;

    AsDecoded(std::size_t trees, const Targets& targets, bool several, const Decoding& decoding)
        : targets_(targets), several_(several), decoding_(decoding), trees_(trees) {}
    DecodedTree& tree(std::unique_ptr<DecodedTree>& held) {
        held = trees_.blank();
        held->decode(targets_, several_, decoding_);
        return *held;
    }
    template <class Rows>
    void take(std::size_t t, std::unique_ptr<DecodedTree>& held, const Rows&) {
        held->finish();
        trees_.bring(t, std::move(held), [&](DecodedTree& own, bool again) { found.append(own, decoding_, again); });
    }
    DecodedTrees found;

  private:
    const Targets targets_;
    const bool several_;
    const Decoding decoding_;
    InOrder<DecodedTree> trees_;
};

template <template <class> class Columns, class Table, class... Rest>
void grow_on(const Table& table, const Targets& targets, bool classes, Rest&&... rest) {
    if (targets.criterion == Criterion::absolute) return grow<MedianRows, Columns>(table, targets, rest...);
    if (targets.k == 2) return grow<PairRows, Columns>(table, targets, rest...);
    if (classes) return grow<ListRows<true>, Columns>(table, targets, rest...);
    return grow<ListRows<false>, Columns>(table, targets, rest...);
}

// Refuses columns that do not have every row once, in the order of ranks that have a value.
void expect_sorted(const SortedTable& t) {
    std::vector<std::uint8_t> seen(t.n);
    for (std::size_t j = 0; j < t.d; ++j) {
        const auto count = static_cast<std::size_t>(t.starts[j + 1] - t.starts[j]);
        std::fill(seen.begin(), seen.end(), 0);
        Place last = 0;
        for (std::size_t i = 0; i < t.n; ++i) {
            const Row row = t.order[j * t.n + i];
            const Place place = row < t.n && !seen[row] ? t.place(j, row) : 0;
            if (row >= t.n || seen[row] || place < last || (place != kNoPlace && place >= count))
                throw nb::value_error("the rows of a column are not in the order of their ranks");
            seen[row] = 1, last = place;
        }
    }
}

using Flags = Vector<std::uint8_t>;

struct Asked {
    Vector<double> numbers;  // of_tree, tried, most_depth, most_leaves, least_split, least_leaf, least_gain, best_first, random_cuts
    Optional<Vector<std::int8_t>> monotone;
    Optional<Full<std::int32_t>> times;
    Codes seeds;
    Optional<Result<std::int32_t>> leaves;
    int criterion;
    bool classes;
    std::size_t k;
    Vector<double> units;  // first, weight, l2
    std::size_t drawn;
    bool replace;
    Optional<Codes> mass;

    Limits limits() const { return Limits::of(numbers.data()); }
    void check(std::size_t n, std::size_t d, const Full<std::int64_t>& sums, const Codes& same) const {
        expect("same", same, n);
        expect("limits", numbers, Limits::kNumbers);
        expect("units", units, 3);
        expect("monotone", monotone, d);
        expect("times", times, seeds.size() * n);
        expect("leaves", leaves, seeds.size() * n);
        expect_draws(drawn, mass, n);
        expect("targets", sums, n * (classes || k == 2 ? 2 : k));
        if (criterion < 0 || criterion > 5 || k < 2 || n >= kNoPlace) throw nb::value_error("the growth of trees was asked for wrongly");
        for (std::size_t i = 0; classes && i < n; ++i)
            if (sums.data()[2 * i] < 0 || static_cast<std::size_t>(sums.data()[2 * i]) >= k)
                throw nb::value_error("a row is of a class that is not there");
        if (criterion == static_cast<int>(Criterion::absolute)) {
            if (classes || k % 2 == 0) throw nb::value_error("absolute differences are of targets with their ranks");
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t c = 0; c + 1 < k; c += 2) {
                    const std::int64_t rank = sums.data()[k * i + c];
                    if (rank < 0 || static_cast<std::size_t>(rank) >= n)
                        throw nb::value_error("the rank of a target must be below the number of rows");
                }
        }
    }
    Targets targets(const Full<std::int64_t>& sums, const Codes& same) const {
        return {sums.data(), k, same.data(), static_cast<Criterion>(criterion), units.data()[0], units.data()[1], units.data()[2],
                same.size()};
    }
    Draws draws() const {
        return {pointer(times), seeds.data(), seeds.size(), pointer(leaves), {drawn, replace, pointer(mass)}};
    }
};

void add(nb::module_& m) {
    m.def(
        "draw_rows",
        [](std::size_t seed, std::size_t drawn, bool replace, const Optional<Codes>& mass, const Result<std::int32_t>& out) {
            expect_draws(drawn, mass, out.size());
            std::vector<std::int32_t> times;
            Sampling{drawn, replace, pointer(mass)}.fill(times, out.size(), seed);
            std::copy(times.begin(), times.end(), out.data());
        },
        nb::arg("seed"), nb::arg("drawn"), nb::arg("replace"), nb::arg("mass").none(), nb::arg("out"));
    m.def(
        "grow_coded",
        [](const Full<std::uint8_t>& codes, const Flags& categorical, const Full<double>& values,
           const Full<std::int64_t>& sums, const Codes& same, int criterion, bool classes, std::size_t k, const Vector<double>& units,
           const Vector<double>& limits, const Optional<Vector<std::int8_t>>& monotone,
           const Optional<Full<std::int32_t>>& times, const Codes& seeds, std::size_t drawn, bool replace,
           const Optional<Codes>& mass, const Optional<Result<std::int32_t>>& leaves, int threads) {
            const Asked asked{limits, monotone, times, seeds, leaves, criterion, classes, k, units, drawn, replace, mass};
            const auto complete = complete_columns(codes.data(), codes.shape(1), codes.shape(0));
            const CodedTable table{codes.data(),       codes.shape(1), codes.shape(0),
                                   categorical.data(), values.data(),  complete.data()};
            asked.check(table.n, table.d, sums, same);
            expect("categorical", categorical, table.d);
            expect("values", values, table.d * kCodes);
            const Limits own = asked.limits();
            AsNodes found(seeds.size(), k);
            call(threads, [&](const Runtime& runtime) {
                grow_on<CodedColumns>(table, asked.targets(sums, same), classes, own, pointer(asked.monotone), asked.draws(),
                                   runtime, found);
            });
            return to_python(std::move(found.found));
        },
        nb::arg("codes"), nb::arg("categorical"), nb::arg("values"), nb::arg("sums"), nb::arg("same"), nb::arg("criterion"),
        nb::arg("classes"), nb::arg("k"), nb::arg("units"), nb::arg("limits"), nb::arg("monotone").none(),
        nb::arg("times").none(), nb::arg("seeds"), nb::arg("drawn"), nb::arg("replace"), nb::arg("mass").none(),
        nb::arg("leaves").none(), nb::arg("threads"));
    m.def(
        "grow_forest",
        [](const Full<std::uint8_t>& codes, const Flags& categorical, const Full<double>& values,
           const Full<std::int64_t>& sums, const Codes& same, int criterion, bool classes, std::size_t k, const Vector<double>& units,
           const Vector<double>& limits, const Optional<Vector<std::int8_t>>& monotone,
           const Optional<Full<std::int32_t>>& times, const Codes& seeds, std::size_t drawn, bool replace,
           const Optional<Codes>& mass, const Full<double>& edges, const Full<double>& low, const Flags& exact,
           const Flags& recode, const Codes& starts, const Optional<Vector<double>>& centre, int threads) {
            const Asked asked{limits, monotone, times, seeds, {}, criterion, classes, k, units, drawn, replace, mass};
            const auto complete = complete_columns(codes.data(), codes.shape(1), codes.shape(0));
            const CodedTable table{codes.data(),       codes.shape(1), codes.shape(0),
                                   categorical.data(), values.data(),  complete.data()};
            asked.check(table.n, table.d, sums, same);
            expect("categorical", categorical, table.d);
            for (const auto* each : {&values, &edges, &low}) expect("values, edges and low", *each, table.d * kCodes);
            expect("exact", exact, table.d);
            expect_starts("starts", starts, table.d, recode.size());
            expect("centre", centre, k - 1);
            if (criterion == static_cast<int>(Criterion::absolute)) throw nb::value_error("forests have no medians");
            const Decoding decoding{edges.data(), low.data(),    values.data(), exact.data(),
                                    recode.data(), starts.data(), pointer(centre)};
            const Limits own = asked.limits();
            const Targets targets = asked.targets(sums, same);
            AsDecoded found(seeds.size(), targets, classes, decoding);
            call(threads, [&](const Runtime& runtime) {
                grow_on<CodedColumns>(table, targets, classes, own, pointer(asked.monotone), asked.draws(), runtime, found);
            });
            return to_python(std::move(found.found));
        },
        nb::arg("codes"), nb::arg("categorical"), nb::arg("values"), nb::arg("sums"), nb::arg("same"), nb::arg("criterion"),
        nb::arg("classes"), nb::arg("k"), nb::arg("units"), nb::arg("limits"), nb::arg("monotone").none(),
        nb::arg("times").none(), nb::arg("seeds"), nb::arg("drawn"), nb::arg("replace"), nb::arg("mass").none(),
        nb::arg("edges"), nb::arg("low"), nb::arg("exact"), nb::arg("recode"), nb::arg("starts"), nb::arg("centre").none(),
        nb::arg("threads"));
    m.def(
        "grow_sorted",
        [](const Full<std::uint32_t>& ranks, const Full<std::uint32_t>& order, const Flags& categorical,
           const Vector<double>& values, const Codes& starts, const Full<std::int64_t>& sums, const Codes& same, int criterion, bool classes,
           std::size_t k, const Vector<double>& units, const Vector<double>& limits,
           const Optional<Vector<std::int8_t>>& monotone, const Optional<Full<std::int32_t>>& times, const Codes& seeds,
           std::size_t drawn, bool replace, const Optional<Codes>& mass, const Optional<Result<std::int32_t>>& leaves,
           int threads) {
            const Asked asked{limits, monotone, times, seeds, leaves, criterion, classes, k, units, drawn, replace, mass};
            const SortedTable table{ranks.data(),       order.data(),  ranks.shape(1), ranks.shape(0),
                                    categorical.data(), values.data(), starts.data()};
            asked.check(table.n, table.d, sums, same);
            expect("order", order, ranks.size());
            expect("categorical", categorical, table.d);
            expect_starts("starts", starts, table.d, values.size());
            expect_sorted(table);
            const Limits own = asked.limits();
            AsNodes found(seeds.size(), k);
            call(threads, [&](const Runtime& runtime) {
                grow_on<SortedColumns>(table, asked.targets(sums, same), classes, own, pointer(asked.monotone), asked.draws(),
                                   runtime, found);
            });
            return to_python(std::move(found.found));
        },
        nb::arg("ranks"), nb::arg("order"), nb::arg("categorical"), nb::arg("values"), nb::arg("starts"), nb::arg("sums"), nb::arg("same"),
        nb::arg("criterion"), nb::arg("classes"), nb::arg("k"), nb::arg("units"), nb::arg("limits"),
        nb::arg("monotone").none(), nb::arg("times").none(), nb::arg("seeds"), nb::arg("drawn"), nb::arg("replace"), nb::arg("mass").none(),
        nb::arg("leaves").none(),
        nb::arg("threads"));
}

const Register registered(add);

}  // namespace
}  // namespace suffice
