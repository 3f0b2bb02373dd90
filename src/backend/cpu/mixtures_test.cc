// Which experts rows go to, and that what a row gets is its own whatever goes the same way.
#include <fmt/core.h>

#include <numeric>

#include "backend/cpu/cpu_testing.h"
#include "backend/cpu/routing.h"
#include "backend/reference/reference_backend.h"
#include "support/quantised_weights.h"

namespace umf {
namespace {

std::vector<ExpertShare> choose(std::vector<float> scores, const Routing& routing,
                                const std::vector<float>& bias = {}) {
  std::vector<float> choice(scores.size());
  std::vector<ExpertShare> chosen(routing.chosen);
  choose_experts(cpu_kernels().front(), routing, bias.empty() ? nullptr : bias.data(), scores,
                 choice, chosen);
  return chosen;
}

std::vector<int> experts_of(const std::vector<ExpertShare>& shares) {
  std::vector<int> experts;
  for (const ExpertShare& share : shares) experts.push_back(share.expert);
  return experts;
}

double sum_of(const std::vector<ExpertShare>& shares) {
  double sum = 0;
  for (const ExpertShare& share : shares) sum += share.weight;
  return sum;
}

const Routing kSoftmax{.experts = 6, .chosen = 3},
    kRenormalised{.experts = 6, .chosen = 3, .normalised = true},
    kSigmoid{.experts = 6, .chosen = 3, .sigmoid = true, .normalised = true, .scale = 2.5f},
    kGroups{.experts = 8,
            .chosen = 3,
            .sigmoid = true,
            .normalised = true,
            .groups = 4,
            .kept_groups = 2};

TEST(Routing, WeightsSumToWhatTheKindOfRouterSays) {
  const std::vector<float> scores = random_floats(6, 1);
  EXPECT_LT(sum_of(choose(scores, kSoftmax)), 0.999);
  EXPECT_NEAR(sum_of(choose(scores, kRenormalised)), 1, 1e-6);
  EXPECT_NEAR(sum_of(choose(scores, kSigmoid)), 2.5, 1e-6);
  Routing all = kSoftmax;
  all.chosen = 6;
  EXPECT_NEAR(sum_of(choose(scores, all)), 1, 1e-6) << "all of them are the whole mixture";
}

TEST(Routing, TiesGoToTheLowestExpert) {
  EXPECT_EQ(experts_of(choose({1, 3, 3, 1, 1, 3}, kSoftmax)), (std::vector{1, 2, 5}));
  EXPECT_EQ(experts_of(choose({1, 3, 1, 1, 1, 1}, kSoftmax)), (std::vector{0, 1, 2}));
  EXPECT_EQ(experts_of(choose(std::vector<float>(6, 0), kSigmoid)), (std::vector{0, 1, 2}));
  EXPECT_EQ(experts_of(choose(std::vector<float>(8, 0), kGroups)), (std::vector{0, 1, 2}));
}

TEST(Routing, ABiasChoosesButDoesNotWeigh) {
  const std::vector<float> scores = {2, 1, 0, -1, -2, -3};
  const auto plain = choose(scores, kSigmoid);
  EXPECT_EQ(experts_of(plain), (std::vector{0, 1, 2}));
  EXPECT_EQ(choose(scores, kSigmoid, std::vector<float>(6, 0.5f)), plain) << "the same for all";
  const auto forced = choose(scores, kSigmoid, {0, 0, 0, 0, 0, 9});
  EXPECT_EQ(experts_of(forced), (std::vector{0, 1, 5}));
  EXPECT_LT(forced[2].weight, 0.1 * forced[0].weight) << "its own small part";
}

// Groups of two: their scores are the sums of both, so that one large expert is not enough.
TEST(Routing, GroupsAreKeptByTheSumOfTheirTwoBest) {
  EXPECT_EQ(experts_of(choose({9, -9, 1, 1, 2, -3, 0.5f, 0.5f}, kGroups)), (std::vector{2, 3, 6}));
  Routing one = kGroups;
  one.groups = one.kept_groups = 1;
  EXPECT_EQ(experts_of(choose({9, -9, 1, 1, 2, -3, 0.5f, 0.5f}, one)), (std::vector{0, 2, 4}));
}

TEST(Routing, AScoreThatIsNoNumberIsTheLowest) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(experts_of(choose({nan, 1, 2, 3, nan, 0}, kSigmoid)), (std::vector{1, 2, 3}));
  EXPECT_EQ(experts_of(choose(std::vector<float>(8, nan), kGroups)), (std::vector{0, 1, 2}));
}

// Random weights of a mixture, and its three operations on given rows.
class Mixture {
 public:
  static constexpr int kExperts = 16, kWidth = 24;

  Mixture(int hidden, DType type)
      : hidden_(hidden), router_(random_floats(kExperts * hidden, 5, 0.3f)) {
    for (int expert = 0; expert < kExperts; ++expert) {
      gate_up_.emplace_back(kWidth, hidden, type, 100 + 2 * expert);
      gate_up_.emplace_back(kWidth, hidden, type, 101 + 2 * expert);
      down_.emplace_back(hidden, kWidth, type, 200 + expert);
    }
  }

  struct Result {
    std::vector<ExpertShare> shares;
    std::vector<float> sums;
  };
  Result run(Backend& backend, const std::vector<float>& x) const {
    Mixtures& mixtures = backend.mixtures();
    const int rows = static_cast<int>(x.size()) / hidden_;
    const Matrix in = upload(backend, x, rows, hidden_), sum = upload(backend, x, rows, hidden_);
    const Routing routing{.experts = kExperts,
                          .chosen = 3,
                          .sigmoid = true,
                          .normalised = true,
                          .scale = 2.5f,
                          .groups = 4,
                          .kept_groups = 2};
    const auto routes = mixtures.allocate_routes();
    const HostTensor weight = view_of(router_, kExperts, hidden_);
    mixtures.route(in, *mixtures.load_router(weight, nullptr, routing), *routes);
    std::vector<std::vector<HostTensor>> gate_up, down;
    for (int e = 0; e < kExperts; ++e) {
      gate_up.push_back({gate_up_[2 * e].view(), gate_up_[2 * e + 1].view()});
      down.push_back({down_[e].view()});
    }
    const Matrix wide = backend.allocate(routes->places(), 2 * kWidth);
    mixtures.project(in, *mixtures.load_experts(gate_up), *routes, wide);
    backend.gated_silu(wide, wide.columns(0, kWidth));
    mixtures.project_add(wide.columns(0, kWidth), *mixtures.load_experts(down), *routes,
                         backend.allocate(routes->places(), hidden_), sum);
    Result result{std::vector<ExpertShare>(routes->places()), download(backend, sum)};
    mixtures.read(*routes, result.shares);
    return result;
  }

 private:
  int hidden_;
  std::vector<float> router_;
  std::vector<RandomTensor> gate_up_, down_;
};

TEST(Mixtures, EveryMachineGivesTheSameBitsNearThoseOfPlainLoops) {
  for (const DType type : {DType::kF32, DType::kF16, DType::kBF16}) {
    const int hidden = 72, rows = 41;
    const Mixture mixture(hidden, type);
    const auto x = random_floats(rows * hidden, 9);
    const auto plain = mixture.run(*make_reference_backend(), x);
    std::vector<float> first;
    for (const auto& [target, threads] : machines()) {
      SCOPED_TRACE(fmt::format("{} {} {}", name_of(type), target, threads));
      const auto result = mixture.run(*make_cpu_backend(threads, target), x);
      EXPECT_EQ(experts_of(result.shares), experts_of(plain.shares));
      if (first.empty()) first = result.sums;
      EXPECT_TRUE(same_bits(result.sums, first));
    }
    float largest = 0;
    for (const float value : plain.sums) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < first.size(); ++i)
      ASSERT_NEAR(first[i], plain.sums[i], 1e-6 * largest) << i;
  }
}

TEST(Mixtures, ARowIsTheSameWhateverOtherRowsThereAre) {
  const int hidden = 72, rows = 60;
  const Mixture mixture(hidden, DType::kBF16);
  const auto x = random_floats(rows * hidden, 9);
  for (const bool rounded : {false, true}) {
    const auto backend = rounded ? make_cpu_bf16_backend(2, "") : make_cpu_backend(2, "");
    const auto together = mixture.run(*backend, x).sums;
    for (const auto& [from, count] : {std::pair{0, 1}, {17, 1}, {5, 13}, {59, 1}, {20, 40}}) {
      const auto begin = x.begin() + from * hidden, end = begin + count * hidden;
      const auto some = mixture.run(*backend, {begin, end}).sums;
      EXPECT_TRUE(same_bits(
          some, {together.begin() + from * hidden, together.begin() + (from + count) * hidden}))
          << from << " " << count;
    }
  }
}

TEST(Mixtures, EveryMachineGivesTheSameBitsOfRoundedNumbers) {
  const Mixture mixture(72, DType::kBF16);
  const auto x = random_floats(41 * 72, 9);
  std::vector<float> first;
  for (const auto& [target, threads] : machines(cpu_bf16_targets())) {
    const auto sums = mixture.run(*make_cpu_bf16_backend(threads, target), x).sums;
    if (first.empty()) first = sums;
    EXPECT_TRUE(same_bits(sums, first)) << target << " " << threads;
  }
}

// Products of bf16 numbers may not move a row to other experts.
TEST(Mixtures, RoundedProductsDoNotChangeTheChoice) {
  const Mixture mixture(72, DType::kF32);
  const auto x = random_floats(100 * 72, 9);
  const auto exact = mixture.run(*make_cpu_backend(2, ""), x);
  for (const std::string& target : cpu_bf16_targets()) {
    const auto rounded = mixture.run(*make_cpu_bf16_backend(2, target), x);
    EXPECT_EQ(rounded.shares, exact.shares) << target;
    EXPECT_NE(rounded.sums, exact.sums) << target;
  }
}

TEST(Mixtures, TakeQuantisedExpertsForTheNumbersThatTheyAre) {
  constexpr int kHidden = 256, kRows = 9, kExperts = 4;
  const auto backend = make_cpu_backend(2, "");
  Mixtures& mixtures = backend->mixtures();
  const auto router = random_floats(kExperts * kHidden, 5), x = random_floats(kRows * kHidden, 6);
  const Matrix in = upload(*backend, x, kRows, kHidden);
  const auto routes = mixtures.allocate_routes();
  mixtures.route(in,
                 *mixtures.load_router(view_of(router, kExperts, kHidden), nullptr,
                                       {.experts = kExperts, .chosen = 2}),
                 *routes);
  for (const DType type : kQuantisedTypes) {
    std::vector<RandomBlocks> blocks;
    std::vector<std::vector<HostTensor>> stored, plain;
    for (int e = 0; e < kExperts; ++e) blocks.emplace_back(type, 24, kHidden, 1 + e);
    for (const RandomBlocks& expert : blocks) {
      stored.push_back({expert.view()});
      plain.push_back({expert.plain()});
    }
    const Matrix a = backend->allocate(routes->places(), 24),
                 b = backend->allocate(routes->places(), 24);
    mixtures.project(in, *mixtures.load_experts(stored), *routes, a);
    mixtures.project(in, *mixtures.load_experts(plain), *routes, b);
    EXPECT_TRUE(same_bits(download(*backend, a), download(*backend, b))) << name_of(type);
  }
}

}  // namespace
}  // namespace umf
