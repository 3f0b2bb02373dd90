// The checker of the MATH data set's authors: both answers are normalised as text and compared.
#pragma once

#include <string>
#include <string_view>

namespace umf {

// Throws NotNormalisable (rules_repair.h) where the rules fail.
std::string hendrycks_normal_form(std::string_view answer);

bool hendrycks_equal(std::string_view gold, std::string_view answer);

}  // namespace umf
