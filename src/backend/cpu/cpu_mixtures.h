// Mixtures of experts: rows gathered by expert, and the products that there are.
#pragma once

#include "backend/cpu/products.h"
#include "backend/mixtures.h"

namespace umf {

class CpuMixtures final : public Mixtures {
 public:
  // All must outlive it.
  CpuMixtures(const Kernels& kernels, Workspace& workspace, CpuProducts& products)
      : kernels_(kernels), workspace_(workspace), products_(products) {}

  std::shared_ptr<const Router> load_router(const HostTensor& weight, const HostTensor* bias,
                                            const Routing& routing) override;
  std::shared_ptr<const Experts> load_experts(
      std::span<const std::vector<HostTensor>> experts) override;
  std::shared_ptr<Routes> allocate_routes() override;
  void route(const Matrix& x, const Router& router, Routes& routes) override;
  void project(const Matrix& x, const Experts& experts, const Routes& routes,
               const Matrix& out) override;
  void project_add(const Matrix& x, const Experts& experts, const Routes& routes,
                   const Matrix& room, const Matrix& out) override;
  void read(const Routes& routes, std::span<ExpertShare> out) override;

 private:
  // out[place] = x[place] W^T
  void multiply(const Matrix& x, const Experts& experts, const Routes& routes, const Matrix& out);

  const Kernels& kernels_;
  Workspace& workspace_;
  CpuProducts& products_;
  Scratch scores_, gathered_;
};

}  // namespace umf
