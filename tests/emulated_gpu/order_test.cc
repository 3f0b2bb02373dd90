// Blocks and threads of a GPU run in any order. Kernels that forgot a barrier give other bytes
// then.
#include <gtest/gtest.h>

#include "backend/cuda/cuda_backend.h"
#include "block.h"
#include "support/engine_fixture.h"

namespace umf {
namespace {

class EmulatedOrder : public testing::TestWithParam<std::tuple<const char*, const char*>> {
 protected:
  // In every way of sampling, over few rows and many.
  std::vector<std::vector<Prediction>> predictions() const {
    const auto& [model, dtype] = GetParam();
    Loaded loaded(tiny_checkpoint(model, {.dtype = dtype}),
                  dtype == std::string("F32") ? make_cuda_f32_backend(0) : make_cuda_backend(0));
    std::vector<std::vector<Prediction>> all;
    for (const int length : {5, 40}) {
      const std::vector<Token> tokens = sample_tokens(loaded.model.info(), length, length);
      const std::vector<int> masks = masks_of(loaded.model.info(), tokens);
      for (const Sampling& sampling :
           {Sampling{}, Sampling{.temperature = 1, .top_k = 20, .noise = {3, 4}}}) {
        const Query query{tokens, masks, sampling};
        all.push_back(loaded.model.predict({&query, 1}).front());
      }
    }
    return all;
  }
};

TEST_P(EmulatedOrder, OfBlocksAndThreadsChangesNoByte) {
  const auto expected = predictions();
  for (const emulated::Order order :
       {emulated::Order::kBackward, emulated::Order::kShuffled, emulated::Order::kWarpByWarp}) {
    emulated::set_order(order);
    EXPECT_EQ(predictions(), expected);
  }
  emulated::set_order(emulated::Order::kForward);
}

INSTANTIATE_TEST_SUITE_P(Models, EmulatedOrder,
                         testing::Combine(testing::Values("tiny-llada", "tiny-dream",
                                                          "tiny-llada2"),
                                          testing::Values("F32", "BF16")));

}  // namespace
}  // namespace umf
