// Plain decodings: the answers of `umf generate`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "decode/decoder.h"
#include "server/device_task.h"

namespace umf {

struct PlainPlan {
  Action action;
  DecodeOptions decode;
  int n = 1;  // for each prompt; the i-th has the action's seed + i, where chance has a part
  std::vector<std::string> stop;
  bool stream_state = false;
};

// The text is that of a whole decoding. Passes that cannot change it any more, because it ended or
// reached a stop string, are not made.
class PlainTask final : public DeviceTask {
 public:
  // The model that writes as the i-th of the action's, as a device has it.
  using ModelOn = std::function<Model*(int device, std::size_t i)>;

  // A prompt is what each of the action's models reads. Models and tokenizers must outlive the
  // task. Without `model_on` every device has the models of the prompts.
  PlainTask(std::vector<std::vector<Participant>> prompts, PlainPlan plan, ModelOn model_on = {});
  Completion run(Listener& listener) override;

 private:
  // An answer is written, or repeated where it could only be the same again.
  void write(int choice, const std::vector<Participant>& prompt, const Action& action,
             Listener& listener, Completion& completion);
  static void repeat(int choice, int first, Listener& listener, Completion& completion);

  std::vector<std::vector<Participant>> prompts_;
  PlainPlan plan_;
  ModelOn model_on_;
};

}  // namespace umf
