#include "backend/cuda/cuda_mixtures.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "backend/cuda/check.h"
#include "backend/cuda/device.h"
#include "backend/cuda/kernels.h"
#include "backend/cuda/resident.h"

namespace umf {
namespace {

struct CudaRouter : Router, Resident {  // f32: the matrix, and behind it the bias, if any
  bool biased = false;
  using Resident::Resident;
};

// All matrices of the first expert, then those of the next: (count * outputs, inputs).
struct CudaExperts : Experts, Resident {
  DType type = DType::kBF16;
  using Resident::Resident;
};

// One piece of memory that grows with the rows it is asked for and never shrinks: passes with fewer
// rows use the beginning of each of its parts, so that recorded ones find them where they were.
struct CudaRoutes : Routes {
  static constexpr int kStep = 256;  // rows, so that it seldom grows
  Memory memory;
  int most_rows = 0;
  Routing routing;
  RoutesView view;
  View scores;

  // Per row: its scores and its places.
  void reserve(DevicePool& pool, int wanted, const Routing& of) {
    rows = wanted;
    chosen = of.chosen;
    if (!memory || wanted > most_rows || !(of == routing)) {
      most_rows = std::max((wanted + kStep - 1) / kStep * kStep, most_rows);
      routing = of;
      const std::size_t shares = static_cast<std::size_t>(most_rows) * of.chosen;
      const std::size_t words =
          static_cast<std::size_t>(most_rows) * of.experts + 4 * shares + of.experts + 1;
      memory = pool.allocate(words * sizeof(float));
      auto* const room = static_cast<float*>(memory.get());
      view.weights = room + static_cast<std::size_t>(most_rows) * of.experts;
      view.experts = reinterpret_cast<int*>(view.weights + shares);
      view.places = view.experts + shares;
      view.rows = view.places + shares;
      view.first = view.rows + shares;
    }
    scores = {memory.get(), DType::kF32, rows, of.experts, of.experts};
  }
};

}  // namespace

std::shared_ptr<const Router> CudaMixtures::load_router(const HostTensor& weight,
                                                        const HostTensor* bias,
                                                        const Routing& routing) {
  assert(weight.rows == routing.experts);
  std::vector<WeightPart> parts = {{{weight}, DType::kF32}};
  if (bias != nullptr) parts.push_back({{*bias}, DType::kF32});
  auto router = std::make_shared<CudaRouter>(queue_, load_(parts, false));
  router->inputs = weight.cols;
  router->routing = routing;
  router->biased = bias != nullptr;
  return router;
}

// The same for all experts, whose matrices stand one behind the other.
DType CudaMixtures::stored_type(std::span<const HostTensor> tensors) const {
  const auto& [data, type, rows, cols] = tensors.front();
  const bool same = std::ranges::all_of(
      tensors, [type = type](const HostTensor& tensor) { return tensor.type == type; });
  if (same && has_block_kernel(type, cols) && keeps_blocks_()) return type;
  const bool plain = std::ranges::none_of(
      tensors, [](const HostTensor& tensor) { return is_quantised(tensor.type); });
  return eight_bits_ && plain && has_block_kernel(DType::kQ8_0, cols) ? DType::kQ8_0 : type_;
}

std::shared_ptr<const Experts> CudaMixtures::load_experts(
    std::span<const std::vector<HostTensor>> experts) {
  WeightPart all;
  for (const std::vector<HostTensor>& parts : experts)
    all.tensors.insert(all.tensors.end(), parts.begin(), parts.end());
  all.type = stored_type(all.tensors);
  auto loaded = std::make_shared<CudaExperts>(queue_, load_({&all, 1}, true));
  loaded->type = all.type;
  loaded->count = static_cast<int>(experts.size());
  loaded->inputs = experts.front().front().cols;
  for (const HostTensor& part : experts.front()) loaded->outputs += part.rows;
  return loaded;
}

std::shared_ptr<Routes> CudaMixtures::allocate_routes() { return std::make_shared<CudaRoutes>(); }

void CudaMixtures::route(const Matrix& x, const Router& router, Routes& routes) {
  assert(x.cols == router.inputs);
  const auto& own = static_cast<const CudaRouter&>(router);
  auto& to = static_cast<CudaRoutes&>(routes);
  to.reserve(queue_->pool(), x.rows, own.routing);
  queue_->push({.kind = OperationKind::kRoute,
                .in = view_of(x),
                .out = to.scores,
                .weight = own.weight->part(0),
                .bias = own.biased ? own.weight->part(1) : nullptr,
                .routing = own.routing,
                .routes = to.view},
               own.weight.get());
}

Operation CudaMixtures::product(const Matrix& x, const Experts& experts, const Routes& routes,
                                bool by_rows, const Matrix& out) const {
  assert(x.cols == experts.inputs && x.type == out.type);
  assert(x.rows == (by_rows ? routes.rows : routes.places()) && out.rows == routes.places());
  const auto& from = static_cast<const CudaRoutes&>(routes);
  const auto& own = static_cast<const CudaExperts&>(experts);
  assert(from.routing.experts == experts.count);
  return {.kind = OperationKind::kExpertProduct,
          .in = view_of(x),
          .out = view_of(out),
          .weight = own.weight->part(0),
          .weight_type = own.type,
          .routing = from.routing,
          .routes = from.view,
          .by_rows = by_rows};
}

void CudaMixtures::push(const Operation& product, const Experts& experts) {
  queue_->push(product, static_cast<const CudaExperts&>(experts).weight.get());
}

void CudaMixtures::project(const Matrix& x, const Experts& experts, const Routes& routes,
                           const Matrix& out) {
  assert(out.cols == experts.outputs);
  push(product(x, experts, routes, true, out), experts);
}

bool CudaMixtures::project_gated(const Matrix& x, const Experts& experts, const Routes& routes,
                                 const Matrix& out) {
  assert(2 * out.cols == experts.outputs);
  Operation gated = product(x, experts, routes, true, out);
  gated.kind = OperationKind::kGatedExpertProduct;
  if (out.type != DType::kBF16 || !has_fast_expert_product(gated)) return false;
  push(gated, experts);
  return true;
}

void CudaMixtures::project_add(const Matrix& x, const Experts& experts, const Routes& routes,
                               const Matrix& room, const Matrix& out) {
  assert(out.rows == routes.rows && out.cols == room.cols && room.cols == experts.outputs);
  push(product(x, experts, routes, false, room), experts);
  const auto& from = static_cast<const CudaRoutes&>(routes);
  queue_->push({.kind = OperationKind::kExpertSum,
                .in = view_of(room),
                .out = view_of(out),
                .routing = from.routing,
                .routes = from.view});
}

void CudaMixtures::read(const Routes& routes, std::span<ExpertShare> out) {
  const auto& from = static_cast<const CudaRoutes&>(routes);
  assert(out.size() == static_cast<std::size_t>(routes.places()));
  if (out.empty()) return;
  const DeviceScope scope(queue_->device());
  std::vector<int> experts(out.size());
  std::vector<float> weights(out.size());
  queue_->flush();
  const auto copy = [&](void* to, const void* numbers) {
    check(cudaMemcpyAsync(to, numbers, out.size() * sizeof(float), cudaMemcpyDeviceToHost,
                          queue_->stream()),
          "reading where rows went");
  };
  copy(experts.data(), from.view.experts);
  copy(weights.data(), from.view.weights);
  queue_->finish();
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = {experts[i], weights[i]};
}

}  // namespace umf
