#include "decode/convert.h"

#include <fmt/core.h>

#include <utility>

#include "base/error.h"
#include "decode/window_fit.h"

namespace umf {
namespace {

// Without normalisation, added tokens or a prefix. The check is for vocabularies that are odder
// than those we know: bytes come before everything else.
void append_encoded(const Tokenizer& tokenizer, std::string_view run, std::vector<Token>& cells) {
  std::vector<Token> ids = tokenizer.encode_bytes(run);
  if (tokenizer.decode(ids, /*skip_special=*/false) != run) {
    ids = single_byte_tokens(tokenizer, run);
  }
  cells.insert(cells.end(), ids.begin(), ids.end());
}

}  // namespace

const char* name_of(WindowPolicy policy) {
  return policy == WindowPolicy::kPreserveMasks ? "preserve-masks" : "fixed-window";
}

WindowPolicy parse_window_policy(const std::string& name) {
  if (name == "preserve-masks") return WindowPolicy::kPreserveMasks;
  if (name == "fixed-window") return WindowPolicy::kFixedWindow;
  throw Error(
      fmt::format("there is no window policy '{}'. Choose preserve-masks or fixed-window", name));
}

std::vector<Token> single_byte_tokens(const Tokenizer& tokenizer, std::string_view bytes) {
  std::vector<Token> ids;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::vector<Token> one = tokenizer.encode_bytes(bytes.substr(i, 1));
    ids.insert(ids.end(), one.begin(), one.end());
  }
  return ids;
}

std::vector<Token> convert_cells(std::span<const Token> cells, const Lexicon& from,
                                 const Lexicon& to) {
  if (same_lexicon(from, to)) return {cells.begin(), cells.end()};
  std::vector<Token> converted;
  std::string run;
  const auto end_run = [&] {
    if (run.empty()) return;
    append_encoded(*to.tokenizer, run, converted);
    run.clear();
  };
  for (const Token cell : cells) {
    const CellRole role = role_of(from, cell);
    if (role == CellRole::kText) {
      run += from.tokenizer->bytes(cell);
    } else {
      end_run();
      converted.push_back(token_of(to, role));
    }
  }
  end_run();
  return converted;
}

std::optional<std::vector<Token>> convert(std::span<const Token> cells, const Lexicon& from,
                                          const Lexicon& to, const WindowBounds& bounds) {
  std::vector<Token> converted = convert_cells(cells, from, to);
  if (bounds.policy == WindowPolicy::kFixedWindow) {
    const bool fits = fit_window(converted, to, bounds.window, bounds.least_masks) &&
                      std::cmp_less_equal(converted.size(), bounds.context);
    return fits ? std::optional(converted) : std::nullopt;
  }
  const int excess = static_cast<int>(converted.size()) - bounds.context;
  if (excess > 0 && drop_padding(converted, to, excess) < excess) return std::nullopt;
  return converted;
}

}  // namespace umf
