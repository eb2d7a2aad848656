// A round of affinity propagation in one sweep over the rows: similarities, responsibilities and availabilities.
//
// The availabilities of a round need the column sums of its responsibilities; the responsibilities of the next round
// need only the row's own availabilities. So a sweep ends one round and begins the next while the row is in the cache.
// The column sums are kept for each stripe of rows and added in their order.
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/binding.hpp"
#include "core/simd.hpp"

namespace suffice {
namespace {

template <class T>
struct Messages {
    const T* similarity;  // (n, n), the preferences on the diagonal
    T *availability, *responsibility;
    const double* support;  // (n) Σ_i max(r_ik, 0), r_kk as it is; null before the first round
    double* next;           // (n) the same of the responsibilities made here
    double* evidence;       // (n) a_ii + r_ii of the round that ends
    double* choice;         // (n) the similarity to the k of the largest a_ik + r_ik
    std::size_t n;
    T damping;
};

template <class T>
struct Wide {
    typedef T Vector __attribute__((vector_size(kLanes * sizeof(double))));
};

template <class V, class T>
V read(const T* p) {
    V v;
    std::memcpy(&v, p, sizeof v);
    return v;
}

// What a row is looked through for: the largest and second largest of s + a, equals counted twice, and the similarity
// where a + r is largest. V is a vector, or a single number.
template <class V>
struct Largest {
    V first, second, sum, choice;

    explicit Largest(V least) : first(least), second(least), sum(least), choice(least) {}

    void meet_rival(V value) {
        const V smaller = value < first ? value : first;
        second = second > smaller ? second : smaller;
        first = value > first ? value : first;
    }

    void meet_choice(V total, V similarity) {
        choice = total > sum ? similarity : choice;
        sum = total > sum ? total : sum;
    }
};

// Calls body(k, type) for all columns [begin, end), in whole vectors and then one by one.
template <class T, class Body>
void for_columns(std::size_t begin, std::size_t end, Body body) {
    typedef typename Wide<T>::Vector V;
    constexpr std::size_t lanes = sizeof(V) / sizeof(T);
    std::size_t k = begin;
    for (; k + lanes <= end; k += lanes) body(k, V{});
    for (; k < end; ++k) body(k, T{});
}

template <class T>
class Row {
  public:
    Row(const Messages<T>& m, std::size_t i, const T* support)
        : m(m), i(i), s(m.similarity + i * m.n), a(m.availability + i * m.n), r(m.responsibility + i * m.n),
          support(support) {}

    // a_ik = min(0, support_k − max(r_ik, 0)), damped, without that limit for a_ii; then r_ik = s_ik − the largest
    // s + a of the other columns, damped. Adds max(r, 0), and r_ii, to the column sums.
    void sweep(T* sums) {
        if (m.support) {
            look(0, i, true);
            a[i] = m.damping * a[i] + (1 - m.damping) * (support[i] - r[i]);
            look(i, i + 1, false);
            look(i + 1, m.n, true);
        } else {
            look(0, m.n, false);
        }
        combine();
        if (m.support) {
            m.evidence[i] = static_cast<double>(a[i]) + static_cast<double>(r[i]);
            m.choice[i] = static_cast<double>(one.choice);
        }
        respond(sums);
    }

  private:
    typedef typename Wide<T>::Vector V;
    static constexpr T kLeast = -std::numeric_limits<T>::infinity();

    void look(std::size_t begin, std::size_t end, bool renew) {
        const T keep = m.damping, take = 1 - keep;  // in registers: the compiler cannot know that a is not part of this
        Largest<V> wide = many;
        Largest<T> single = one;
        auto found_in = [&](auto type) -> auto& {
            if constexpr (std::is_same_v<decltype(type), V>) return wide;
            else return single;
        };
        for_columns<T>(begin, end, [&, s = s, a = a, r = r, support = support](std::size_t k, auto type) {
            typedef decltype(type) W;
            const W sk = read<W>(s + k), rk = read<W>(r + k);
            W ak = read<W>(a + k);
            if (renew) {
                const W others = read<W>(support + k) - (rk > 0 ? rk : W{});
                ak = keep * ak + take * (others < 0 ? others : W{});
                std::memcpy(a + k, &ak, sizeof ak);
            }
            auto& found = found_in(type);
            found.meet_rival(sk + ak);
            found.meet_choice(ak + rk, sk);
        });
        many = wide;
        one = single;
    }

    void combine() {
        for (std::size_t l = 0; l < sizeof(V) / sizeof(T); ++l) {
            one.meet_rival(many.first[l]);
            one.meet_rival(many.second[l]);
            one.meet_choice(many.sum[l], many.choice[l]);
        }
    }

    void respond(T* sums) {
        const T keep = m.damping, take = 1 - keep, top = one.first, below = one.second;
        for_columns<T>(0, m.n, [=, s = s, a = a, r = r](std::size_t k, auto type) {
            typedef decltype(type) W;
            const W sk = read<W>(s + k), first = W{} + top, second = W{} + below;
            const W rival = sk + read<W>(a + k) == first ? second : first;
            const W rk = keep * read<W>(r + k) + take * (sk - rival);
            const W sum = read<W>(sums + k) + (rk > 0 ? rk : W{});
            std::memcpy(r + k, &rk, sizeof rk);
            std::memcpy(sums + k, &sum, sizeof sum);
        });
        if (r[i] < 0) sums[i] += r[i];
    }

    const Messages<T>& m;
    const std::size_t i;
    const T* s;
    T *a, *r;
    const T* support;
    Largest<V> many{V{} + kLeast};
    Largest<T> one{kLeast};
};

template <class T>
void sweep(const Messages<T>& m, const Runtime& runtime) {
    const Stripes stripes(m.n, 16);
    std::vector<T> support(m.n);
    if (m.support) std::copy_n(m.support, m.n, support.begin());
    auto work = [&](std::size_t stripe, std::vector<T>& sums) {
        std::fill(sums.begin(), sums.end(), T{0});
        for (std::size_t i = stripes.begin(stripe); i < stripes.end(stripe); ++i)
            Row<T>(m, i, support.data()).sweep(sums.data());
    };
    std::fill_n(m.next, m.n, 0.0);
    const double cells = static_cast<double>(m.n) * static_cast<double>(m.n);
    reduce_stripes(
        stripes.count(), 6 * cells, runtime, [&] { return std::vector<T>(m.n); }, work,
        [&](std::size_t, std::vector<T>& sums) {
            for (std::size_t k = 0; k < m.n; ++k) m.next[k] += static_cast<double>(sums[k]);
        });
}

template <class T>
void bind(nb::module_& m) {
    m.def("affinity_sweep", [](Result<T> similarity, Result<T> availability, Result<T> responsibility,
                               Optional<Input> support, double damping, int threads, Output next, Output evidence,
                               Output choice) {
        const std::size_t n = next.size();
        expect("similarity", similarity, n * n);
        expect("availability", availability, n * n);
        expect("responsibility", responsibility, n * n);
        expect("support", support, n);
        expect("evidence", evidence, n);
        expect("choice", choice, n);
        const Messages<T> messages{similarity.data(), availability.data(), responsibility.data(), pointer(support),
                                   next.data(),       evidence.data(),     choice.data(),         next.size(),
                                   static_cast<T>(damping)};
        call(threads, [&](const Runtime& r) { sweep(messages, r); });
    }, nb::arg("similarity"), nb::arg("availability"), nb::arg("responsibility"),
       nb::arg("support").none(), nb::arg("damping"), nb::arg("threads"), nb::arg("next"),
       nb::arg("evidence"), nb::arg("choice"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
