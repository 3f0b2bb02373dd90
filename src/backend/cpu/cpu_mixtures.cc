#include "backend/cpu/cpu_mixtures.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "backend/cpu/routing.h"

namespace umf {
namespace {

struct CpuRouter : Router {
  std::shared_ptr<const CpuLinear> weight;
  std::vector<float> bias;  // empty, or one number per expert
};

struct CpuExperts : Experts {
  std::vector<std::shared_ptr<const CpuLinear>> linears;
};

struct CpuRoutes : Routes {
  std::vector<ExpertShare> shares;  // (rows, chosen), experts ascending
  std::vector<int> place;           // of each share
  std::vector<int> row;             // of each place
  std::vector<int> first;           // place of each expert, and one behind the last

  // Places by expert, and by row for one expert.
  void order(int experts) {
    first.assign(experts + 1, 0);
    for (const ExpertShare& share : shares) ++first[share.expert + 1];
    for (int expert = 0; expert < experts; ++expert) first[expert + 1] += first[expert];
    std::vector<int> next(first.begin(), first.end() - 1);
    place.resize(shares.size());
    row.resize(shares.size());
    for (int i = 0; i < places(); ++i) {
      place[i] = next[shares[i].expert]++;
      row[place[i]] = i / chosen;
    }
  }
};

// Scratch as a matrix; its rows start on cache lines.
Matrix room_in(Scratch& scratch, int rows, int cols) {
  const int stride = ceil_div(cols, 16) * 16;
  float* numbers = scratch.at_least(static_cast<std::size_t>(rows) * stride);
  return {Memory(Memory(), numbers), 0, rows, cols, stride};
}

}  // namespace

std::shared_ptr<const Router> CpuMixtures::load_router(const HostTensor& weight,
                                                       const HostTensor* bias,
                                                       const Routing& routing) {
  assert(weight.rows == routing.experts);
  auto router = std::make_shared<CpuRouter>();
  router->inputs = weight.cols;
  router->routing = routing;
  router->weight = make_linear({&weight, 1});
  if (bias != nullptr) {
    router->bias.resize(bias->cols);
    kernels_.widen(bias->data, bias->type, bias->cols, router->bias.data());
  }
  return router;
}

std::shared_ptr<const Experts> CpuMixtures::load_experts(
    std::span<const std::vector<HostTensor>> experts) {
  auto loaded = std::make_shared<CpuExperts>();
  for (const std::vector<HostTensor>& parts : experts)
    loaded->linears.push_back(make_linear(parts));
  loaded->count = static_cast<int>(experts.size());
  loaded->inputs = loaded->linears.front()->inputs;
  loaded->outputs = loaded->linears.front()->outputs;
  return loaded;
}

std::shared_ptr<Routes> CpuMixtures::allocate_routes() { return std::make_shared<CpuRoutes>(); }

void CpuMixtures::route(const Matrix& x, const Router& router, Routes& routes) {
  const auto& own = static_cast<const CpuRouter&>(router);
  const Routing& routing = own.routing;
  auto& to = static_cast<CpuRoutes&>(routes);
  to.rows = x.rows;
  to.chosen = routing.chosen;
  to.shares.resize(to.places());
  // A row has its scores, and beside them room to choose in.
  const Matrix both = room_in(scores_, x.rows, 2 * routing.experts);
  products_.multiply_exactly(x, *own.weight, both.columns(0, routing.experts));
  const float* const bias = own.bias.empty() ? nullptr : own.bias.data();
  workspace_.for_rows(x.rows, 16 * routing.experts, [&](int i) {
    const std::span<float> scores(row(both, i), routing.experts);
    const std::span<float> choice(row(both, i) + routing.experts, routing.experts);
    choose_experts(kernels_, routing, bias, scores, choice,
                   std::span(to.shares).subspan(i * routing.chosen, routing.chosen));
  });
  to.order(routing.experts);
}

void CpuMixtures::multiply(const Matrix& x, const Experts& experts, const Routes& routes,
                           const Matrix& out) {
  const auto& linears = static_cast<const CpuExperts&>(experts).linears;
  const auto& first = static_cast<const CpuRoutes&>(routes).first;
  assert(x.rows == routes.places() && out.rows == routes.places());
  for (int expert = 0; expert < experts.count; ++expert) {
    const int rows = first[expert + 1] - first[expert];
    if (rows == 0) continue;
    products_.multiply(x.row_range(first[expert], rows), *linears[expert], 0,
                       out.row_range(first[expert], rows));
  }
}

void CpuMixtures::project(const Matrix& x, const Experts& experts, const Routes& routes,
                          const Matrix& out) {
  const auto& from = static_cast<const CpuRoutes&>(routes);
  const Matrix gathered = room_in(gathered_, from.places(), x.cols);
  workspace_.for_rows(from.places(), x.cols, [&](int place) {
    std::memcpy(row(gathered, place), row(x, from.row[place]), x.cols * sizeof(float));
  });
  multiply(gathered, experts, routes, out);
}

void CpuMixtures::project_add(const Matrix& x, const Experts& experts, const Routes& routes,
                              const Matrix& room, const Matrix& out) {
  const auto& to = static_cast<const CpuRoutes&>(routes);
  multiply(x, experts, routes, room);
  workspace_.for_rows(out.rows, to.chosen * out.cols, [&](int i) {
    for (int share = i * to.chosen; share < (i + 1) * to.chosen; ++share) {
      kernels_.add_scaled(row(room, to.place[share]), to.shares[share].weight, out.cols,
                          row(out, i));
    }
  });
}

void CpuMixtures::read(const Routes& routes, std::span<ExpertShare> out) {
  std::ranges::copy(static_cast<const CpuRoutes&>(routes).shares, out.begin());
}

}  // namespace umf
