// Mixtures of experts on the device: the choice of the plain loops, their numbers, and every row's
// bits its own, whatever goes the same way.
#include <fmt/core.h>

#include <limits>
#include <optional>

#include "backend/cuda/device_testing.h"
#include "support/quantised_weights.h"

namespace umf {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

HostTensor tensor(const std::vector<float>& values, int rows, int cols) {
  return {reinterpret_cast<const std::byte*>(values.data()), DType::kF32, rows, cols};
}

struct Shape {
  int hidden, width;
  Routing routing;
};

const Routing kSoftmax{.experts = 8, .chosen = 3}, kAll{.experts = 5, .chosen = 5},
    kOne{.experts = 1, .chosen = 1, .normalised = true},
    kMany{.experts = 35, .chosen = 33, .normalised = true},
    kGroups{.experts = 16,
            .chosen = 3,
            .sigmoid = true,
            .normalised = true,
            .scale = 2.5f,
            .groups = 4,
            .kept_groups = 2},
    kLing{.experts = 256,
          .chosen = 8,
          .sigmoid = true,
          .normalised = true,
          .scale = 2.5f,
          .groups = 8,
          .kept_groups = 4};

// Whole words and odd ends, few and many outputs, experts that get many rows and such that get few.
const Shape kShapes[] = {{48, 24, kSoftmax}, {20, 7, kGroups}, {72, 40, kGroups}, {136, 72, kAll},
                         {33, 65, kSoftmax}, {256, 200, kOne}, {64, 32, kMany}};

// What a layer consists of: random weights, or such that a test has changed.
struct Mixture {
  explicit Mixture(const Shape& of)
      : shape(of),
        router(bf16_numbers(of.routing.experts * of.hidden, 5, 0.3f)),
        bias(bf16_numbers(of.routing.experts, 6, 0.3f)) {
    for (int e = 0; e < of.routing.experts; ++e) {
      gate.push_back(bf16_numbers(of.width * of.hidden, 100 + 3 * e, 0.2f));
      up.push_back(bf16_numbers(of.width * of.hidden, 101 + 3 * e, 0.2f));
      down.push_back(bf16_numbers(of.hidden * of.width, 102 + 3 * e, 0.2f));
    }
  }

  Shape shape;
  std::vector<float> router, bias;
  std::vector<std::vector<float>> gate, up, down;  // by expert
};

std::shared_ptr<const Router> load_router(Bench& on, const Mixture& m) {
  const Routing& routing = m.shape.routing;
  const HostTensor bias = tensor(m.bias, 1, routing.experts);
  return on.backend->mixtures().load_router(tensor(m.router, routing.experts, m.shape.hidden),
                                            routing.sigmoid ? &bias : nullptr, routing);
}

// Where a mixture's router sends rows.
std::vector<ExpertShare> shares(Bench& on, const Mixture& m, const std::vector<float>& x) {
  Mixtures& mixtures = on.backend->mixtures();
  const auto routes = mixtures.allocate_routes();
  const int hidden = m.shape.hidden;
  mixtures.route(on.matrix(x, static_cast<int>(x.size()) / hidden, hidden), *load_router(on, m),
                 *routes);
  std::vector<ExpertShare> shares(routes->places());
  mixtures.read(*routes, shares);
  return shares;
}

// A mixture on a backend.
class Layer {
 public:
  Layer(Bench& on, const Mixture& m) : on_(on), shape_(m.shape), router_(load_router(on, m)) {
    Mixtures& mixtures = on.backend->mixtures();
    const auto& [hidden, width, routing] = m.shape;
    std::vector<std::vector<HostTensor>> gate_up, down;
    for (int e = 0; e < routing.experts; ++e) {
      gate_up.push_back({tensor(m.gate[e], width, hidden), tensor(m.up[e], width, hidden)});
      down.push_back({tensor(m.down[e], hidden, width)});
    }
    gate_up_ = mixtures.load_experts(gate_up);
    down_ = mixtures.load_experts(down);
    routes_ = mixtures.allocate_routes();
  }

  // By place.
  std::vector<float> products(const std::vector<float>& x) {
    const Matrix wide = routed(x);
    on_.backend->mixtures().project(in_, *gate_up_, *routes_, wide);
    return on_.read(wide);
  }
  // By place, activated.
  std::vector<float> gated(const std::vector<float>& x) {
    const int width = shape_.width;
    const Matrix wide = routed(x), out = on_.allocate(routes_->places(), width);
    on_.backend->mixtures().project(in_, *gate_up_, *routes_, wide);
    on_.backend->gated_silu(wide, out);
    return on_.read(out);
  }
  std::vector<float> gated_at_once(const std::vector<float>& x) {
    const Matrix wide = routed(x), out = wide.columns(0, shape_.width);
    on_.backend->project_gated(in_, *gate_up_, *routes_, wide, out);
    return on_.read(out);
  }
  // What rows of `x` get, added to `before`; places get the beginning of `wide`'s rows.
  std::vector<float> sums(const std::vector<float>& x, const std::vector<float>& wide,
                          const std::vector<float>& before) {
    on_.backend->mixtures().route(matrix(x), *router_, *routes_);
    const Matrix in = on_.matrix(wide, routes_->places(), shape_.width), out = matrix(before);
    on_.backend->mixtures().project_add(in, *down_, *routes_,
                                        on_.allocate(routes_->places(), shape_.hidden), out);
    return on_.read(out);
  }
  // x += the mixture of x, `times` times, all in one go.
  std::vector<float> run(const std::vector<float>& x, int times = 1) {
    Mixtures& mixtures = on_.backend->mixtures();
    const Matrix sum = matrix(x);
    if (times_.empty() || times_.front().rows != sum.rows * shape_.routing.chosen) {
      const int places = sum.rows * shape_.routing.chosen;
      times_ = {on_.allocate(places, 2 * shape_.width), on_.allocate(places, shape_.hidden)};
    }
    const Matrix gate_up = times_[0], gated = gate_up.columns(0, shape_.width);
    for (int time = 0; time < times; ++time) {
      mixtures.route(sum, *router_, *routes_);
      on_.backend->project_gated(sum, *gate_up_, *routes_, gate_up, gated);
      mixtures.project_add(gated, *down_, *routes_, times_[1], sum);
    }
    return on_.read(sum);
  }

 private:
  // Sends rows on their way; room for what gate and up make of them.
  Matrix routed(const std::vector<float>& x) {
    in_ = matrix(x);
    on_.backend->mixtures().route(in_, *router_, *routes_);
    return on_.allocate(routes_->places(), 2 * shape_.width);
  }
  Matrix matrix(const std::vector<float>& x) {
    return on_.matrix(x, static_cast<int>(x.size()) / shape_.hidden, shape_.hidden);
  }

  Bench& on_;
  Shape shape_;
  std::shared_ptr<const Router> router_;
  std::shared_ptr<const Experts> gate_up_, down_;
  std::shared_ptr<Routes> routes_;
  Matrix in_;
  std::vector<Matrix> times_;
};

std::vector<int> experts_of(const std::vector<ExpertShare>& shares) {
  std::vector<int> experts;
  for (const ExpertShare& share : shares) experts.push_back(share.expert);
  return experts;
}

std::vector<float> rows_of(const std::vector<float>& x, int hidden, const std::vector<int>& rows) {
  std::vector<float> some;
  for (const int row : rows)
    some.insert(some.end(), x.begin() + row * hidden, x.begin() + (row + 1) * hidden);
  return some;
}

class DeviceMixtures : public OnDevice {
 protected:
  // The same routers on the device and in plain loops, experts and weights.
  void expect_choice(const Mixture& mixture, const std::vector<float>& x, bool weights = true) {
    Bench gpu(make()), plain(make_reference_backend());
    const auto actual = shares(gpu, mixture, x), wanted = shares(plain, mixture, x);
    ASSERT_EQ(experts_of(actual), experts_of(wanted));
    for (std::size_t i = 0; weights && i < wanted.size(); ++i)
      ASSERT_NEAR(actual[i].weight, wanted[i].weight, 1e-5) << i;
  }
};

TEST_P(DeviceMixtures, RowsGoWhereThePlainLoopsSendThem) {
  const Shape shapes[] = {{48, 1, kSoftmax}, {20, 1, kGroups}, {33, 1, kAll}, {264, 1, kOne},
                          {72, 1, kMany},    {536, 1, kLing},  {51, 1, kLing}};
  for (const Shape& shape : shapes) {
    const Mixture mixture(shape);
    for (const int rows : {1, 37}) {
      SCOPED_TRACE(
          fmt::format("{} experts, {} rows of {}", shape.routing.experts, rows, shape.hidden));
      expect_choice(mixture, bf16_numbers(rows * shape.hidden, 9));
    }
  }
}

// Another kernel makes their scores.
TEST_P(DeviceMixtures, ManyRowsGoWhereFewGo) {
  constexpr int kFew = 61, kTimes = 9;
  const Routing wide{.experts = 300, .chosen = 5, .normalised = true};
  for (const Shape& shape : {Shape{536, 1, kLing}, {40, 1, kGroups}, {64, 1, wide}}) {
    const Mixture mixture(shape);
    Bench gpu(make());
    const auto few = bf16_numbers(kFew * shape.hidden, 9);
    std::vector<float> many;
    for (int i = 0; i < kTimes; ++i) many.insert(many.end(), few.begin(), few.end());
    const auto wanted = shares(gpu, mixture, few), actual = shares(gpu, mixture, many);
    ASSERT_EQ(actual.size(), kTimes * wanted.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
      const ExpertShare& share = wanted[i % wanted.size()];
      ASSERT_EQ(actual[i].expert, share.expert) << i;
      ASSERT_EQ(actual[i].weight, share.weight) << i;
    }
  }
}

TEST_P(DeviceMixtures, ExpertsOnTheHostTakeNoRoomOnTheDeviceAndGiveTheSameBits) {
  const Mixture mixture({264, 136, kGroups}), same = mixture;  // in memory of its own
  const auto x = bf16_numbers(9 * 264, 9);
  Bench gpu(make()), apart(make(/*experts_on_host=*/UINT64_MAX));
  std::optional<Layer> here, there;
  const auto taken = [](Bench& bench, std::optional<Layer>& layer, const Mixture& of) {
    const std::uint64_t room = bench.backend->room_for_weights();
    layer.emplace(bench, of);
    return room - bench.backend->room_for_weights();
  };
  EXPECT_GT(taken(gpu, here, mixture), 10 * taken(apart, there, same)) << "of it, the router stays";
  for (int round = 0; round < 3; ++round) EXPECT_EQ(there->run(x, 3), here->run(x, 3));
}

TEST_P(DeviceMixtures, TiesGoToTheLowestExpert) {
  for (const Routing& routing : {kSoftmax, kGroups, kMany}) {
    const Shape shape{40, 8, routing};
    Mixture mixture(shape);
    std::ranges::fill(mixture.bias, 0.0f);
    for (int e = 3; e < routing.experts; ++e)
      std::copy_n(mixture.router.begin() + e % 3 * shape.hidden, shape.hidden,
                  mixture.router.begin() + e * shape.hidden);
    auto x = bf16_numbers(20 * shape.hidden, 9);
    std::fill_n(x.begin(), shape.hidden, 0.0f);  // all of them tie
    Bench gpu(make());
    const auto chosen = shares(gpu, mixture, x);
    for (int i = 0; i < routing.chosen; ++i) EXPECT_EQ(chosen[i].expert, i);
    expect_choice(mixture, x);
  }
}

TEST_P(DeviceMixtures, AScoreThatIsNoNumberIsTheLowest) {
  for (const Routing& routing : {kSoftmax, kGroups}) {
    const Shape shape{40, 8, routing};
    Mixture mixture(shape);
    const auto x = bf16_numbers(9 * shape.hidden, 9);
    for (const int expert : {0, 2, 5}) mixture.router[expert * shape.hidden + 7] = kNan;
    expect_choice(mixture, x, routing.sigmoid);  // a softmax with them has no numbers
    Bench gpu(make());
    for (const int expert : experts_of(shares(gpu, mixture, x)))
      EXPECT_TRUE(expert != 0 && expert != 2 && expert != 5);
    Mixture none = mixture;
    std::ranges::fill(none.router, kNan);
    expect_choice(none, x, false);
  }
}

TEST_P(DeviceMixtures, ARowWithoutNumbersLeavesOthersAlone) {
  const Shape shape{48, 24, kGroups};
  const Mixture mixture(shape);
  auto x = bf16_numbers(30 * shape.hidden, 9);
  Bench gpu(make());
  Layer layer(gpu, mixture);
  const auto before = layer.run(x);
  for (const float bad : {kNan, std::numeric_limits<float>::infinity()}) {
    x[11 * shape.hidden + 3] = bad;
    const auto after = layer.run(x);
    for (int row = 0; row < 30; ++row) {
      if (row == 11) continue;
      EXPECT_EQ(rows_of(after, shape.hidden, {row}), rows_of(before, shape.hidden, {row})) << row;
    }
  }
}

TEST_P(DeviceMixtures, ProductsAndSumsAreThoseOfThePlainLoops) {
  for (const Shape& shape : kShapes) {
    const Mixture mixture(shape);
    for (const int rows : {1, 70}) {
      SCOPED_TRACE(fmt::format("{} experts, {} rows, {} to {}", shape.routing.experts, rows,
                               shape.hidden, shape.width));
      const auto x = bf16_numbers(rows * shape.hidden, 9);
      const auto wide = bf16_numbers(rows * shape.routing.chosen * shape.width, 10);
      Bench gpu(make()), plain(make_reference_backend());
      Layer on_gpu(gpu, mixture), on_plain(plain, mixture);
      expect_near(on_gpu.products(x), on_plain.products(x), "products");
      expect_near(on_gpu.sums(x, wide, x), on_plain.sums(x, wide, x), "sums");
    }
  }
}

TEST_P(DeviceMixtures, AGatedProductHasTheBitsOfItsProductActivated) {
  for (const Shape& shape : {Shape{72, 40, kGroups}, {136, 72, kAll}, {20, 7, kGroups}}) {
    const Mixture mixture(shape);
    Bench gpu(make());
    Layer layer(gpu, mixture);
    for (const int rows : {3, 60, 150}) {
      const auto x = bf16_numbers(rows * shape.hidden, 9);
      EXPECT_EQ(layer.gated_at_once(x), layer.gated(x)) << rows << " rows of " << shape.hidden;
    }
  }
}

TEST_P(DeviceMixtures, AnExpertMayHaveAllRowsAndAnotherNone) {
  const Shape shape{64, 40, {.experts = 6, .chosen = 2, .sigmoid = true, .scale = 2}};
  Mixture mixture(shape);
  mixture.bias = {-9, -9, 0, 9, 0, -9};
  Bench gpu(make()), plain(make_reference_backend());
  Layer on_gpu(gpu, mixture), on_plain(plain, mixture);
  for (const int rows : {40, 130}) {  // both are more than a block of threads takes at a time
    const auto x = bf16_numbers(rows * shape.hidden, 9);
    const auto experts = experts_of(shares(gpu, mixture, x));
    EXPECT_EQ(std::ranges::count(experts, 3), rows);
    for (const int expert : {0, 1, 5}) EXPECT_EQ(std::ranges::count(experts, expert), 0);
    expect_near(on_gpu.products(x), on_plain.products(x), "products");
  }
}

// As many rows per expert as make one shape of the product or the other.
TEST_P(DeviceMixtures, ARowIsTheSameAloneAmongOthersAndInAnyOrder) {
  for (const Shape& shape : kShapes) {
    constexpr int kRows = 80;
    const Mixture mixture(shape);
    const int hidden = shape.hidden;
    const auto x = bf16_numbers(kRows * hidden, 9);
    Bench gpu(make());
    Layer layer(gpu, mixture);
    const auto all = layer.run(x);
    std::vector<int> backwards = iota(kRows);
    std::ranges::reverse(backwards);
    const std::vector<int> orders[] = {
        {0}, {kRows - 1}, {3, 79, 20, 20, 5}, iota(30, 40), backwards};
    for (const std::vector<int>& rows : orders) {
      EXPECT_EQ(layer.run(rows_of(x, hidden, rows)), rows_of(all, hidden, rows))
          << rows.size() << " rows, " << shape.routing.experts << " experts, " << hidden << " to "
          << shape.width;
    }
  }
}

TEST_P(DeviceMixtures, ARecordedPassIsTheSame) {
  const Shape shape{48, 24, kGroups};
  const Mixture mixture(shape);
  Bench gpu(make());
  Layer layer(gpu, mixture);
  const auto x = bf16_numbers(30 * shape.hidden, 9), y = bf16_numbers(30 * shape.hidden, 10);
  const auto first = layer.run(x, 4), other = layer.run(y, 4);
  EXPECT_NE(first, other);
  for (int time = 0; time < 3; ++time) {
    EXPECT_EQ(layer.run(x, 4), first);
    EXPECT_EQ(layer.run(y, 4), other) << "other rows by the same recording";
  }
  layer.run(bf16_numbers(300 * shape.hidden, 11));
  EXPECT_EQ(layer.run(x, 4), first) << "after routes have grown";
}

TEST_P(DeviceMixtures, QuantisedExpertsCountForTheNumbersThatTheyAre) {
  constexpr int kHidden = 256, kExperts = 4, kOutputs = 24;
  Bench gpu(make());
  Mixtures& mixtures = gpu.backend->mixtures();
  const auto router = bf16_numbers(kExperts * kHidden, 5);
  const auto routes = mixtures.allocate_routes();
  const auto loaded = mixtures.load_router(tensor(router, kExperts, kHidden), nullptr,
                                           {.experts = kExperts, .chosen = 2});
  std::deque<std::vector<RandomBlocks>> kept;  // a weight is known by where it came from
  for (const DType type : kQuantisedTypes) {
    std::vector<RandomBlocks>& blocks = kept.emplace_back();
    for (int e = 0; e < kExperts; ++e) blocks.emplace_back(type, kOutputs, kHidden, 1 + e);
    std::vector<std::vector<HostTensor>> stored, plain;
    for (const RandomBlocks& expert : blocks) {
      stored.push_back({expert.view()});
      plain.push_back({expert.plain()});
    }
    for (const int rows : {5, 150}) {  // few, and more than a block of threads takes at a time
      const Matrix in = gpu.matrix(bf16_numbers(rows * kHidden, 6), rows, kHidden);
      mixtures.route(in, *loaded, *routes);
      const int places = routes->places();
      const Matrix wide = gpu.matrix(bf16_numbers(places * kHidden, 7), places, kHidden);
      const auto run = [&](const std::vector<std::vector<HostTensor>>& experts) {
        const auto weights = mixtures.load_experts(experts);
        const Matrix out = gpu.allocate(places, kOutputs), sum = gpu.allocate(rows, kOutputs);
        mixtures.project(in, *weights, *routes, out);
        gpu.backend->gather(out, iota(rows), sum);
        std::vector<float> results = gpu.read(out);
        mixtures.project_add(wide, *weights, *routes, out, sum);
        for (const float number : gpu.read(sum)) results.push_back(number);
        return results;
      };
      EXPECT_EQ(run(stored), run(plain)) << name_of(type) << " " << rows;
    }
  }
}

UMF_ON_DEVICE(DeviceMixtures);

}  // namespace
}  // namespace umf
