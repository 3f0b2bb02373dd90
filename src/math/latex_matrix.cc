// Matrices of the LaTeX grammar.
#include "math/latex_grammar.h"
#include "math/matrix.h"
#include "math/text.h"

namespace umf {
namespace {

constexpr std::size_t kEntryLimit = 400;

bool is_matrix_environment(const std::string& name) {
  return name == "matrix" || name == "pmatrix" || name == "bmatrix" || name == "Bmatrix" ||
         name == "vmatrix" || name == "array" || name == "smallmatrix";
}

}  // namespace

Expr LatexGrammar::environment(const std::string& name) {
  if (!is_matrix_environment(name)) fail("an environment that is no matrix");
  if (name == "array") {
    expect("{");
    while (!accept("}")) take();
  }
  std::vector<Expr> entries;
  std::size_t columns = 0, in_row = 0;
  const auto end_row = [&] {
    if (columns == 0) columns = in_row;
    if (in_row != columns) fail("rows of different length");
    in_row = 0;
  };
  while (peek().text != "\\end") {
    entries.push_back(expression());
    ++in_row;
    if (entries.size() > kEntryLimit) throw MathLimit("a matrix of too many entries");
    if (accept("\\\\"))
      end_row();
    else if (!accept("&"))
      break;
  }
  if (in_row > 0) end_row();
  const LatexToken end = take();
  if (end.text != "\\end" || end.argument != name || columns == 0) fail("a broken matrix");
  const Expr result = matrix(std::move(entries), columns);
  return name == "vmatrix" ? determinant(result) : result;
}

}  // namespace umf
