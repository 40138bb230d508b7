// What Kubernetes accepts as a name, a label, an annotation key; and what it says about the rest.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/object.h"
#include "sim/server/catalog.h"
#include "sim/server/rejections.h"

namespace drover::sim {

bool is_dns_label(std::string_view text);
bool is_dns_subdomain(std::string_view text);

// What is wrong with a name of this rule; nothing when it is fine.
std::vector<std::string> complaints_about_name(NameRule rule, std::string_view name);
// What is wrong with a label key (also: annotation key, finalizer, taint key).
std::vector<std::string> complaints_about_key(std::string_view key);
std::vector<std::string> complaints_about_label_value(std::string_view value);

// metadata.name and what stands beside it, as far as it is new compared with `old` (nullptr at creation).
void check_metadata(const ResourceRules& rules, const kube::Object& fresh, const kube::Object* old,
                    FieldErrors& errors);

// "object", "array", "string", "number", "bool": how kube's decoder calls what it did not expect.
std::string_view json_word(const json::Value& value);

// What is not a string where metadata must have strings, in the words of kube's decoder; "" when all is well.
std::string misfit_in_metadata(const kube::Object& object);

}  // namespace drover::sim
