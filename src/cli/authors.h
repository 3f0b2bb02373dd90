// An answer as a person reads it: every part in the colour, or beside the letter, of its author.
#pragma once

#include <string>
#include <vector>

#include "decode/authors.h"
#include "setup/terminal.h"

namespace umf {

// "A llada 38 %   B dream 62 %": who wrote how much of the text, white space left out. Only those
// who wrote something.
std::string authors_legend(const std::vector<AuthoredText>& pieces,
                           const std::vector<std::string>& names, const Paint& paint);

// The text, each piece in its author's colour.
std::string coloured_answer(const std::vector<AuthoredText>& pieces, const Paint& paint);

// The text line by line behind the letters of those who wrote in it, who wrote most first.
std::string lettered_answer(const std::vector<AuthoredText>& pieces, const Paint& paint);

}  // namespace umf
