// What text from a policy, or from a node's labels, may become part of: an image reference, a name, a path, a label.
//
// Whatever does not pass is named to the user and rendered nowhere. The rules are those of Kubernetes and of container
// registries where they have one, and narrower where a shell script of the vendor's image reads the text.
#pragma once

#include <string_view>

namespace drover::vendors {

// "550.54.15", "535", "550.90.07-rc1": begins with a letter or digit, then those and ._-, at most 64.
bool is_driver_version(std::string_view text);
// "sha256:" and 64 hexadecimal digits.
bool is_image_digest(std::string_view text);
// "registry.example:5000/nvidia": where images are, without an image.
bool is_image_repository(std::string_view text);
// "driver", "nvidia/driver": no tag, no digest.
bool is_image_name(std::string_view text);
// A whole reference with tag or digest, at most 512 bytes.
bool is_image_reference(std::string_view text);
// What a node says of its system ("ubuntu", "22.04", "6.8.0-90-generic"): as a version.
bool is_system_word(std::string_view text);

bool is_env_name(std::string_view text);
// Tabs and ends of line are the only control characters, and at most 32 KiB.
bool is_env_value(std::string_view text);
// One line without control characters, at most 1 KiB.
bool is_argument(std::string_view text);
// An absolute path without "..", "//" and anything but letters, digits and ._/-.
bool is_host_path(std::string_view text);
// DNS subdomain: the name of a Secret, a PriorityClass, …
bool is_object_name(std::string_view text);
bool is_label_key(std::string_view text);
bool is_label_value(std::string_view text);
// "4", "500m", "1.5Gi".
bool is_quantity(std::string_view text);

}  // namespace drover::vendors
