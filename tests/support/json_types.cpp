#include "tests/support/json_types.h"

#include <limits>

namespace strata::test {
namespace {

using nlohmann::json;

void collect(const json& value, const json::json_pointer& at,
             std::vector<json::json_pointer>& places) {
  places.push_back(at);
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) collect(member, at / key, places);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) collect(value[i], at / i, places);
  }
}

const std::vector<json>& replacements() {
  static const std::vector<json> all{nullptr,
                                     true,
                                     5,
                                     -5,
                                     0.5,
                                     std::numeric_limits<std::uint64_t>::max(),
                                     "",
                                     "text",
                                     json::array(),
                                     json::array({json::array({1, "a"}), nullptr}),
                                     json::object(),
                                     json{{"schema", "x"}, {"kind", 1}}};
  return all;
}

}  // namespace

void forOtherTypes(const json& document,
                   const std::function<void(const json&, const std::string&)>& each) {
  std::vector<json::json_pointer> places;
  collect(document, json::json_pointer(), places);
  for (const json::json_pointer& place : places) {
    for (const json& other : replacements()) {
      json changed = document;
      changed[place] = other;
      each(changed, place.to_string() + " = " + other.dump());
    }
    if (place.empty()) continue;
    json changed = document;
    json& parent = changed[place.parent_pointer()];
    if (parent.is_object()) {
      parent.erase(place.back());
    } else {
      parent.erase(std::stoul(place.back()));
    }
    each(changed, place.to_string() + " is missing");
  }
}

}  // namespace strata::test
