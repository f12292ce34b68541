#include "core/transfer/model_index.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace strata {
namespace {

std::string lowered(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

}  // namespace

bool holdsWords(const std::string& text, const std::string& query) {
  const std::string whole = lowered(text);
  std::istringstream words(lowered(query));
  for (std::string word; words >> word;) {
    if (whole.find(word) == std::string::npos) return false;
  }
  return true;
}

}  // namespace strata
