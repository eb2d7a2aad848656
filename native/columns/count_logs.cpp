// Rows of counts: the logarithm of the factorial of their sum, and the sum of the logarithms of their factorials.
#include <cmath>
#include <vector>

#include "core/binding.hpp"
#include "core/vector_math.hpp"

namespace suffice {
namespace {

constexpr std::size_t kRows = 64;  // of a block that is copied where rows are no doubles side by side

// log x! = log Γ(x + 1), 0 for a missing value. The C library's own keeps a sign for all threads.
double log_factorial(double x) {
    if (std::isnan(x)) return 0;
#if defined(__GLIBC__) || defined(__APPLE__)
    int sign;
    return ::lgamma_r(x + 1, &sign);
#else
    return std::lgamma(x + 1);
#endif
}

// log 0!, log 1!, … of the small counts, which nearly all are.
struct SmallCounts {
    const double* logs;
    double size;

    double one(double count) const {
        const bool inside = count >= 0 && count < size && std::floor(count) == count;
        return inside ? logs[static_cast<std::size_t>(count)] : log_factorial(count);
    }

    // Whether all are small whole numbers; then the logarithms of their factorials.
    bool look_up(Vec counts, Vec& found) const {
        const Bits inside = (counts >= 0.0) & (counts < size);
        const Bits place = __builtin_convertvector(inside ? counts : Vec{}, Bits);
        const Bits exact = inside & (__builtin_convertvector(place, Vec) == counts);
#if defined(__AVX512F__)
        found = Vec(_mm512_mask_i64gather_pd(__m512d(Vec{}), 0xff, __m512i(place), logs, 8));  // the plain one warns
#elif defined(__AVX2__)
        found = Vec(_mm256_i64gather_pd(logs, __m256i(place), 8));
#else
        for (int l = 0; l < kLanes; ++l) found[l] = logs[place[l]];
#endif
        return sum_lanes(exact) == -kLanes;
    }
};

void add_up(const double* row, std::size_t d, const SmallCounts& small, double& log_of_sum,
            double& sum_of_logs) {
    Vec counts = {}, logs = {};
    auto add = [&](Vec own) {
        Vec found;
        if (!small.look_up(own, found))
            for (int l = 0; l < kLanes; ++l) {
                found[l] = log_factorial(own[l]);
                own[l] = std::isnan(own[l]) ? 0.0 : own[l];
            }
        counts += own;
        logs += found;
    };
    std::size_t j = 0;
    for (; j + kLanes <= d; j += kLanes) add(load(row + j));
    double sum = sum_lanes(counts);
    sum_of_logs = sum_lanes(logs);
    for (; j < d; ++j) {
        sum += std::isnan(row[j]) ? 0.0 : row[j];
        sum_of_logs += small.one(row[j]);
    }
    log_of_sum = small.one(sum);
}

template <class T>
void count_logs(const View<T>& x, const SmallCounts& small, const Runtime& runtime, double* of_sums,
                double* logs) {
    const Stripes stripes(x.rows, kRows);
    auto work = [&](std::size_t s, std::vector<double>& scratch) {
        for (std::size_t row = stripes.begin(s); row < stripes.end(s); row += kRows) {
            const std::size_t count = std::min(kRows, stripes.end(s) - row);
            const double* rows = rows_as_double(x, row, count, scratch.data());
            for (std::size_t i = 0; i < count; ++i)
                add_up(rows + i * x.cols, x.cols, small, of_sums[row + i], logs[row + i]);
        }
    };
    const double operations = static_cast<double>(x.rows) * static_cast<double>(x.cols) * 2;
    for_stripes(stripes.count(), operations, runtime, [&] { return std::vector<double>(kRows * x.cols); }, work);
}

template <class T>
void bind(nb::module_& m) {
    m.def("count_logs", [](Matrix<T> x, Vector<double> small, int threads, Output of_sums, Output logs) {
        if (small.size() == 0) throw nb::value_error("the table of small counts is empty");
        expect("of_sums", of_sums, x.shape(0));
        expect("logs", logs, x.shape(0));
        const SmallCounts table{small.data(), static_cast<double>(small.size())};
        call(threads, [&](const Runtime& r) { count_logs<T>(view<T>(x), table, r, of_sums.data(), logs.data()); });
    }, nb::arg("x"), nb::arg("small"), nb::arg("threads"), nb::arg("of_sums"), nb::arg("logs"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
