// Trees over rows that lie in files: rows fall to nodes, nodes of many rows are summed up and split from their sums; see
// suffice/backend/growth/summed.py for what each computes.
#include "growth/cut.hpp"
#include "growth/list_rows.hpp"
#include "growth/triple_rows.hpp"

#include "core/binding.hpp"

namespace suffice {
namespace {

// ---- rows fall to the children of their nodes ----

struct Falls {
    const std::int32_t* column;  // (nodes): −1 where rows stay
    const std::uint8_t* left;    // (nodes, 256): whether a code goes left
    const std::int32_t* child;   // (nodes): the left one, the right one comes after it
    std::size_t nodes, d;

    std::int32_t of(const Code* row, std::int32_t node) const {
        if (node < 0) return node;
        const bool there = node < static_cast<std::int32_t>(nodes) && column[node] < static_cast<std::int32_t>(d);
        if (!there) throw nb::value_error("a row is at a node that is not there");
        return column[node] < 0 ? node : child[node] + !left[static_cast<std::size_t>(node) * kCodes + row[column[node]]];
    }
};

// ---- sums of nodes ----

struct Rows {
    const Code* codes;          // (n, d)
    const std::int64_t* sums;   // (n, width)
    const std::int64_t* same;   // (n)
    const std::int32_t* times;  // (n), or null
    const std::int32_t* at;     // (n): the node of each row, −1 where it does not count
    std::size_t n, d, width;
};

struct Slots {
    const std::int32_t* slot;     // (nodes): where a node is counted, −1 nowhere
    const std::int64_t* columns;  // (summed, looked): the columns of the slots that are summed up, the first ones
    std::size_t nodes, count, summed, looked, k;

    std::int32_t of(std::int32_t node) const {
        if (node < 0) return -1;
        const bool there = node < static_cast<std::int32_t>(nodes) && slot[node] < static_cast<std::int32_t>(count);
        if (!there) throw nb::value_error("a row is at a node that is not there");
        return slot[node];
    }
};

enum class Adds { pair, triple, list, classes };

// What one row adds to a cell.
template <Adds kind>
void add_to(std::int64_t* cell, const std::int64_t* sums, std::int64_t times, std::size_t k) {
    if constexpr (kind == Adds::pair) cell[0] += times * sums[0], cell[1] += times * sums[1];
    if constexpr (kind == Adds::triple) cell[0] += times * sums[0], cell[1] += times * sums[1], cell[2] += times * sums[2];
    if constexpr (kind == Adds::classes) cell[sums[0]] += times * sums[1];
    if constexpr (kind == Adds::list)
        for (std::size_t c = 0; c < k; ++c) cell[c] += times * sums[c];
}

// The sums of every code of the columns of each slot, `out` (summed, looked, 256, k); and of each slot the number of its rows,
// and the least and the greatest of what is the same where targets are, `counts` (slots, 3).
template <Adds kind>
void add_rows(const Rows& r, const Slots& s, std::size_t begin, std::size_t end, std::int64_t* out, std::int64_t* counts) {
    const std::size_t k = s.k, size = s.looked * kCodes * k;
    for (std::size_t i = begin; i < end; ++i) {
        const std::int32_t slot = s.of(r.at[i]);
        if (slot < 0) continue;
        const auto at = static_cast<std::size_t>(slot);
        std::int64_t* own = counts + 3 * at;
        own[1] = own[0] ? std::min(own[1], r.same[i]) : r.same[i];
        own[2] = own[0] ? std::max(own[2], r.same[i]) : r.same[i];
        ++own[0];
        if (at >= s.summed) continue;
        const std::int64_t times = r.times ? r.times[i] : 1;
        const std::int64_t* sums = r.sums + i * r.width;
        if (kind == Adds::classes && (sums[0] < 0 || sums[0] >= static_cast<std::int64_t>(k)))
            throw nb::value_error("a row is of a class that is not there");
        const Code* code = r.codes + i * r.d;
        const std::int64_t* columns = s.columns + at * s.looked;
        for (std::size_t j = 0; j < s.looked; ++j)
            add_to<kind>(out + at * size + (j * kCodes + code[columns[j]]) * k, sums, times, k);
    }
}

// ---- splits from sums ----

PairSums sums_of(const PairRows&, const std::int64_t* s, std::size_t) { return {s[0], s[1]}; }
void open(PairRows::Cells& cells, std::size_t, const std::int64_t* s, std::size_t) { cells.found.push_back({s[0], s[1]}); }
void miss(PairRows::Cells& cells, const std::int64_t* s, std::size_t) { cells.missing = {s[0], s[1]}; }

TripleSums sums_of(const TripleRows&, const std::int64_t* s, std::size_t) { return {s[0], s[1], s[2]}; }
void open(TripleRows::Cells& cells, std::size_t at, const std::int64_t* s, std::size_t) { cells.add(at, {s[0], s[1], s[2]}); }
void miss(TripleRows::Cells& cells, const std::int64_t* s, std::size_t) { cells.missing = {s[0], s[1], s[2]}; }

template <bool kClasses>
std::vector<std::int64_t> sums_of(const ListRows<kClasses>&, const std::int64_t* s, std::size_t k) { return {s, s + k}; }
template <class Cells>
void open(Cells& cells, std::size_t, const std::int64_t* s, std::size_t k) { cells.found.insert(cells.found.end(), s, s + k); }
template <class Cells>
void miss(Cells& cells, const std::int64_t* s, std::size_t k) { cells.missing.assign(s, s + k); }

struct Summed {
    const std::int64_t* cells;    // (nodes, looked, 256, k)
    const std::int64_t* columns;  // (nodes, looked)
    const std::int64_t* sums;     // (nodes, k)
    const std::int64_t* seeds;    // (nodes)
    const std::int64_t* pool;     // (pooled): columns that the tree may use
    std::size_t nodes, looked, pooled;
    double weight;  // of the root

    // Where a column of a node is among those that were summed up; `looked` where it is not.
    std::size_t place(std::size_t node, std::int64_t column) const {
        const std::int64_t* own = columns + node * looked;
        return static_cast<std::size_t>(std::find(own, own + looked, column) - own);
    }
};
constexpr std::int32_t kNotSummed = -2;  // instead of a column: one that was drawn was not summed up
constexpr int kNewtonSteps = -1;  // instead of a criterion
constexpr std::size_t kWhole = 9;  // column, last, next, missing_left, seed and the four words of the left codes

template <class Own>
class Splitter {
  public:
    Splitter(const CodedTable& table, const Own& rows, const Limits& limits, std::size_t k)
        : table_(table), rows_(rows), limits_(limits), found_(rows_), cutting_(rows_, limits, nullptr), k_(k) {}

    // The best split of a node, as `Grower`, or `BoostedGrower`, finds it from its rows.
    void split(const Summed& given, std::size_t node, std::int64_t* whole, double* gain) {
        const auto sums = sums_of(rows_, given.sums + node * k_, k_);
        const double parent = rows_.score(sums), tie = kTie * std::abs(parent);
        Open open{node, 0, static_cast<std::uint64_t>(given.seeds[node]), {}, {}, 0, 0};
        drawn_.assign(given.pool, given.pool + given.pooled);
        const std::size_t d = drawn_.size();
        for (std::size_t j = 0; j < d && (j < limits_.tried || open.split.column < 0); ++j) {
            if (limits_.tried < d) std::swap(drawn_[j], drawn_[j + below(open.seed, d - j)]);
            const std::size_t place = given.place(node, drawn_[j]);
            if (place == given.looked) {
                whole[0] = kNotSummed;
                return;
            }
            collect(given.cells + (node * given.looked + place) * kCodes * k_);
            look(static_cast<std::size_t>(drawn_[j]), sums, tie, open);
            found_.clear();
        }
        open.split.gain -= parent;
        const double slack = kTie * given.weight * std::abs(limits_.least_gain) + tie;
        const bool gains = kNewton ? open.split.gain > tie : open.split.gain >= limits_.least_gain * given.weight - slack;
        if (!gains) open.split.column = -1;
        const Split& s = open.split;
        const std::int64_t found[] = {s.column, s.last, s.next, s.missing_left, static_cast<std::int64_t>(open.seed)};
        std::copy_n(found, 5, whole);
        for (std::size_t w = 0; w < 4; ++w) whole[5 + w] = static_cast<std::int64_t>(s.left[w]);
        *gain = s.column < 0 ? 0.0 : s.gain;
    }

  private:
    static constexpr bool kNewton = std::is_same_v<Own, TripleRows>;

    // Boosting looks at each column by itself before it compares them.
    template <class Sums>
    void look(std::size_t column, const Sums& sums, double tie, Open& best) {
        if constexpr (!kNewton) return cutting_.look(table_, column, found_, sums, tie, best);
        Open own{best.node, 0, best.seed, {}, {}, 0, 0};
        cutting_.look(table_, column, found_, sums, tie, own);
        if (own.split.column >= 0 && own.split.gain > best.split.gain + tie) best.split = own.split;
        best.seed = own.seed;
    }

    void collect(const std::int64_t* cells) {
        const auto there = [&](std::size_t code) {
            const std::int64_t* s = cells + code * k_;
            return std::any_of(s, s + k_, [](auto v) { return v != 0; });
        };
        for (std::size_t code = 0; code < kMissing; ++code)
            if (there(code)) {
                open(found_.cells, found_.places.size(), cells + code * k_, k_);
                found_.places.push_back(static_cast<Place>(code));
            }
        found_.has_missing = there(kMissing);
        if (found_.has_missing) miss(found_.cells, cells + kMissing * k_, k_);
    }

    const CodedTable& table_;
    const Own rows_;
    const Limits& limits_;
    Collected<Own> found_;
    Cutting<Own> cutting_;
    std::vector<std::int64_t> drawn_;
    std::size_t k_;
};

template <class Own>
void split_all(const CodedTable& table, const Own& rows, std::size_t k, const Limits& limits, const Summed& given,
               std::int64_t* whole, double* gain, const Runtime& runtime) {
    const double operations = 20.0 * static_cast<double>(given.nodes * given.looked * kCodes * k);
    for_stripes(given.nodes, operations, runtime, [&] { return Splitter<Own>(table, rows, limits, k); },
                [&](std::size_t node, Splitter<Own>& own) { own.split(given, node, whole + node * kWhole, gain + node); });
}

// ---- Python ----

void add(nb::module_& m) {
    m.def(
        "fall_to_children",
        [](const Full<std::uint8_t>& codes, const Vector<std::int32_t>& column, const Full<std::uint8_t>& left,
           const Vector<std::int32_t>& child, const Result<std::int32_t>& at, int threads) {
            const std::size_t n = codes.shape(0);
            expect("at", at, n);
            expect("left", left, column.size() * kCodes);
            expect("child", child, column.size());
            const Falls falls{column.data(), left.data(), child.data(), column.size(), codes.shape(1)};
            call(threads, [&](const Runtime& runtime) {
                const Stripes stripes(n, 8192);
                for_stripes(stripes.count(), 10.0 * static_cast<double>(n), runtime, [] { return 0; }, [&](std::size_t s, int) {
                    for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i)
                        at.data()[i] = falls.of(codes.data() + i * falls.d, at.data()[i]);
                });
            });
        },
        nb::arg("codes"), nb::arg("column"), nb::arg("left"), nb::arg("child"), nb::arg("at"), nb::arg("threads"));
    m.def(
        "add_to_nodes",
        [](const Full<std::uint8_t>& codes, const Full<std::int64_t>& sums, const Codes& same,
           const Optional<Vector<std::int32_t>>& times, const Vector<std::int32_t>& at, const Vector<std::int32_t>& slot,
           const Full<std::int64_t>& columns, bool classes, std::size_t k, const Result<std::int64_t>& out,
           const Result<std::int64_t>& counts, std::size_t parts, std::size_t slots, int threads) {
            const std::size_t n = codes.shape(0), d = codes.shape(1);
            const Rows rows{codes.data(), sums.data(), same.data(), pointer(times), at.data(), n, d, sums.shape(1)};
            const Slots own{slot.data(), columns.data(), slot.size(), slots, columns.shape(0), columns.shape(1), k};
            const std::size_t size = own.summed * own.looked * kCodes * k;
            expect("sums", sums, n * (classes ? 2 : k));
            expect("same", same, n);
            expect("times", times, n);
            expect("at", at, n);
            expect("out", out, parts * size);
            expect("counts", counts, parts * slots * 3);
            expect_below("columns", columns, d);
            const std::size_t each = (n + parts - 1) / std::max<std::size_t>(parts, 1);
            call(threads, [&](const Runtime& runtime) {
                for_stripes(parts, 2.0 * static_cast<double>(n * own.looked * k), runtime, [] { return 0; }, [&](std::size_t p, int) {
                    const std::size_t begin = std::min(n, p * each), end = std::min(n, begin + each);
                    const auto add_part = classes  ? add_rows<Adds::classes>
                                          : k == 2 ? add_rows<Adds::pair>
                                          : k == 3 ? add_rows<Adds::triple>
                                                   : add_rows<Adds::list>;
                    add_part(rows, own, begin, end, out.data() + p * size, counts.data() + p * slots * 3);
                });
            });
        },
        nb::arg("codes"), nb::arg("sums"), nb::arg("same"), nb::arg("times").none(), nb::arg("at"), nb::arg("slot"),
        nb::arg("columns"), nb::arg("classes"), nb::arg("k"), nb::arg("out"), nb::arg("counts"), nb::arg("parts"), nb::arg("slots"), nb::arg("threads"));
    m.def(
        "split_from_sums",
        [](const Vector<std::uint8_t>& categorical, const Full<double>& values, const Full<std::int64_t>& cells,
           const Full<std::int64_t>& columns, const Full<std::int64_t>& sums, const Codes& seeds, const Codes& pool, double weight, int criterion, bool classes,
           const Vector<double>& units, const Vector<double>& limits, const Result<std::int64_t>& whole, const Output& gain,
           int threads) {
            const std::size_t d = categorical.size(), nodes = seeds.size(), k = sums.shape(1);
            expect("values", values, d * kCodes);
            expect("columns", columns, nodes * columns.shape(1));
            expect("cells", cells, columns.size() * kCodes * k);
            expect("sums", sums, nodes * k);
            expect("units", units, 4);
            expect("limits", limits, Limits::kNumbers);
            expect("whole", whole, nodes * kWhole);
            expect("gain", gain, nodes);
            const bool newton = criterion == kNewtonSteps;
            if (newton ? k != 3 || classes : criterion < 0 || criterion >= static_cast<int>(Criterion::absolute) || k < 2)
                throw nb::value_error("splits were asked for wrongly");
            expect_below("pool", pool, d);
            const CodedTable table{nullptr, 0, d, categorical.data(), values.data()};
            const double* u = units.data();
            const TripleUnits steps{u[0], u[3], u[1], u[2]};
            const Targets targets{nullptr, k, nullptr, static_cast<Criterion>(newton ? 0 : criterion), u[0], u[1], u[2], 0};
            const Limits own = Limits::of(limits.data());
            const Summed given{cells.data(), columns.data(),   sums.data(), seeds.data(), pool.data(),
                               nodes,        columns.shape(1), pool.size(), weight};
            call(threads, [&](const Runtime& runtime) {
                const auto split = [&](const auto& rows) {
                    split_all(table, rows, k, own, given, whole.data(), gain.data(), runtime);
                };
                if (newton) split(TripleRows(steps));
                else if (k == 2) split(PairRows(targets));
                else if (classes) split(ListRows<true>(targets));
                else split(ListRows<false>(targets));
            });
        },
        nb::arg("categorical"), nb::arg("values"), nb::arg("cells"), nb::arg("columns"), nb::arg("sums"), nb::arg("seeds"), nb::arg("pool"),
        nb::arg("weight"), nb::arg("criterion"), nb::arg("classes"), nb::arg("units"), nb::arg("limits"), nb::arg("whole"),
        nb::arg("gain"), nb::arg("threads"));
}

const Register registered(add);

}  // namespace
}  // namespace suffice
