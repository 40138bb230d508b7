#include "kube/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/text.h"

namespace drover::kube {

namespace {

Amounts container_requests(const json::Value& container) {
  Amounts amounts = amounts_in(json::members_at(container, {"resources", "limits"}));
  for (auto& [name, amount] : amounts_in(json::members_at(container, {"resources", "requests"})))
    amounts[name] = amount;
  return amounts;
}

}  // namespace

std::optional<std::int64_t> milli_quantity(std::string_view text) {
  static const std::map<std::string_view, double> kUnits = {
      {"n", 1e-9},    {"u", 1e-6},    {"m", 1e-3},    {"", 1},        {"k", 1e3},     {"M", 1e6},
      {"G", 1e9},     {"T", 1e12},    {"P", 1e15},    {"E", 1e18},    {"Ki", 0x1p10}, {"Mi", 0x1p20},
      {"Gi", 0x1p30}, {"Ti", 0x1p40}, {"Pi", 0x1p50}, {"Ei", 0x1p60},
  };
  std::size_t end = 0;
  while (end < text.size() && (std::string_view("+-.0123456789").find(text[end]) != std::string_view::npos)) ++end;
  const std::string number(text.substr(0, end));
  std::string_view unit = text.substr(end);
  double scale = 1;
  if (auto known = kUnits.find(unit); known != kUnits.end()) {
    scale = known->second;
  } else if (unit.starts_with('e') || unit.starts_with('E')) {
    auto power = base::parse_int(unit.substr(1));
    if (!power || *power < -18 || *power > 18) return std::nullopt;
    scale = std::pow(10.0, static_cast<double>(*power));
  } else {
    return std::nullopt;
  }
  if (number.empty()) return std::nullopt;
  char* stopped = nullptr;
  const double value = std::strtod(number.c_str(), &stopped);
  if (stopped != number.c_str() + number.size()) return std::nullopt;
  const double milli = std::ceil(value * scale * 1000 - 1e-6);
  constexpr double kMost = 9.2e18;
  return static_cast<std::int64_t>(std::clamp(milli, -kMost, kMost));
}

std::optional<std::int64_t> milli_quantity_of(const json::Value& value) {
  if (value.is_string()) return milli_quantity(std::string_view(value.get_string()));
  if (value.is_int64()) return milli_quantity(fmt::format("{}", value.get_int64()));
  if (value.is_double()) return milli_quantity(fmt::format("{}", value.get_double()));
  return std::nullopt;
}

std::int64_t sum_of(std::int64_t a, std::int64_t b) {
  using Limits = std::numeric_limits<std::int64_t>;
  if (b > 0 && a > Limits::max() - b) return Limits::max();
  if (b < 0 && a < -Limits::max() - b) return -Limits::max();  // so that it can be subtracted again
  return a + b;
}

Amounts amounts_in(const json::Members& list) {
  Amounts amounts;
  for (const auto& entry : list) {
    if (auto amount = milli_quantity_of(entry.value())) amounts[std::string(entry.key())] = *amount;
  }
  return amounts;
}

void add(Amounts& to, const Amounts& amounts, int sign) {
  for (const auto& [name, amount] : amounts) to[name] = sum_of(to[name], sign * amount);
}

Amounts requests_of(const Object& pod) {
  const json::Value* spec = json::find(pod, {"spec"});
  return spec == nullptr ? Amounts{} : requests_in(*spec);
}

Amounts requests_in(const json::Value& pod_spec) {
  Amounts total;
  for (const json::Value& container : json::array_at(pod_spec, {"containers"}))
    add(total, container_requests(container));
  Amounts peak;
  Amounts sidecars;
  for (const json::Value& container : json::array_at(pod_spec, {"initContainers"})) {
    Amounts requests = container_requests(container);
    if (json::text_at(container, {"restartPolicy"}) == "Always") {
      add(sidecars, requests);
      continue;
    }
    add(requests, sidecars);
    for (const auto& [name, amount] : requests) peak[name] = std::max(peak[name], amount);
  }
  add(total, sidecars);
  for (const auto& [name, amount] : peak) total[name] = std::max(total[name], amount);
  add(total, amounts_in(json::members_at(pod_spec, {"overhead"})));
  return total;
}

}  // namespace drover::kube
