// Hierarchies by chains of nearest neighbours, O(n²), for linkages without inversions.
//
// A chain goes from a cluster to its nearest neighbour, from there to that one's, until two are nearest to each other;
// they are merged. Distances of single rows are computed, or read, when they are looked at; only those of clusters are
// kept, at most 0.36 n² of them. A cluster's row knows what was true when it was last looked at, and takes what has
// changed since from the rows of the clusters that were made since, so nothing is written but along rows. Slots of
// clusters that are gone are squeezed out from time to time. Of equally near clusters the one before in the chain is
// taken, else the first. Threads share the columns of each row: the least of all is the same however they are cut.
#include <nanobind/stl/string.h>

#include <bit>
#include <limits>
#include <numeric>
#include <memory>
#include <vector>

#include "core/binding.hpp"
#include "core/huge_pages.hpp"
#include "core/lane_bits.hpp"
#include "core/team.hpp"
#include "distances/all_pairs.hpp"
#include "linkage/lance_williams.hpp"
#include "linkage/leaves.hpp"
#include "linkage/linkage.hpp"
#include "core/simd.hpp"
#include "linkage/spatial_order.hpp"

namespace suffice {
namespace {

constexpr std::size_t kStretch = 512;  // columns whose least is kept, to find it again; a multiple of kWide
constexpr std::size_t kShare = 1024;   // columns that are worth another thread
constexpr int kFewest = 4;             // threads; fewer gain less than they lose where other programs keep one waiting
constexpr std::size_t kNear = 4096;    // with more rows, those that are near are put next to each other
constexpr double kSqueeze = 0.7;       // slots are squeezed when fewer than this part of them are in use

template <class T>
class Chain {
    using Lanes = typename LaneTypes<T>::V;
    static constexpr std::size_t kAtOnce = sizeof(Lanes) / sizeof(T);
    static constexpr T kInfinity = std::numeric_limits<T>::infinity();
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  public:
    // `slot` has the number of the row that stands in each column.
    Chain(Leaves<T>& leaves, std::vector<std::size_t> slot, const double* weight, const Runtime& runtime)
        : leaves_(leaves), width_(slot.size()), active_(width_), size_(width_), born_(width_ + kAtOnce, T(0)),
          seen_(width_, 0), gone_(width_, T(0)), kept_(width_, kNone), slot_(std::move(slot)),
          pool_(large_array<T>(room(width_))), poll_(runtime),
          team_(runtime.threads < kFewest ? 1 : static_cast<int>(std::min<std::size_t>(runtime.threads, width_ / kShare))),
          found_(team_.size()) {
        for (auto& scratch : scratch_) scratch.values.resize(width_);
        for (std::size_t i = 0; i < width_; ++i) size_[i] = weight[slot_[i]];
    }

    // The most distances that are kept at once.
    static std::size_t room(std::size_t n) {
        return static_cast<std::size_t>(0.36 * static_cast<double>(n) * static_cast<double>(n)) + 2 * n + 16;
    }

    template <class Linkage>
    void run(Linkage linkage, Merges merges) {
        std::vector<std::size_t> chain;
        while (active_ > 1) {
            if (chain.empty()) chain.push_back(first_active());
            const std::size_t x = chain.back();
            std::size_t y = look(x);
            const T* own = row(x);
            if (chain.size() > 1) {
                const std::size_t before = chain[chain.size() - 2];
                if (!(own[y] < own[before])) y = before;
                if (y == before) {
                    chain.resize(chain.size() - 2);
                    merge(linkage, x, y, merges);
                    if (static_cast<double>(active_) < kSqueeze * static_cast<double>(width_)) squeeze(chain);
                    poll_();
                    continue;
                }
            }
            chain.push_back(y);
        }
    }

  private:
    T* kept_row(std::size_t i) { return pool_.get() + kept_[i] * width_; }

    std::size_t first_active() {
        while (gone_[first_] != 0) ++first_;
        return first_;
    }

    struct Scratch {
        std::vector<T> values;
        std::size_t column = kNone;
        std::int32_t time = 0;
    };
    struct alignas(64) Found {
        T distance;
        std::size_t at;
    };

    // Calls work(part, first, end) for parts of the columns; the number of parts.
    template <class Work>
    std::size_t share(Work work) {
        const std::size_t shares = std::clamp<std::size_t>(width_ / kShare, 1, team_.size());
        const std::size_t height = ((width_ + shares - 1) / shares + kStretch - 1) / kStretch * kStretch;
        const std::size_t parts = (width_ + height - 1) / height;
        team_.share(parts, [&](std::size_t part, std::size_t) {
            work(part, part * height, std::min(width_, (part + 1) * height));
        });
        return parts;
    }

    // The distances of x from all clusters, for now; those of single rows stand in one of two scratches.
    T* row(std::size_t x) {
        if (kept_[x] != kNone) {
            if (seen_[x] != time_) look(x);
            return kept_row(x);
        }
        for (Scratch& scratch : scratch_)
            if (scratch.column == x && scratch.time == time_) return scratch.values.data();
        look(x);
        return scratch_[used_].values.data();
    }

    // Brings the row of x to what is true now; the nearest cluster.
    std::size_t look(std::size_t x) {
        const bool is_kept = kept_[x] != kNone;
        T* own = is_kept ? kept_row(x) : scratch_for(x);
        const std::size_t parts = share([&](std::size_t part, std::size_t first, std::size_t end) {
            if (!is_kept) leaves_.row(x, first, end, own);
            refresh(x, own, is_kept ? seen_[x] : 0, first, end);
            if (first <= x && x < end) own[x] = kInfinity;
            found_[part] = nearest(own, first, end);
        });
        seen_[x] = time_;
        Found best = found_[0];
        for (std::size_t part = 1; part < parts; ++part)
            if (found_[part].distance < best.distance) best = found_[part];
        return best.at;
    }

    T* scratch_for(std::size_t x) {
        Scratch& scratch = scratch_[used_ ^= 1];
        scratch.column = x;
        scratch.time = time_;
        return scratch.values.data();
    }

    // Brings in the distances from the clusters made since `seen`.
    void refresh(std::size_t x, T* own, std::int32_t seen, std::size_t first, std::size_t end) {
        std::size_t made[kStretch];
        const Lanes since = Lanes{} + static_cast<T>(seen);
        for (std::size_t from = first; from < end; from += kStretch) {
            std::size_t count = 0;
            for (std::size_t j = from; j < std::min(end, from + kStretch); j += kAtOnce) {
                Lanes born;
                std::memcpy(&born, born_.data() + j, sizeof born);
                for (std::uint32_t bits = at_most(born, since) ^ ((1u << kAtOnce) - 1); bits != 0; bits &= bits - 1) {
                    made[count] = j + static_cast<std::size_t>(std::countr_zero(bits));
                    __builtin_prefetch(kept_row(made[count++]) + x);
                }
            }
            for (std::size_t i = 0; i < count; ++i) own[made[i]] = kept_row(made[i])[x];
        }
    }

    Found nearest(const T* own, std::size_t first, std::size_t end) const {
        Found best{kInfinity, first};
        for (std::size_t from = first; from < end; from += kStretch) {
            const T least = least_of(own + from, gone_.data() + from, std::min(kStretch, end - from));
            if (least < best.distance) best = {least, from};
        }
        while (best.at + 1 < end && own[best.at] + gone_[best.at] != best.distance) ++best.at;
        return best;
    }

    static T least_of(const T* values, const T* gone, std::size_t count) {
        Lanes least[4] = {Lanes{} + kInfinity, Lanes{} + kInfinity, Lanes{} + kInfinity, Lanes{} + kInfinity};
        std::size_t j = 0;
        for (; j + 4 * kAtOnce <= count; j += 4 * kAtOnce)
            for (std::size_t u = 0; u < 4; ++u) {
                Lanes v, g;
                std::memcpy(&v, values + j + u * kAtOnce, sizeof v);
                std::memcpy(&g, gone + j + u * kAtOnce, sizeof g);
                v += g;
                least[u] = v < least[u] ? v : least[u];
            }
        T best = kInfinity;
        for (auto& part : least)
            for (std::size_t l = 0; l < kAtOnce; ++l) best = std::min(best, static_cast<T>(part[l]));
        for (; j < count; ++j) best = std::min(best, static_cast<T>(values[j] + gone[j]));
        return best;
    }

    // The union of the two stands in the later slot.
    template <class Linkage>
    void merge(Linkage, std::size_t top, std::size_t under, Merges& merges) {
        const T *of_under = row(under), *of_top = row(top);
        const std::size_t x = std::min(top, under), y = std::max(top, under);
        const T *of_x = x == top ? of_top : of_under, *of_y = x == top ? of_under : of_top;
        const Union both{size_[x], size_[y], static_cast<double>(of_x[y])};
        merges.add(std::min(slot_[x], slot_[y]), std::max(slot_[x], slot_[y]), both.dxy);
        take_place(x, y);
        T* out = kept_row(y);
        share([&](std::size_t, std::size_t first, std::size_t end) {
            for (std::size_t i = first; i < end; ++i)
                out[i] = static_cast<T>(Linkage::update(of_x[i], of_y[i], size_[i], both));
        });
        size_[y] += size_[x];
        gone_[x] = kInfinity;
        born_[x] = 0;
        seen_[y] = ++time_;
        born_[y] = static_cast<T>(time_);
        --active_;
    }

    // A place for the row of the union: that of one of the two, or a new one.
    void take_place(std::size_t x, std::size_t y) {
        if (kept_[y] == kNone) {
            std::swap(kept_[x], kept_[y]);
        } else if (kept_[x] != kNone) {
            free_.push_back(kept_[x]);
            kept_[x] = kNone;
        }
        if (kept_[y] != kNone) return;
        if (free_.empty()) free_.push_back(places_++);
        kept_[y] = free_.back();
        free_.pop_back();
    }

    void squeeze(std::vector<std::size_t>& chain) {
        std::vector<std::size_t> kept, place(width_), owner(places_, kNone);
        for (std::size_t i = 0; i < width_; ++i)
            if (gone_[i] == 0) {
                place[i] = kept.size();
                kept.push_back(i);
                if (kept_[i] != kNone) owner[kept_[i]] = i;
            }
        const std::size_t narrow = kept.size();
        std::size_t places = 0;
        for (std::size_t p = 0; p < places_; ++p) {
            if (owner[p] == kNone) continue;
            const T* from = pool_.get() + p * width_;
            T* to = pool_.get() + places * narrow;
            for (std::size_t j = 0; j < narrow; ++j) to[j] = from[kept[j]];
            kept_[owner[p]] = places++;
        }
        for (std::size_t i = 0; i < narrow; ++i) {
            size_[i] = size_[kept[i]];
            born_[i] = born_[kept[i]];
            seen_[i] = seen_[kept[i]];
            slot_[i] = slot_[kept[i]];
            kept_[i] = kept_[kept[i]];
            gone_[i] = 0;
        }
        std::fill(born_.begin() + static_cast<std::ptrdiff_t>(narrow), born_.end(), T(0));
        for (auto& scratch : scratch_) scratch.column = kNone;
        for (auto& i : chain) i = place[i];
        leaves_.squeeze(kept);
        places_ = places;
        free_.clear();
        width_ = narrow;
        first_ = 0;
    }

    Leaves<T>& leaves_;
    std::size_t width_, active_;
    std::vector<double> size_;
    std::vector<T> born_;                    // when a slot's cluster was made; 0 for single rows and beyond the last slot
    std::vector<std::int32_t> seen_;         // when its row was last looked at
    std::vector<T> gone_;                    // infinite for slots without a cluster
    std::vector<std::size_t> kept_;          // where the row of a cluster is kept
    std::vector<std::size_t> slot_;          // the row of the table that a slot began with
    Scratch scratch_[2];
    int used_ = 0;
    std::unique_ptr<T[], Free> pool_;
    std::vector<std::size_t> free_;
    std::size_t places_ = 0, first_ = 0;
    std::int32_t time_ = 0;
    Poll poll_;
    Team team_;
    std::vector<Found> found_;  // by parts of the columns
};

template <class T>
void from_matrix(const T* matrix, std::size_t n, const double* weight, const std::string& linkage, Merges merges,
                 const Runtime& runtime) {
    std::vector<std::size_t> slot(n);
    std::iota(slot.begin(), slot.end(), std::size_t{0});
    Given<T> leaves(matrix, n);
    with_linkage(linkage, [&](auto method) { Chain<T>(leaves, slot, weight, runtime).run(method, merges); });
}

// `is_stored`: all pairs are computed at once and kept.
template <class T>
void from_rows(const Rows& x, const PairSums& sums, bool is_stored, const double* weight, const std::string& linkage,
               Merges merges, const Runtime& runtime) {
    const std::size_t n = x.rows, d = x.cols;
    if (is_stored) {
        const std::unique_ptr<T[]> all(new T[n * n]);
        symmetric_pairs(x, sums, all.get(), runtime);
        return from_matrix<T>(all.get(), n, weight, linkage, merges, runtime);
    }
    std::vector<double> points(n * d), sorted(n * d);
    x.copy(0, n, points.data());
    const std::vector<std::size_t> slot = spatial_order(points.data(), n, d, n > kNear && sums.form.weight == nullptr ? 32 : n);
    for (std::size_t i = 0; i < n; ++i) std::copy_n(points.data() + slot[i] * d, d, sorted.data() + i * d);
    Computed<T> leaves(std::move(sorted), d, sums);
    with_linkage(linkage, [&](auto method) { Chain<T>(leaves, slot, weight, runtime).run(method, merges); });
}

template <class T>
void bind(nb::module_& m) {
    m.def("linkage_chain", [](Full<T> matrix, Input weight,
                              const std::string& linkage, int threads, Result<std::int64_t> pair, Output height) {
        const std::size_t n = matrix.shape(0);
        expect("matrix", matrix, n * n);
        expect("weight", weight, n);
        const T* cells = matrix.data();
        const Merges merges = merges_of(pair, height, n);
        const double* sizes = weight.data();
        call(threads, [&](const Runtime& r) { from_matrix(cells, n, sizes, linkage, merges, r); });
    }, nb::arg("matrix"), nb::arg("weight"), nb::arg("linkage"), nb::arg("threads"), nb::arg("pair"),
       nb::arg("height"));
}

void bind_rows(nb::module_& m) {
    m.def("linkage_chain_rows", [](Matrix<double> x, const std::string& kind, double p, std::size_t numbers,
                                   const std::string& finish, Optional<Input> cells, double scale, bool single,
                                   bool is_stored, Input weight, const std::string& linkage, int threads,
                                   Result<std::int64_t> pair, Output height) {
        const std::size_t n = x.shape(0);
        expect("cells", cells, x.shape(1));
        expect("weight", weight, n);
        const Rows rows(view<double>(x));
        const PairSums sums = plain_pair_sums(kind, p, numbers, make_form(finish, p, pointer(cells), scale));
        const Merges merges = merges_of(pair, height, n, x.shape(1));
        const double* sizes = weight.data();
        call(threads, [&](const Runtime& r) {
            if (single)
                from_rows<float>(rows, sums, is_stored, sizes, linkage, merges, r);
            else
                from_rows<double>(rows, sums, is_stored, sizes, linkage, merges, r);
        });
    }, nb::arg("x"), nb::arg("kind"), nb::arg("p"), nb::arg("numbers"), nb::arg("finish"),
       nb::arg("cells").none(), nb::arg("scale"), nb::arg("single"), nb::arg("is_stored"), nb::arg("weight"),
       nb::arg("linkage"), nb::arg("threads"), nb::arg("pair"), nb::arg("height"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
    bind_rows(m);
});

}  // namespace
}  // namespace suffice
