// The formats that a schema may ask of strings, as an API server checks them. A format it does not know is ignored
// there, and here.
#pragma once

#include <string>
#include <string_view>

namespace drover::sim::crd {

// The format that is checked for this type: the given one, or "" when it means nothing there ("int32" of a string).
std::string_view effective_format(std::string_view type, std::string_view format);
// Does the text have this (effective) format?
bool has_format(std::string_view format, std::string_view text);

// What Kubernetes calls names, with its complaint; "" when fine.
std::string dns1035_label_complaint(std::string_view text);
std::string dns1123_subdomain_complaint(std::string_view text);

}  // namespace drover::sim::crd
