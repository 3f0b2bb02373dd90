// The part of the seam that mixtures of experts need: which experts a row goes to, and the products
// with their matrices.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/tensor.h"

namespace umf {

// What gives every expert a score for a row.
class Router {
 public:
  virtual ~Router() = default;
  int inputs = 0;
  Routing routing;
};

// One matrix (or several that share their input, stacked) of each expert, all of one shape.
class Experts {
 public:
  virtual ~Experts() = default;
  int count = 0, inputs = 0, outputs = 0;
};

// Where rows go, in the backend's own memory: every row has `chosen` places, and the places of one
// expert stand together.
class Routes {
 public:
  virtual ~Routes() = default;
  int rows = 0, chosen = 0;
  int places() const { return rows * chosen; }
};

// Contract as that of Backend: what a row gets depends on that row alone, bit for bit, whatever
// other rows go to the same expert. Numbers never leave the device on the way.
class Mixtures {
 public:
  virtual ~Mixtures() = default;

  // `weight` is (experts, inputs). `bias`, one number per expert or null, has a part in the choice
  // and none in the weights.
  virtual std::shared_ptr<const Router> load_router(const HostTensor& weight,
                                                    const HostTensor* bias,
                                                    const Routing& routing) = 0;
  // An entry per expert.
  virtual std::shared_ptr<const Experts> load_experts(
      std::span<const std::vector<HostTensor>> experts) = 0;

  virtual std::shared_ptr<Routes> allocate_routes() = 0;
  // The experts of every row of `x` and their weights. Scores are computed in f32 from the numbers
  // of `x`, which no backend rounds for it; a score that is no number counts as the lowest.
  virtual void route(const Matrix& x, const Router& router, Routes& routes) = 0;
  // out[place] = x[the place's row] W^T with W of the place's expert.
  virtual void project(const Matrix& x, const Experts& experts, const Routes& routes,
                       const Matrix& out) = 0;
  // out[i] += the sum over the places of row i of weight * (x[place] W^T), experts ascending.
  // `room` is for these products, one row per place.
  virtual void project_add(const Matrix& x, const Experts& experts, const Routes& routes,
                           const Matrix& room, const Matrix& out) = 0;
  // To the host: `chosen` shares per row, experts ascending.
  virtual void read(const Routes& routes, std::span<ExpertShare> out) = 0;
};

}  // namespace umf
