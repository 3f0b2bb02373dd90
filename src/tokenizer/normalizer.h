// Unicode normalisation form C: what the NFC normaliser of tokenizer files does.
#pragma once

#include <string>
#include <string_view>

namespace umf {

// `text` in normalisation form C: `text` itself where it is that already, otherwise `storage`,
// which receives the result. `text` is valid UTF-8.
std::string_view to_nfc(std::string_view text, std::string& storage);

}  // namespace umf
