#include "model/checkpoint_source.h"

#include "base/json.h"
#include "model/gguf_source.h"
#include "tokenizer/chat.h"
#include "tokenizer/tokenizer_files.h"

namespace umf {
namespace {

constexpr std::size_t kConfigLimit = 1 << 20;

Config open_config(const Folder& folder, const std::string& name) {
  const std::string where = folder.place(name);
  return Config(parse_json(folder.read(name, kConfigLimit), where), where);
}

Config open_optional_config(const Folder& folder, const std::string& name) {
  return folder.contains(name) ? open_config(folder, name)
                               : Config(Json::object(), folder.place(name));
}

class DirectorySource final : public CheckpointSource {
 public:
  explicit DirectorySource(const Folder& folder) : folder_(folder) {}

  const Config& config() const override {
    if (!config_) config_.reset(new Config(open_config(folder_, "config.json")));
    return *config_;
  }
  const Config& generation() const override {
    if (!generation_)
      generation_.reset(new Config(open_optional_config(folder_, "generation_config.json")));
    return *generation_;
  }
  TokenizerSpec tokenizer() const override { return read_tokenizer(folder_); }
  std::optional<std::string> chat_template() const override { return find_chat_template(folder_); }
  std::optional<std::string> text(const std::string& name) const override {
    if (!folder_.contains(name)) return std::nullopt;
    return folder_.read(name, kTokenizerFileLimit);
  }
  Advice advice() const override { return read_advice(folder_); }
  Weights weights(const Architecture&) override { return Weights::open(folder_); }

 private:
  const Folder folder_;
  mutable std::unique_ptr<const Config> config_, generation_;  // read when they are asked for
};

}  // namespace

std::unique_ptr<CheckpointSource> open_source(const Location& location) {
  if (location.gguf.empty()) return std::make_unique<DirectorySource>(location.folder);
  return open_gguf_source(open_gguf(location.place()));
}

}  // namespace umf
