// Passes of eager swaps over all candidates: k-medoids on a square matrix of dissimilarities.
//
// A swap is judged as in FasterPAM: each point remembers its nearest and second nearest medoid, so one sweep over a
// candidate's row gives the change of the cost for every medoid it could replace. Candidates are judged on several
// threads ahead of their turn, and the first one that improves is taken, which is what judging them one by one gives.
// A bound saves work and changes no result: what a candidate could reach falls by no more than the points have moved
// since it was last judged.
#include <limits>
#include <numeric>
#include <vector>

#include "medoids/medoids.hpp"

namespace suffice {
namespace {

constexpr double kLeast = 1e-10;    // a swap must lower the cost by this part of it
constexpr std::size_t kAlone = 32;  // candidates judged on one thread after a swap: the next is often near
constexpr std::size_t kCopies = 8;  // sums kept apart, so that additions need not wait for each other
constexpr std::size_t kBlock = 512;  // points judged at once, so that what they save stays in the nearest cache

struct Swap {
    std::size_t candidate;
    std::size_t slot;  // the medoid it replaces
    double change;     // of the cost
};

// The medoids and what every point knows of them; `slot` counts medoids from 0 to k − 1.
template <class T>
class Medoids {
  public:
    Medoids(const Table<T>& table, std::size_t k, std::int64_t* medoids)
        : t(table), k(k), medoids_(medoids), is_medoid_(t.n()), near_(t.n()), next_(t.n()), first_(t.n()),
          second_(t.n()), removal_(k) {
        for (std::size_t j = 0; j < k; ++j) is_medoid_[static_cast<std::size_t>(medoids[j])] = 1;
        for (std::size_t i = 0; i < t.n(); ++i) look_up(i);
        total();
    }

    double cost() const { return cost_; }
    bool is_candidate(std::size_t c) const { return !is_medoid_[c] && t.counts(c); }

    // The best swap of candidate c; `loss` is scratch of kCopies · k.
    Swap judge(std::size_t c, std::vector<double>& loss) const {
        std::fill(loss.begin(), loss.end(), 0.0);
        double joined = 0;
        for (std::size_t begin = 0; begin < t.n(); begin += kBlock)
            joined += sweep(t.row(c) + begin, begin, std::min(kBlock, t.n() - begin), loss.data());
        Swap best{c, 0, std::numeric_limits<double>::infinity()};
        for (std::size_t j = 0; j < k; ++j) {
            const double* own = &loss[j * kCopies];
            const double change = std::accumulate(own, own + kCopies, 0.0) + removal_[j] + joined;
            if (change < best.change) best.slot = j, best.change = change;
        }
        return best;
    }

    // Makes the swap and returns by how much the cost of any other set one swap away can have fallen.
    double apply(const Swap& swap) {
        is_medoid_[static_cast<std::size_t>(medoids_[swap.slot])] = 0;
        is_medoid_[swap.candidate] = 1;
        medoids_[swap.slot] = static_cast<std::int64_t>(swap.candidate);
        double moved = 0;
        for (std::size_t i = 0; i < t.n(); ++i) {
            const std::uint32_t near = near_[i];
            const double first = first_[i], second = second_[i];
            meet(i, static_cast<std::uint32_t>(swap.slot), t.at(swap.candidate, i));
            const double fall =
                near == near_[i] ? std::max(first - first_[i], second - second_[i]) : second - first_[i];
            if (fall > 0) moved += t.weight_of(i) * fall;
        }
        total();
        return moved;
    }

  private:
    // What some points save if the candidate joins; adds to `loss` what they save if their own medoid leaves too.
    double sweep(const T* row, std::size_t begin, std::size_t count, double* loss) const {
        Vec joined{};
        double fall[kBlock];
        const double *nearest = &first_[begin], *next = &second_[begin];
        const double* weight = t.weight ? t.weight + begin : nullptr;
        for_vectors(count, [&](std::size_t i, auto get) {
            const Vec d = get(row), first = get(nearest), second = get(next);
            Vec nearer = d - first, other = (d > first ? d : first) - second;
            nearer = nearer < 0 ? nearer : Vec{};
            other = other < 0 ? other : Vec{};
            if (weight) {
                const Vec w = get(weight);
                nearer *= w;
                other *= w;
            }
            joined += nearer;
            store(fall + i, other);
        });
        const std::uint32_t* near = &near_[begin];
        std::size_t i = 0;
        for (; i + kCopies <= count; i += kCopies)
            for (std::size_t l = 0; l < kCopies; ++l) loss[near[i + l] * kCopies + l] += fall[i + l];
        for (; i < count; ++i) loss[near[i] * kCopies] += fall[i];
        return sum(joined);
    }

    void look_up(std::size_t i) {
        near_[i] = next_[i] = 0;
        first_[i] = second_[i] = std::numeric_limits<double>::infinity();
        for (std::size_t j = 0; j < k; ++j) {
            const double d = t.at(static_cast<std::size_t>(medoids_[j]), i);
            if (d < first_[i]) {
                next_[i] = near_[i], second_[i] = first_[i];
                near_[i] = static_cast<std::uint32_t>(j), first_[i] = d;
            } else if (d < second_[i]) {
                next_[i] = static_cast<std::uint32_t>(j), second_[i] = d;
            }
        }
    }

    // Point i after slot `slot` was given to a medoid at distance d.
    void meet(std::size_t i, std::uint32_t slot, double d) {
        if (near_[i] == slot && d < second_[i]) {
            first_[i] = d;
        } else if (near_[i] == slot || (next_[i] == slot && d >= first_[i])) {
            look_up(i);
        } else if (d < first_[i]) {
            next_[i] = near_[i], second_[i] = first_[i];
            near_[i] = slot, first_[i] = d;
        } else if (d < second_[i]) {
            next_[i] = slot, second_[i] = d;
        }
    }

    // The cost, and what it costs to lose each medoid.
    void total() {
        cost_ = 0;
        std::fill(removal_.begin(), removal_.end(), 0.0);
        for (std::size_t i = 0; i < t.n(); ++i) {
            if (!t.counts(i)) continue;
            cost_ += t.weight_of(i) * first_[i];
            removal_[near_[i]] += t.weight_of(i) * (second_[i] - first_[i]);
        }
    }

    const Table<T>& t;
    const std::size_t k;
    std::int64_t* medoids_;
    std::vector<char> is_medoid_;
    std::vector<std::uint32_t> near_, next_;  // the slots of the nearest and second nearest medoid
    std::vector<double> first_, second_;      // the distances to them
    std::vector<double> removal_;
    double cost_ = 0;
};

// What lasts from pass to pass: the candidates judged since the last swap, and what each could reach (see `Pass`).
struct Memory {
    double* bound;  // (n) the cost a candidate could reach when it was judged, plus the drift then
    double* quiet;
    double* drift;  // the sum of all falls returned by `apply`
    double* cost;
};

// One pass over the candidates in row order: every swap that lowers the cost is made at once.
template <class T>
class Pass {
  public:
    Pass(const Table<T>& table, std::size_t k, std::int64_t* medoids, const Memory& memory, const Runtime& runtime)
        : t(table), k(k), found(table, k, medoids), memory(memory), runtime(runtime) {}

    void run() {
        Clock clock(runtime);
        const double n = static_cast<double>(t.n());
        std::size_t c = 0;
        while (c < t.n() && *memory.quiet < n) {
            const std::size_t left = static_cast<std::size_t>(n - *memory.quiet);
            const std::size_t end = std::min(t.n(), c + left), alone = std::min(end, c + kAlone);
            Swap swap = first_good(c, alone, Runtime{1, runtime.interrupted});
            if (swap.candidate == t.n() && alone < end) swap = first_good(alone, end, runtime);
            if (swap.candidate == t.n()) {
                *memory.quiet += static_cast<double>(end - c);
                c = end;
            } else {
                *memory.drift += found.apply(swap);
                *memory.quiet = 1;
                c = swap.candidate + 1;
            }
            clock.poll();
        }
        *memory.cost = found.cost();
    }

  private:
    struct Scratch {
        std::vector<double> loss;
        Swap swap;
    };

    bool is_hopeless(std::size_t c) const {
        return !found.is_candidate(c) || memory.bound[c] - *memory.drift >= found.cost() * (1 - kLeast / 2);
    }

    // The first swap among candidates [begin, end) that lowers the cost; its candidate is n where there is none.
    Swap first_good(std::size_t begin, std::size_t end, const Runtime& with) const {
        const Swap none{t.n(), 0, 0};
        const std::size_t height = t.height(), count = (end - begin + height - 1) / height;
        std::atomic<std::size_t> hit{count};
        Swap first = none;
        auto work = [&](std::size_t s, Scratch& scratch) {
            scratch.swap = none;
            for (std::size_t c = begin + s * height; c < std::min(end, begin + (s + 1) * height); ++c) {
                if (hit < s) return;  // a stripe before this one has a swap
                if (is_hopeless(c)) continue;
                const Swap swap = found.judge(c, scratch.loss);
                memory.bound[c] = found.cost() + swap.change + *memory.drift;
                if (!(swap.change < -kLeast * found.cost())) continue;
                scratch.swap = swap;
                std::size_t before = hit;
                while (s < before && !hit.compare_exchange_weak(before, s)) {}
                return;
            }
        };
        auto make = [&] { return Scratch{std::vector<double>(kCopies * k), none}; };
        reduce_stripes(count, t.cells(end - begin), with, make, work, [&](std::size_t, Scratch& scratch) {
            if (first.candidate == t.n()) first = scratch.swap;
        });
        return first;
    }

    const Table<T>& t;
    const std::size_t k;
    Medoids<T> found;
    const Memory memory;
    const Runtime& runtime;
};

template <class T>
void bind(nb::module_& m) {
    m.def("medoid_pass", [](Full<T> d, Optional<Input> weight, int threads, Result<std::int64_t> medoids, Output bound,
                            Output memory) {
        const std::size_t n = d.shape(0);
        expect("d", d, n * n);
        expect("weight", weight, n);
        expect_medoids(medoids, n);
        expect_below("medoids", medoids, n);
        expect("bound", bound, n);
        expect("memory", memory, 3);
        const Table<T> table{view<T>(d), pointer(weight)};
        const Memory lasting{bound.data(), memory.data(), memory.data() + 1, memory.data() + 2};
        call(threads, [&](const Runtime& r) { Pass<T>(table, medoids.size(), medoids.data(), lasting, r).run(); });
    }, nb::arg("d"), nb::arg("weight").none(), nb::arg("threads"), nb::arg("medoids"),
       nb::arg("bound"), nb::arg("memory"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
