// The softmax loss of every row and its gradient: exponentials of a block of rows at once, in double.
#include <cmath>
#include <vector>

#include "core/binding.hpp"
#include "core/vector_math.hpp"

namespace suffice {
namespace {

constexpr std::size_t kBlockCells = 2048;
constexpr double kSmallest = -690;  // exp of less is 0

template <class T>
struct Parts {
    View<T> eta;  // (m, k)
    const std::int64_t* y;
    T *value, *slope;  // (m,), (m, k)
};

// The largest of a row; no number where one is none, or the largest is infinite.
template <class T>
double top_of(const View<T>& eta, std::size_t i) {
    double top = static_cast<double>(eta.at(i, 0)), sum = top;
    for (std::size_t c = 1; c < eta.cols; ++c) {
        const double value = static_cast<double>(eta.at(i, c));
        top = value > top ? value : top;
        sum += value != value ? value : 0.0;
    }
    return sum == sum && std::isfinite(top) ? top : NAN;
}

template <class T>
void write_row(const Parts<T>& p, std::size_t i, double top, const double* e) {
    const std::size_t k = p.eta.cols;
    T* slope = p.slope + i * k;
    if (top != top) {
        p.value[i] = static_cast<T>(top);
        std::fill_n(slope, k, static_cast<T>(top));
        return;
    }
    double total = 0;
    for (std::size_t c = 0; c < k; ++c) total += e[c];
    const std::size_t own = static_cast<std::size_t>(p.y[i]);  // a negative one is larger than any k
    for (std::size_t c = 0; c < k; ++c) slope[c] = static_cast<T>(e[c] / total - (c == own ? 1.0 : 0.0));
    const double gap = own < k ? static_cast<double>(p.eta.at(i, own)) - top : 0.0;
    p.value[i] = static_cast<T>(std::log(total) - gap);
}

// Rows [first, end); `e` has room for them, rounded up to whole vectors.
template <class T>
void write_block(const Parts<T>& p, std::size_t first, std::size_t end, std::vector<double>& e) {
    const std::size_t k = p.eta.cols, cells = (end - first) * k;
    e.resize(round_up(cells, kLanes) + (end - first));
    double* tops = e.data() + round_up(cells, kLanes);
    std::fill(e.begin() + static_cast<std::ptrdiff_t>(cells), e.end(), 0.0);
    for (std::size_t i = first; i < end; ++i) {
        const double top = tops[i - first] = top_of(p.eta, i);
        for (std::size_t c = 0; c < k; ++c)
            e[(i - first) * k + c] = top == top ? static_cast<double>(p.eta.at(i, c)) - top : 0.0;
    }
    for (std::size_t at = 0; at < cells; at += kLanes) store(&e[at], exp_nonpositive(load(&e[at]), kSmallest));
    for (std::size_t i = first; i < end; ++i) write_row(p, i, tops[i - first], &e[(i - first) * k]);
}

template <class T>
void softmax(const Parts<T>& p, const Runtime& runtime) {
    const std::size_t height = std::max<std::size_t>(1, kBlockCells / p.eta.cols);
    const Stripes stripes(p.eta.rows, height);
    const double operations = 30.0 * static_cast<double>(p.eta.rows) * static_cast<double>(p.eta.cols);
    for_stripes(stripes.count(), operations, runtime, [] { return std::vector<double>(); },
                [&](std::size_t s, std::vector<double>& e) {
                    for (std::size_t i = stripes.begin(s); i < stripes.end(s); i += height)
                        write_block(p, i, std::min(i + height, stripes.end(s)), e);
                });
}

template <class T>
void bind(nb::module_& m) {
    m.def("softmax", [](Matrix<T> eta, Codes y, int threads, Result<T> value, Result<T> slope) {
        expect("y", y, eta.shape(0));
        expect("value", value, eta.shape(0));
        expect("slope", slope, eta.shape(0) * eta.shape(1));
        if (slope.size() == 0) return;
        const Parts<T> parts{view<T>(eta), y.data(), value.data(), slope.data()};
        call(threads, [&](const Runtime& r) { softmax<T>(parts, r); });
    }, nb::arg("eta"), nb::arg("y"), nb::arg("threads"), nb::arg("value"), nb::arg("slope"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
