// Columns as a grower looks at them: codes of a byte, or rows sorted by their values.
//
// Both hold the rows of the nodes in spans, collect the sums of a column's places within a span in their order, and
// divide a span in two.
#pragma once

#include <algorithm>
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
    static constexpr Place kNone = kMissing;

    const Code* column(std::size_t j) const { return codes + j * n; }
    double value(std::size_t j, Place place) const { return values[j * kCodes + place]; }
    Place place(std::size_t j, Row row) const { return column(j)[row]; }
};

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
        for (auto* each : {&own_, &spare_own_}) each->clear(), each->reserve(room);
        for (std::size_t i = 0; i < table_.n; ++i)
            if (!times || times[i] > 0) {
                rows_.push_back(static_cast<Row>(i));
                own_.push_back(rows.own(static_cast<Row>(i), times ? times[i] : 1));
            }
        spare_.resize(count), spare_own_.resize(count);
        return count;
    }
    Row row(std::size_t at) const { return rows_[at]; }
    const Own& own(std::size_t at) const { return own_[at]; }
    const Row* rows() const { return rows_.data(); }
    const Own* owns() const { return own_.data(); }

    void collect(std::size_t column, Span span, Collected<Rows>& c) const {
        const Code* code = table_.column(column);
        if (span.size() <= kFew) return collect_few(code, span, c);
        Codes256 seen{};
        if (span.size() > kCodes) {
            for (std::size_t i = span.begin; i < span.end; ++i) c.cells.add(code[rows_[i]], own_[i]);
            for (std::size_t k = 0; k < kCodes; ++k)
                if (!c.cells.empty(k)) insert(seen, k);
        } else {
            for (std::size_t i = span.begin; i < span.end; ++i) {
                const Code own = code[rows_[i]];
                c.cells.add(own, own_[i]);
                insert(seen, own);
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
    void collect_few(const Code* code, Span span, Collected<Rows>& c) const {
        std::uint32_t keys[kFew];  // code and place
        const std::size_t count = span.size();
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint32_t key = static_cast<std::uint32_t>(code[rows_[span.begin + i]]) << 8 | static_cast<std::uint32_t>(i);
            std::size_t at = i;
            for (; at > 0 && keys[at - 1] > key; --at) keys[at] = keys[at - 1];
            keys[at] = key;
        }
        for (std::size_t i = 0; i < count; ++i) {
            const Place own = keys[i] >> 8;
            const Own& row = own_[span.begin + (keys[i] & 255)];
            if (own == kMissing) {
                c.has_missing = true;
                c.cells.add_missing(row);
                continue;
            }
            if (i == 0 || keys[i - 1] >> 8 != own) c.cells.open(), c.places.push_back(own);
            c.cells.add_to_last(row);
        }
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
        std::size_t left = span.begin, right = 0;
        for (std::size_t i = span.begin; i < span.end; ++i) {
            const Row row = rows_[i];
            const Own own = own_[i];
            const bool goes_left = contains(left_codes, code[row]);
            spare_[right] = rows_[left] = row;
            spare_own_[right] = own_[left] = own;
            left += goes_left;
            right += !goes_left;
        }
        std::copy_n(spare_.begin(), right, rows_.begin() + static_cast<std::ptrdiff_t>(left));
        std::copy_n(spare_own_.begin(), right, own_.begin() + static_cast<std::ptrdiff_t>(left));
        return left;
    }

  private:
    static constexpr std::size_t kFew = 24;

    const Table& table_;
    std::vector<Row> rows_, spare_;
    std::vector<Own> own_, spare_own_;
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
