#include "backend/reference/reference_mixtures.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "backend/reference/plain_numbers.h"
#include "base/elementary.h"

namespace umf {
namespace {

constexpr double kLowest = -std::numeric_limits<double>::infinity();

struct ReferenceRouter : Router {
  HostTensor weight;
  std::vector<float> bias;  // empty, or one number per expert
};

struct ReferenceExperts : Experts {
  std::vector<std::vector<HostTensor>> parts;  // by expert

  std::vector<float> column(int expert, int column) const {
    int part = 0;
    while (column >= parts[expert][part].rows) column -= parts[expert][part++].rows;
    return row_of(parts[expert][part], column);
  }
};

// Place p belongs to expert `expert[p]` and row `row[p]`.
struct ReferenceRoutes : Routes {
  std::vector<int> expert, row;
  std::vector<float> weight;
};

// The `count` largest of `scores`, the lowest of equal ones first.
std::vector<int> largest(const std::vector<double>& scores, int count) {
  std::vector<int> found;
  while (std::ssize(found) < count) {
    int best = -1;
    for (int i = 0; i < std::ssize(scores); ++i) {
      const bool taken = std::ranges::find(found, i) != found.end();
      if (!taken && (best < 0 || scores[i] > scores[best])) best = i;
    }
    found.push_back(best);
  }
  return found;
}

// What experts are chosen by: the scores of those in groups that are left out are the lowest.
std::vector<double> within_groups(std::vector<double> scores, const Routing& routing) {
  if (routing.groups == 1) return scores;
  const int size = routing.experts / routing.groups;
  std::vector<double> of_groups;
  for (int group = 0; group < routing.groups; ++group) {
    const auto first = scores.begin() + group * size;
    std::vector<double> sorted(first, first + size);
    std::ranges::sort(sorted, std::greater());
    of_groups.push_back(sorted[0] + sorted[1]);
  }
  const std::vector<int> kept = largest(of_groups, routing.kept_groups);
  for (int expert = 0; expert < routing.experts; ++expert) {
    if (std::ranges::find(kept, expert / size) == kept.end()) scores[expert] = kLowest;
  }
  return scores;
}

// Of each expert, its part if it is chosen, before anything is divided by a sum.
std::vector<double> probabilities(const std::vector<double>& scores, const Routing& routing) {
  std::vector<double> p(scores.size());
  const double largest = *std::ranges::max_element(scores);
  double sum = 0;
  for (std::size_t e = 0; e < scores.size(); ++e) {
    p[e] = routing.sigmoid ? 1 / (1 + elementary::exp(-scores[e]))
                           : elementary::exp(scores[e] - largest);
    sum += p[e];
  }
  if (!routing.sigmoid)
    for (double& value : p) value /= sum;
  return p;
}

std::vector<ExpertShare> choose(const std::vector<double>& scores, const ReferenceRouter& router) {
  const Routing& routing = router.routing;
  const std::vector<double> p = probabilities(scores, routing);
  std::vector<double> choice = routing.sigmoid ? p : scores;
  for (int e = 0; e < routing.experts; ++e) {
    if (!router.bias.empty()) choice[e] += router.bias[e];
    if (std::isnan(choice[e])) choice[e] = kLowest;
  }
  std::vector<int> chosen = largest(within_groups(std::move(choice), routing), routing.chosen);
  std::ranges::sort(chosen);
  double sum = 1e-20;
  for (const int expert : chosen) sum += p[expert];
  std::vector<ExpertShare> shares;
  for (const int expert : chosen) {
    const double weight = routing.normalised ? p[expert] / sum : p[expert];
    shares.push_back({expert, static_cast<float>(weight * routing.scale)});
  }
  return shares;
}

class ReferenceMixtures final : public Mixtures {
 public:
  std::shared_ptr<const Router> load_router(const HostTensor& weight, const HostTensor* bias,
                                            const Routing& routing) override {
    assert(weight.rows == routing.experts);
    auto router = std::make_shared<ReferenceRouter>();
    router->inputs = weight.cols;
    router->routing = routing;
    router->weight = weight;
    if (bias != nullptr) router->bias = row_of(*bias, 0);
    return router;
  }

  std::shared_ptr<const Experts> load_experts(
      std::span<const std::vector<HostTensor>> experts) override {
    auto loaded = std::make_shared<ReferenceExperts>();
    loaded->parts.assign(experts.begin(), experts.end());
    loaded->count = static_cast<int>(experts.size());
    loaded->inputs = experts.front().front().cols;
    for (const HostTensor& part : experts.front()) loaded->outputs += part.rows;
    return loaded;
  }

  std::shared_ptr<Routes> allocate_routes() override { return std::make_shared<ReferenceRoutes>(); }

  void route(const Matrix& x, const Router& router, Routes& routes) override {
    const auto& own = static_cast<const ReferenceRouter&>(router);
    std::vector<std::vector<ExpertShare>> of_rows;
    for (int i = 0; i < x.rows; ++i) {
      std::vector<double> scores;
      for (int e = 0; e < own.routing.experts; ++e)
        scores.push_back(dot(row_of(x, i), row_of(own.weight, e)));
      of_rows.push_back(choose(scores, own));
    }
    ReferenceRoutes fresh;
    fresh.rows = x.rows;
    fresh.chosen = own.routing.chosen;
    for (int e = 0; e < own.routing.experts; ++e) {
      for (int i = 0; i < x.rows; ++i) {
        for (const auto& [expert, weight] : of_rows[i]) {
          if (expert != e) continue;
          fresh.expert.push_back(e);
          fresh.row.push_back(i);
          fresh.weight.push_back(weight);
        }
      }
    }
    static_cast<ReferenceRoutes&>(routes) = std::move(fresh);
  }

  void project(const Matrix& x, const Experts& experts, const Routes& routes,
               const Matrix& out) override {
    const auto& to = static_cast<const ReferenceRoutes&>(routes);
    multiply(experts, to, out, [&](int place) -> const float* { return row_of(x, to.row[place]); });
  }

  void project_add(const Matrix& x, const Experts& experts, const Routes& routes,
                   const Matrix& room, const Matrix& out) override {
    const auto& to = static_cast<const ReferenceRoutes&>(routes);
    multiply(experts, to, room, [&](int place) -> const float* { return row_of(x, place); });
    for (int j = 0; j < out.cols; ++j) {
      std::vector<double> sums(out.rows);
      for (int place = 0; place < to.places(); ++place)
        sums[to.row[place]] += static_cast<double>(to.weight[place]) * row_of(room, place)[j];
      for (int i = 0; i < out.rows; ++i) row_of(out, i)[j] += static_cast<float>(sums[i]);
    }
  }

  void read(const Routes& routes, std::span<ExpertShare> out) override {
    const auto& from = static_cast<const ReferenceRoutes&>(routes);
    std::vector<int> found(from.rows);
    for (int place = 0; place < from.places(); ++place) {
      const int row = from.row[place];
      out[row * from.chosen + found[row]++] = {from.expert[place], from.weight[place]};
    }
  }

 private:
  template <class RowOfPlace>
  void multiply(const Experts& experts, const ReferenceRoutes& routes, const Matrix& out,
                const RowOfPlace& input) {
    const auto& own = static_cast<const ReferenceExperts&>(experts);
    for (int j = 0; j < out.cols; ++j) {
      std::vector<float> column;
      for (int place = 0; place < routes.places(); ++place) {
        const int expert = routes.expert[place];
        if (place == 0 || expert != routes.expert[place - 1]) column = own.column(expert, j);
        row_of(out, place)[j] = dot(input(place), column);
      }
    }
  }
};

}  // namespace

std::unique_ptr<Mixtures> make_reference_mixtures() {
  return std::make_unique<ReferenceMixtures>();
}

}  // namespace umf
