// Mixtures of experts on the device: rows are ordered by expert and multiplied there, and the host
// never learns where they went.
#pragma once

#include <functional>
#include <memory>

#include "backend/cuda/queue.h"
#include "backend/cuda/weights.h"
#include "backend/mixtures.h"

namespace umf {

class CudaMixtures final : public Mixtures {
 public:
  // A weight of the model that is being loaded; whether it is of experts.
  using Load = std::function<std::shared_ptr<Weight>(std::span<const WeightPart>, bool)>;

  // Whether that model's blocks stay blocks.
  using KeepsBlocks = std::function<bool()>;

  // `type`: of the experts' matrices, where they are not blocks; `eight_bits`: plain ones become
  // blocks of Q8_0 where they can.
  CudaMixtures(std::shared_ptr<Queue> queue, DType type, bool eight_bits, KeepsBlocks keeps_blocks,
               Load load)
      : queue_(std::move(queue)),
        type_(type),
        eight_bits_(eight_bits),
        keeps_blocks_(std::move(keeps_blocks)),
        load_(std::move(load)) {}

  std::shared_ptr<const Router> load_router(const HostTensor& weight, const HostTensor* bias,
                                            const Routing& routing) override;
  std::shared_ptr<const Experts> load_experts(
      std::span<const std::vector<HostTensor>> experts) override;
  std::shared_ptr<Routes> allocate_routes() override;
  void route(const Matrix& x, const Router& router, Routes& routes) override;
  void project(const Matrix& x, const Experts& experts, const Routes& routes,
               const Matrix& out) override;
  // Backend::project_gated in one kernel. False where there is none for it.
  bool project_gated(const Matrix& x, const Experts& experts, const Routes& routes,
                     const Matrix& out);
  void project_add(const Matrix& x, const Experts& experts, const Routes& routes,
                   const Matrix& room, const Matrix& out) override;
  void read(const Routes& routes, std::span<ExpertShare> out) override;

 private:
  DType stored_type(std::span<const HostTensor> tensors) const;
  Operation product(const Matrix& x, const Experts& experts, const Routes& routes, bool by_rows,
                    const Matrix& out) const;
  void push(const Operation& product, const Experts& experts);

  std::shared_ptr<Queue> queue_;
  const DType type_;
  const bool eight_bits_;
  const KeepsBlocks keeps_blocks_;
  const Load load_;
};

}  // namespace umf
