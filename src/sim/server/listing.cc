// All pages of a list show the state of the first one's moment: later pages take what has changed since from the
// history. When history does not reach back so far, the list must begin again (410).
#include "sim/server/listing.h"

#include <fmt/format.h>

#include <limits>
#include <map>

#include "base/text.h"
#include "sim/server/rejections.h"

namespace drover::sim {
namespace {

// What a continue token says: the moment of the first page and the last key that was sent.
struct ContinueMark {
  std::uint64_t version = 0;
  std::string key;
};

std::string token_of(const ContinueMark& mark) {
  const json::Value value = {{"v", "meta.k8s.io/v1"}, {"rv", mark.version}, {"start", mark.key}};
  return base::base64_encode(json::text_of(value));
}

Answer<ContinueMark> mark_of(const std::string& token) {
  const auto text = base::base64_decode(token);
  if (!text) return bad_request("invalid continue token: continue key is not valid: illegal base64 data");
  const auto value = json::parse(*text);
  if (!value || json::text_at(*value, {"v"}) != "meta.k8s.io/v1") {
    return bad_request("invalid continue token: continue key is not valid: the token is not one of this server");
  }
  const std::int64_t version = json::int_at(*value, {"rv"});
  if (version <= 0)
    return bad_request("continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  return ContinueMark{static_cast<std::uint64_t>(version), std::string(json::text_at(*value, {"start"}))};
}

// Visits the objects after `key` as they were at `version`, in key order, until `visit` returns false.
void visit_then(const Store& store, std::string_view shelf, const std::string& ns, const ContinueMark& mark,
                const std::function<bool(const std::string& key, const Kept&)>& visit) {
  const std::map<std::string, Kept> then = store.before(shelf, mark.version);
  const std::string prefix = ns.empty() ? std::string() : ns + "/";
  auto gone = then.upper_bound(mark.key);
  bool wanted = true;
  const auto show_gone_before = [&](const std::string* key) {
    for (; wanted && gone != then.end() && (key == nullptr || gone->first < *key); ++gone) {
      if (gone->second && gone->first.starts_with(prefix)) wanted = visit(gone->first, gone->second);
    }
  };
  store.each_after(shelf, ns, mark.key, [&](const std::string& key, const Kept& object) {
    show_gone_before(&key);
    if (!wanted) return false;
    const bool has_changed = gone != then.end() && gone->first == key;
    const Kept& earlier = has_changed ? gone->second : object;
    if (earlier) wanted = visit(key, earlier);
    if (has_changed) ++gone;
    return wanted;
  });
  show_gone_before(nullptr);
}

Answer<void> check_version_asked(const Store& store, const std::string& resource_version) {
  if (resource_version.empty()) return {};
  const auto asked = base::parse_int(resource_version);
  if (!asked || *asked < 0) {
    return bad_request(fmt::format(
        "invalid resource version: resourceVersion: Invalid value: {}: strconv.ParseUint: parsing {}: invalid syntax",
        quoted(resource_version), quoted(resource_version)));
  }
  if (static_cast<std::uint64_t>(*asked) <= store.version()) return {};
  json::Members details;
  details["retryAfterSeconds"] = 1;
  details["causes"] =
      json::Array{json::Value{{"reason", "ResourceVersionTooLarge"}, {"message", "Too large resource version"}}};
  Rejection rejection{504, "Timeout",
                      fmt::format("Timeout: Too large resource version: {}, current: {}", *asked, store.version()),
                      std::move(details)};
  rejection.retry_after = std::chrono::seconds(1);
  return Refusal(std::move(rejection));
}

constexpr std::string_view kTooOldToGoOn =
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without "
    "the "
    "continue parameter, or use the continue token in this response to retrieve the remainder of the results. "
    "Continuing with "
    "the provided token results in an inconsistent list - objects that were created, modified, or deleted between the "
    "time the "
    "first chunk was returned and now may show up in the list.";

}  // namespace

Answer<ListPage> list_page(const Store& store, const ResourceRules& rules, const Filter& filter, int limit,
                           const std::string& continue_token, const std::string& resource_version) {
  ContinueMark mark{store.version(), {}};
  if (!continue_token.empty()) {
    if (!resource_version.empty() && resource_version != "0") {
      return bad_request("specifying resource version is not allowed when using continue");
    }
    TRY(mark, mark_of(continue_token));
    if (mark.version < store.oldest_replayable()) return expired(std::string(kTooOldToGoOn));
  } else {
    TRY_VOID(check_version_asked(store, resource_version));
  }

  ListPage page;
  page.resource_version = std::to_string(mark.version);
  const std::size_t most = limit > 0 ? static_cast<std::size_t>(limit) : std::numeric_limits<std::size_t>::max();
  const std::string ns = rules.resource.scope == kube::Scope::Namespaced ? filter.range().ns : std::string();
  // The walk below keeps to the namespace; what else is asked for must be looked for in the objects.
  const bool must_look = filter.selects_by_content() || filter.range().ns != ns;
  ContinueMark last{mark.version, mark.key};
  bool more = false;
  const auto take = [&](const std::string& key, const Kept& kept) {
    // Pages are made of keys: whether what follows a full one would be shown is not looked at.
    if (page.items.size() == most) {
      more = true;
      if (!filter.selects_by_content()) ++page.remaining;
      return !filter.selects_by_content();  // counting on, where the server counts
    }
    if (must_look && !filter.matches(*kept.open())) return true;
    page.items.push_back(kept);
    last.key = key;
    return true;
  };
  if (continue_token.empty()) {
    store.each_after(rules.shelf, ns, {}, take);
  } else {
    visit_then(store, rules.shelf, ns, mark, take);
  }
  if (more) page.continue_token = token_of(last);
  return page;
}

}  // namespace drover::sim
