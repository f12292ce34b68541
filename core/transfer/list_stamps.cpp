#include "core/transfer/list_stamps.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/transfer/list_stamps_json.h"

namespace strata {

using Json = nlohmann::json;

std::vector<ListStamp> joinStamps(std::vector<ListStamp> one, const std::vector<ListStamp>& other) {
  one.insert(one.end(), other.begin(), other.end());
  const auto isNewer = [](const ListStamp& a, const ListStamp& b) {
    return a.number != b.number ? a.number > b.number : a.check < b.check;
  };
  std::sort(one.begin(), one.end(), isNewer);
  one.erase(std::unique(one.begin(), one.end()), one.end());
  one.resize(std::min(one.size(), kMaxBefore));
  return one;
}

Json stampsJson(const std::vector<ListStamp>& stamps) {
  Json list = Json::array();
  for (const ListStamp& stamp : stamps) list.push_back(Json::array({stamp.number, stamp.check}));
  return list;
}

std::optional<std::vector<ListStamp>> stampsOf(const Json& list, std::uint64_t number) {
  std::vector<ListStamp> stamps;
  if (!list.is_array() || list.size() > kMaxBefore) return std::nullopt;
  std::uint64_t last = number > 0 ? number - 1 : ~std::uint64_t{0};
  for (const Json& word : list) {
    const bool isStamp = word.is_array() && word.size() == 2 && word[0].is_number_unsigned() &&
                         word[0] > 0 && word[0] <= last && word[1].is_string();
    if (!isStamp) return std::nullopt;
    ListStamp stamp{word[0].get<std::uint64_t>(), word[1].get<std::string>()};
    if (stamp.check.size() != kStampDigits) return std::nullopt;
    last = stamp.number;
    stamps.push_back(std::move(stamp));
  }
  return stamps;
}

}  // namespace strata
