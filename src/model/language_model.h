// A masked diffusion model of any family: a checkpoint, its transformer and its output head.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/checkpoint.h"
#include "model/model.h"
#include "model/transformer.h"

namespace umf {

// What a checkpoint is, on a backend of this name, to those who decode with it. Throws Error when
// it is not a diffusion model.
ModelInfo describe_model(std::string name, const Checkpoint& checkpoint, std::string_view backend);

// As Model::share_of_pass() of the checkpoint's model, by its multiplications.
double share_of_pass(const Checkpoint& checkpoint, const Query& query);

class LanguageModel final : public Model {
 public:
  // Throws Error when the checkpoint is not a diffusion model or does not fit its configuration.
  // The backend must outlive the model. `experts_on_host`: bytes, as in Backend::begin_model().
  LanguageModel(std::string name, std::shared_ptr<const Checkpoint> checkpoint, Backend& backend,
                std::uint64_t experts_on_host = 0);
  LanguageModel(std::string name, Checkpoint checkpoint, Backend& backend)
      : LanguageModel(std::move(name), std::make_shared<const Checkpoint>(std::move(checkpoint)),
                      backend) {}

  const ModelInfo& info() const override { return info_; }
  std::vector<std::vector<Prediction>> predict(std::span<const Query> batch) override;
  std::unique_ptr<Anchor> make_anchor() override;
  double share_of_pass(const Query& query) const override {
    return umf::share_of_pass(*checkpoint_, query);
  }

  // What the model says about each of `positions`: (positions, vocabulary), packed. A family that
  // shifts has been shifted. `prompt` as in a Query.
  std::vector<float> logits(std::span<const Token> tokens, std::span<const int> positions,
                            int prompt = 0);

  // Of the weights on a device; nothing where they are used where they lie.
  Residence* residence() const { return residence_.get(); }

  const Checkpoint& checkpoint() const { return *checkpoint_; }
  const Tokenizer& tokenizer() const { return checkpoint_->tokenizer; }
  const Backend& backend() const { return backend_; }

 private:
  // Where the positions end that one pass can answer, from `first` on.
  std::size_t end_of_pass(const Query& query, std::size_t first) const;
  // What the head shall see for each position of the query, and some rows more: padding. One pass.
  Matrix hidden_rows(const Query& query);
  // Room for the logits of a part of `rows` rows: they never take much memory at once.
  Matrix room_for_logits(int rows);

  std::shared_ptr<const Checkpoint> checkpoint_;
  ModelInfo info_;
  Backend& backend_;
  std::shared_ptr<Residence> residence_;  // before what is loaded
  Transformer transformer_;
  std::shared_ptr<const Linear> head_;
  Matrix logits_;  // scratch, (chunk, vocabulary)
  // Memory of an anchor that is gone, for the next: recorded passes stay valid.
  std::shared_ptr<KeyValues> spare_ = std::make_shared<KeyValues>();
};

}  // namespace umf
