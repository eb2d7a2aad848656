// The second half of a round of k-means, from the sums alone: where the centres go and what that does to the cost.
#include <cmath>

#include "binding.hpp"

namespace suffice {
namespace {

// moved (k, d): the means; a centre without rows stays. drift (k): how far each goes. figures: the cost at the centres
// as they were, the cost at the means, and Σ drift². sums are about the shift, total is Σ w ‖x − shift‖².
void kmeans_update(const double* sums, const double* weight, const double* centres, const double* shift, double total,
                   std::size_t k, std::size_t d, double* moved, double* drift, double* figures) {
    double before = total, after = total, all = 0;
    for (std::size_t j = 0; j < k; ++j) {
        double squared = 0;
        for (std::size_t i = 0; i < d; ++i) {
            const double sum = sums[j * d + i], old = centres[j * d + i] - shift[i];
            const double mean = weight[j] > 0 ? sum / weight[j] : old;
            before += old * (weight[j] * old - 2 * sum);
            after += mean * (weight[j] * mean - 2 * sum);
            moved[j * d + i] = weight[j] > 0 ? shift[i] + mean : centres[j * d + i];
            squared += (moved[j * d + i] - centres[j * d + i]) * (moved[j * d + i] - centres[j * d + i]);
        }
        drift[j] = std::sqrt(squared);
        all += squared;
    }
    figures[0] = std::max(before, 0.0);
    figures[1] = std::max(after, 0.0);
    figures[2] = all;
}

const Register registered([](nb::module_& m) {
    m.def("kmeans_update", [](Input sums, Input weight, Input centres, Input shift, double total, Output moved,
                              Output drift, Output figures) {
        kmeans_update(sums.data(), weight.data(), centres.data(), shift.data(), total, centres.shape(0),
                      centres.shape(1), moved.data(), drift.data(), figures.data());
    });
});

}  // namespace
}  // namespace suffice
