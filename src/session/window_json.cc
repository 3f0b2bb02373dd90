#include "session/window_json.h"

#include <nlohmann/json.hpp>
#include <string>

#include "base/json.h"

namespace umf {

OrderedJson cell_json(const Lexicon& lexicon, Token id) {
  if (id == lexicon.tokens.mask) return 0;
  if (ends_text(lexicon.tokens, id)) return nullptr;
  const std::string_view bytes = text_of(lexicon, id);
  if (to_valid_utf8(bytes) == bytes) return std::string(bytes);
  OrderedJson list = OrderedJson::array();
  for (const unsigned char byte : bytes) list.push_back(byte);
  return list;
}

OrderedJson window_json(const Lexicon& lexicon, std::span<const Token> cells) {
  OrderedJson list = OrderedJson::array();
  int run = 0;  // above 0: masks; below: ends
  const auto close = [&] {
    if (run != 0) list.push_back(run);
    run = 0;
  };
  for (const Token id : cells) {
    const bool mask = id == lexicon.tokens.mask, end = !mask && ends_text(lexicon.tokens, id);
    if ((run > 0 && !mask) || (run < 0 && !end)) close();
    if (mask)
      ++run;
    else if (end)
      --run;
    else
      list.push_back(cell_json(lexicon, id));
  }
  close();
  return list;
}

}  // namespace umf
