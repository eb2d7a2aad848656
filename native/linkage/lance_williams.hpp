// The distance of a cluster i from the union of x and y, from their distances and sizes: one formula a linkage.
//
// Compiled without fused operations: equal distances stay equal, so ties fall as they do with the plain formulas.
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace suffice {

struct Union {
    double nx, ny, dxy;  // sizes of the two clusters, and their distance
};

struct SingleLinkage {
    static double update(double dx, double dy, double, const Union&) { return std::min(dx, dy); }
};

struct CompleteLinkage {
    static double update(double dx, double dy, double, const Union&) { return std::max(dx, dy); }
};

struct AverageLinkage {
    static double update(double dx, double dy, double, const Union& u) {
        return (u.nx * dx + u.ny * dy) / (u.nx + u.ny);
    }
};

struct WeightedLinkage {
    static double update(double dx, double dy, double, const Union&) { return 0.5 * (dx + dy); }
};

struct WardLinkage {
    static double update(double dx, double dy, double ni, const Union& u) {
        const double t = 1.0 / (u.nx + u.ny + ni);
        const double squared = (ni + u.nx) * t * dx * dx + (ni + u.ny) * t * dy * dy - ni * t * u.dxy * u.dxy;
        return std::sqrt(squared > 0 ? squared : 0.0);
    }
};

struct CentroidLinkage {
    static double update(double dx, double dy, double, const Union& u) {
        const double n = u.nx + u.ny;
        const double squared = ((u.nx * dx * dx + u.ny * dy * dy) - (u.nx * u.ny * u.dxy * u.dxy) / n) / n;
        return std::sqrt(squared > 0 ? squared : 0.0);
    }
};

struct MedianLinkage {
    static double update(double dx, double dy, double, const Union& u) {
        const double squared = 0.5 * (dx * dx + dy * dy) - 0.25 * u.dxy * u.dxy;
        return std::sqrt(squared > 0 ? squared : 0.0);
    }
};

// Calls use(linkage) with the linkage of that name.
template <class Use>
void with_linkage(const std::string& name, Use use) {
    if (name == "single") return use(SingleLinkage{});
    if (name == "complete") return use(CompleteLinkage{});
    if (name == "average") return use(AverageLinkage{});
    if (name == "weighted") return use(WeightedLinkage{});
    if (name == "ward") return use(WardLinkage{});
    if (name == "centroid") return use(CentroidLinkage{});
    if (name == "median") return use(MedianLinkage{});
    throw std::invalid_argument("unknown linkage: " + name);
}

}  // namespace suffice
