// Columns as a grower looks at them: codes of a byte, or rows sorted by their values.
//
// Both hold the rows of the nodes in spans, collect the sums of a column's places within a span in their order, and
// divide a span in two.
#pragma once

#include <algorithm>
#include <cstring>
#include <numeric>

#include "growth/tree.hpp"

namespace suffice {

struct Span {
    std::size_t begin, end;
    std::size_t size() const { return end - begin; }
};

// What is there of a column in a node.
template <class Rows>
struct Collected {
    explicit Collected(const Rows& rows) : cells(rows) {}
    typename Rows::Cells cells;
    std::vector<Place> places;  // in rising order, missing cells apart
    bool has_missing = false;

    void clear() {
        cells.clear();
        places.clear();
        has_missing = false;
    }
};

struct CodedTable {
    const Code* codes;  // (d, n)
    std::size_t n, d;
    const std::uint8_t* categorical;  // (d)
    const double* values;             // (d, 256): a number of each code, for cuts at random
    const std::uint8_t* complete = nullptr;  // (d): whether no cell of the column is missing, where that is known
    bool lean = false;                       // whether trees hold their rows in as little memory as they can
    static constexpr Place kNone = kMissing;

    const Code* column(std::size_t j) const { return codes + j * n; }
    double value(std::size_t j, Place place) const { return values[j * kCodes + place]; }
    Place place(std::size_t j, Row row) const { return column(j)[row]; }
};

// Which columns have no missing cell.
inline std::vector<std::uint8_t> complete_columns(const Code* codes, std::size_t n, std::size_t d) {
    std::vector<std::uint8_t> found(d);
    for (std::size_t j = 0; j < d; ++j) found[j] = std::memchr(codes + j * n, kMissing, n) == nullptr;
    return found;
}

// The rows of a tree with what they add. In little memory, that is read from the targets, which all trees share, and kept
// only for the node that is looked at, where it has few rows.
template <class Rows>
class CodedColumns {
  public:
    using Table = CodedTable;
    using Own = typename Rows::Own;

    explicit CodedColumns(const Table& table) : table_(table) {}

    std::size_t hold(const Rows& rows, const std::int32_t* times) {
        const auto drawn = times ? std::count_if(times, times + table_.n, [](auto k) { return k > 0; })
                                 : static_cast<std::ptrdiff_t>(table_.n);
        const auto count = static_cast<std::size_t>(drawn);
        const std::size_t room = count <= rows_.capacity() ? 0 : count + count / 16;  // for the rows of the next tree too
        for (auto* each : {&rows_, &spare_}) each->clear(), each->reserve(room);
        adds_ = &rows, times_ = times, near_ = {0, 0};
        if (!table_.lean)
            for (auto* each : {&own_, &spare_own_}) each->clear(), each->reserve(room);
        for (std::size_t i = 0; i < table_.n; ++i)
            if (!times || times[i] > 0) {
                rows_.push_back(static_cast<Row>(i));
                if (!table_.lean) own_.push_back(rows.own(static_cast<Row>(i), times ? times[i] : 1));
            }
        spare_.resize(count), spare_own_.resize(table_.lean ? 0 : count);
        return count;
    }
    static std::size_t bytes(const Table& table, std::size_t count) {
        return 2 * (count * sizeof(Row) + (table.lean ? kNear : count) * sizeof(Own));
    }

    Row row(std::size_t at) const { return rows_[at]; }
    Own own(std::size_t at) const { return table_.lean ? read(at) : own_[at]; }
    const Row* rows() const { return rows_.data(); }

    // Calls look(own), where own(i) is what row i of all adds, for rows of a span.
    template <class Look>
    void with_owns(Span span, const Look& look) {
        if (!table_.lean) return look([all = own_.data()](std::size_t i) -> const Own& { return all[i]; });
        if (span.size() > kNear) return look([this](std::size_t i) { return read(i); });
        if (span.begin != near_.begin || span.end != near_.end) {
            own_.clear();
            for (std::size_t i = span.begin; i < span.end; ++i) own_.push_back(read(i));
            near_ = span;
        }
        look([near = own_.data(), begin = span.begin](std::size_t i) -> const Own& { return near[i - begin]; });
    }

    void collect(std::size_t column, Span span, Collected<Rows>& c) {
        with_owns(span, [&](const auto& own) {
            if (span.size() <= kFew) collect_few(table_.column(column), span, own, c);
            else collect_many(table_.column(column), span, own, c);
        });
    }
    static Codes256 codes_left(const Split& split) {
        Codes256 found = split.left;
        if (!split.categorical)
            for (std::size_t w = 0; w < 4; ++w) {
                const std::size_t below = split.last + 1 > 64 * w ? split.last + 1 - 64 * w : 0;
                found[w] = below >= 64 ? ~0ull : (1ull << below) - 1;
            }
        found[3] = (found[3] & ~(1ull << 63)) | static_cast<std::uint64_t>(split.missing_left) << 63;
        return found;
    }

    // The rows that go left first; both halves keep their order.
    std::size_t divide(Span span, const Split& split) {
        const Code* code = table_.column(static_cast<std::size_t>(split.column));
        const Codes256 left_codes = codes_left(split);
        near_ = {0, 0};
        return table_.lean ? divided<true>(span, code, left_codes) : divided<false>(span, code, left_codes);
    }

  private:
    static constexpr std::size_t kFew = 24, kNear = 4096;  // rows that are sorted; rows whose sums are kept

    Own read(std::size_t at) const { return adds_->own(rows_[at], times_ ? times_[rows_[at]] : 1); }

    template <bool kLean>
    std::size_t divided(Span span, const Code* code, const Codes256& left_codes) {
        std::size_t left = span.begin, right = 0;
        for (std::size_t i = span.begin; i < span.end; ++i) {
            const Row row = rows_[i];
            const bool goes_left = contains(left_codes, code[row]);
            if constexpr (!kLean) {
                const Own own = own_[i];
                spare_own_[right] = own_[left] = own;
            }
            spare_[right] = rows_[left] = row;
            left += goes_left;
            right += !goes_left;
        }
        std::copy_n(spare_.begin(), right, rows_.begin() + static_cast<std::ptrdiff_t>(left));
        if constexpr (!kLean) std::copy_n(spare_own_.begin(), right, own_.begin() + static_cast<std::ptrdiff_t>(left));
        return left;
    }

    template <class OwnOf>
    void collect_many(const Code* code, Span span, const OwnOf& own, Collected<Rows>& c) const {
        Codes256 seen{};
        if (span.size() > kCodes) {
            for (std::size_t i = span.begin; i < span.end; ++i) c.cells.add(code[rows_[i]], own(i));
            for (std::size_t k = 0; k < kCodes; ++k)
                if (!c.cells.empty(k)) insert(seen, k);
        } else {
            for (std::size_t i = span.begin; i < span.end; ++i) {
                const Code at = code[rows_[i]];
                c.cells.add(at, own(i));
                insert(seen, at);
            }
        }
        for (std::size_t w = 0; w < seen.size(); ++w)
            for (std::uint64_t bits = seen[w]; bits; bits &= bits - 1) {
                const std::size_t k = w * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
                c.cells.take(k);
                if (k == kMissing) c.has_missing = true;
                else c.places.push_back(static_cast<Place>(k));
            }
    }

    // The same for a few rows, which are sorted: most nodes of a tree have few.
    template <class OwnOf>
    void collect_few(const Code* code, Span span, const OwnOf& own, Collected<Rows>& c) const {
        std::uint32_t keys[kFew];  // code and place
        const std::size_t count = span.size();
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint32_t key = static_cast<std::uint32_t>(code[rows_[span.begin + i]]) << 8 | static_cast<std::uint32_t>(i);
            std::size_t at = i;
            for (; at > 0 && keys[at - 1] > key; --at) keys[at] = keys[at - 1];
            keys[at] = key;
        }
        for (std::size_t i = 0; i < count; ++i) {
            const Place at = keys[i] >> 8;
            const Own& row = own(span.begin + (keys[i] & 255));
            if (at == kMissing) {
                c.has_missing = true;
                c.cells.add_missing(row);
                continue;
            }
            if (i == 0 || keys[i - 1] >> 8 != at) c.cells.open(), c.places.push_back(at);
            c.cells.add_to_last(row);
        }
    }

    const Table& table_;
    std::vector<Row> rows_, spare_;
    const Rows* adds_ = nullptr;
    const std::int32_t* times_ = nullptr;
    std::vector<Own> own_, spare_own_;  // of all rows, or of those of `near_`
    Span near_{0, 0};
};

struct SortedTable {
    const Place* ranks;  // (d, n)
    const Row* order;    // (d, n): the rows of each column, by rank, missing cells last
    std::size_t n, d;
    const std::uint8_t* categorical;  // (d)
    const double* values;             // of each rank, one column after the other
    const std::int64_t* starts;       // (d + 1), of the values of each column
    static constexpr Place kNone = kNoPlace;

    double value(std::size_t j, Place place) const { return values[static_cast<std::size_t>(starts[j]) + place]; }
    Place place(std::size_t j, Row row) const { return ranks[j * n + row]; }
};

template <class Rows>
class SortedColumns {
  public:
    using Table = SortedTable;
    using Own = typename Rows::Own;

    explicit SortedColumns(const Table& table) : table_(table) {}

    std::size_t hold(const Rows& rows, const std::int32_t* times) {
        own_.clear();
        rows_.clear();
        for (std::size_t i = 0; i < table_.n; ++i) {
            own_.push_back(rows.own(static_cast<Row>(i), times ? times[i] : 1));
            if (!times || times[i] > 0) rows_.push_back(static_cast<Row>(i));
        }
        const std::size_t count = rows_.size();
        lists_.resize(table_.d * count);
        for (std::size_t j = 0; j < table_.d; ++j) {
            Entry* out = &lists_[j * count];
            for (std::size_t i = 0; i < table_.n; ++i) {
                const Row row = table_.order[j * table_.n + i];
                if (!times || times[row] > 0) *out++ = {row, table_.place(j, row)};
            }
        }
        spare_.resize(count);
        goes_left_.resize(table_.n);
        return count;
    }
    Row row(std::size_t at) const { return rows_[at]; }
    const Own& own(std::size_t at) const { return own_[rows_[at]]; }
    static std::size_t bytes(const Table& table, std::size_t count) {
        return (table.d + 1) * count * sizeof(Entry) + count * (2 * sizeof(Row) + sizeof(Own) + 1);
    }

    void collect(std::size_t column, Span span, Collected<Rows>& c) const {
        const Entry* list = &lists_[column * rows_.size()];
        std::size_t i = span.begin;
        for (Place last = kNoPlace; i < span.end && list[i].place != kNoPlace; ++i) {
            if (list[i].place != last) {
                last = list[i].place;
                c.cells.open();
                c.places.push_back(last);
            }
            c.cells.add_to_last(own_[list[i].row]);
        }
        c.has_missing = i < span.end;
        for (; i < span.end; ++i) c.cells.add_missing(own_[list[i].row]);
    }

    std::size_t divide(Span span, const Split& split) {
        const Entry* list = &lists_[static_cast<std::size_t>(split.column) * rows_.size()];
        for (std::size_t i = span.begin; i < span.end; ++i)
            goes_left_[list[i].row] = split.sends_left(list[i].place, kNoPlace);
        std::size_t middle = 0;
        for (std::size_t j = 0; j < table_.d; ++j) {
            Entry* own = &lists_[j * rows_.size()];
            middle = divided(own, span, [](const Entry& e) { return e.row; }, spare_);
        }
        divided(rows_.data(), span, [](Row row) { return row; }, spare_rows_);
        return middle;
    }

  private:
    struct Entry {
        Row row;
        Place place;
    };

    template <class T, class RowOf>
    std::size_t divided(T* list, Span span, RowOf row_of, std::vector<T>& spare) {
        spare.resize(rows_.size());
        std::size_t left = span.begin, right = 0;
        for (std::size_t i = span.begin; i < span.end; ++i) {
            const T entry = list[i];
            const bool goes_left = goes_left_[row_of(entry)];
            spare[right] = list[left] = entry;
            left += goes_left;
            right += !goes_left;
        }
        std::copy_n(spare.begin(), right, list + left);
        return left;
    }

    const Table& table_;
    std::vector<Row> rows_, spare_rows_;
    std::vector<Own> own_;
    std::vector<Entry> lists_, spare_;
    std::vector<std::uint8_t> goes_left_;
};

}  // namespace suffice
