// Shortest ways in a graph from some of its nodes, those from nodes near each other side by side.
//
// One of a batch is the first, whose ways Dijkstra's method finds (1959), with a heap of four children a node. In the order
// in which it leaves the nodes, all ways of the batch are then lengthened edge by edge, and again from those nodes that
// became nearer, until none does. What that ends at is the same in any order: rounded sums rise with what is added up.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/binding.hpp"
#include "core/ranges.hpp"

namespace suffice {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kNowhere = 0xffffffffu;

// Edges of a node stand behind each other, the other end beside the length.
struct Edge {
    double length;
    std::uint32_t to;
};

struct Graph {
    std::vector<Edge> edges;
    std::vector<std::size_t> starts;
    std::size_t n() const { return starts.size() - 1; }

    Graph(const std::int64_t* from, const std::int64_t* to, const double* length, std::size_t n)
        : edges(static_cast<std::size_t>(from[n])), starts(n + 1) {
        for (std::size_t i = 0; i <= n; ++i) starts[i] = static_cast<std::size_t>(from[i]);
        for (std::size_t e = 0; e < edges.size(); ++e) edges[e] = {length[e], static_cast<std::uint32_t>(to[e])};
    }
};

// Nodes that were reached and not left, the nearest on top; `place` says where each is.
class Heap {
  public:
    explicit Heap(std::size_t n) : place_(n, kNowhere) { items_.reserve(n); }

    bool empty() const { return items_.empty(); }

    // A node that is nearer than it was, or new.
    void nearer(std::uint32_t node, double distance) {
        std::size_t at = place_[node];
        if (at == kNowhere) {
            at = items_.size();
            items_.emplace_back();
        }
        while (at > 0) {
            const std::size_t above = (at - 1) / 4;
            if (!(distance < items_[above].distance)) break;
            put(at, items_[above]);
            at = above;
        }
        put(at, {distance, node});
    }

    std::pair<double, std::uint32_t> pop() {
        const Item top = items_.front(), last = items_.back();
        place_[top.node] = kNowhere;
        items_.pop_back();
        if (!items_.empty()) sink(last);
        return {top.distance, top.node};
    }

  private:
    struct Item {
        double distance;
        std::uint32_t node;
    };

    void put(std::size_t at, const Item& item) {
        items_[at] = item;
        place_[item.node] = static_cast<std::uint32_t>(at);
    }

    void sink(const Item& item) {
        std::size_t at = 0;
        for (const std::size_t size = items_.size();;) {
            const std::size_t first = 4 * at + 1;
            if (first >= size) break;
            std::size_t least = first;
            for (std::size_t c = first + 1; c < std::min(first + 4, size); ++c)
                if (items_[c].distance < items_[least].distance) least = c;
            if (!(items_[least].distance < item.distance)) break;
            put(at, items_[least]);
            at = least;
        }
        put(at, item);
    }

    std::vector<Item> items_;
    std::vector<std::uint32_t> place_;
};

// The nodes in the order in which Dijkstra's method leaves them, until `stop(node)` says it is enough.
template <class Stop>
void search(const Graph& graph, std::size_t source, Heap& heap, double* distance, Stop stop) {
    std::fill_n(distance, graph.n(), kFar);
    distance[source] = 0;
    heap.nearer(static_cast<std::uint32_t>(source), 0);
    bool enough = false;
    while (!heap.empty()) {
        const auto [so_far, node] = heap.pop();
        if (enough || (enough = stop(node))) continue;  // what is left is emptied
        for (std::size_t e = graph.starts[node]; e < graph.starts[node + 1]; ++e) {
            const double by_here = so_far + graph.edges[e].length;
            const std::uint32_t to = graph.edges[e].to;
            if (by_here < distance[to]) {
                distance[to] = by_here;
                heap.nearer(to, by_here);
            }
        }
    }
}

constexpr std::size_t kBatch = 32;  // sources side by side
constexpr std::size_t kLook = 8 * kBatch;  // nodes looked at for others of a batch

// Places of the sources in batches of about kBatch that are near each other, one after the other.
std::vector<std::vector<std::size_t>> batches(const Graph& graph, const std::int64_t* source, std::size_t count) {
    std::vector<std::vector<std::size_t>> waiting(graph.n()), out;
    for (std::size_t i = count; i-- > 0;) waiting[static_cast<std::size_t>(source[i])].push_back(i);
    std::vector<double> distance(graph.n());
    Heap heap(graph.n());
    std::vector<std::size_t> own;
    for (std::size_t i = 0; i < count; ++i) {
        auto& here = waiting[static_cast<std::size_t>(source[i])];
        if (here.empty()) continue;
        std::size_t looked = 0;
        search(graph, static_cast<std::size_t>(source[i]), heap, distance.data(), [&](std::uint32_t node) {
            while (!waiting[node].empty() && own.size() < kBatch) {
                own.push_back(waiting[node].back());
                waiting[node].pop_back();
            }
            return own.size() == kBatch || ++looked == kLook;
        });
        out.push_back(std::move(own));
        own.clear();
        if (!here.empty()) --i;  // one source very often
    }
    return out;
}

// What one thread needs for a batch.
struct Work {
    Heap heap;
    std::vector<double> first;          // (n,), from the first source
    std::vector<double> ways;           // (n, kBatch)
    std::vector<std::uint32_t> order;   // (n,), the nodes as they are left
    std::vector<unsigned char> nearer;  // (n,), whether some way became shorter since the node was left

    explicit Work(std::size_t n) : heap(n), first(n), ways(n * kBatch), nearer(n) { order.reserve(n); }
};

// Goes on from a node over its edges.
void leave(const Graph& graph, std::uint32_t node, Work& work) {
    double own[kBatch];
    std::copy_n(work.ways.data() + node * kBatch, kBatch, own);
    for (std::size_t e = graph.starts[node]; e < graph.starts[node + 1]; ++e) {
        const double length = graph.edges[e].length;
        double* other = work.ways.data() + graph.edges[e].to * kBatch;
        unsigned long long shorter = 0;
        for (std::size_t l = 0; l < kBatch; ++l) {
            const double by_here = own[l] + length;
            shorter |= static_cast<unsigned long long>(by_here < other[l]);
            other[l] = by_here < other[l] ? by_here : other[l];
        }
        work.nearer[graph.edges[e].to] |= static_cast<unsigned char>(shorter);
    }
}

void ways(const Graph& graph, const std::int64_t* source, const std::vector<std::size_t>& batch, Work& work, double* out) {
    const std::size_t n = graph.n();
    work.order.clear();
    search(graph, static_cast<std::size_t>(source[batch[0]]), work.heap, work.first.data(), [&](std::uint32_t node) {
        work.order.push_back(node);
        return false;
    });
    std::fill(work.ways.begin(), work.ways.end(), kFar);
    for (std::size_t l = 0; l < batch.size(); ++l) {
        const auto node = static_cast<std::size_t>(source[batch[l]]);
        work.ways[node * kBatch + l] = 0;
        work.nearer[node] = 1;
    }
    for (bool again = true; again;) {
        again = false;
        for (std::uint32_t node : work.order) {
            if (!work.nearer[node]) continue;
            work.nearer[node] = 0;
            again = true;
            leave(graph, node, work);
        }
    }
    for (std::size_t l = 0; l < batch.size(); ++l)
        for (std::size_t i = 0; i < n; ++i) out[batch[l] * n + i] = work.ways[i * kBatch + l];
}

const Register registered([](nb::module_& m) {
    m.def("shortest_ways", [](Codes starts, Codes columns, Input lengths, Codes sources, int threads, Output out) {
        expect_csr(lengths, columns, starts);
        const std::size_t n = starts.size() - 1, count = sources.size();
        expect("out", out, count * n);
        if (starts.data()[0] != 0 || n >= kNowhere) throw nb::value_error("the starts of rows begin at 0, for less than 2^32 - 1 of them");
        expect_ends("starts", starts, lengths.size());
        expect_below("columns", columns, n);
        expect_below("sources", sources, n);
        if (!std::all_of(lengths.data(), lengths.data() + lengths.size(), [](double length) { return length >= 0; }))
            throw nb::value_error("an edge has a length below 0, or none: a way would get ever shorter");
        const std::int64_t *from = starts.data(), *to = columns.data(), *source = sources.data();
        const double* length = lengths.data();
        double* into = out.data();
        call(threads, [&](const Runtime& runtime) {
            const Graph graph(from, to, length, n);
            const auto all = batches(graph, source, count);
            const double edges = static_cast<double>(graph.edges.size()), nodes = static_cast<double>(n);
            const double work = static_cast<double>(count) * (20.0 * nodes + 5.0 * edges);
            for_stripes(all.size(), work, runtime, [n] { return Work(n); },
                        [&](std::size_t s, Work& own) { ways(graph, source, all[s], own, into); });
        });
    }, nb::arg("starts"), nb::arg("columns"), nb::arg("lengths"), nb::arg("sources"), nb::arg("threads"), nb::arg("out"));
});

}  // namespace
}  // namespace suffice
