// Which script a container follows: a table from images (and container names) to scripts.
//
// The most exact word wins: an annotation of the pod, then the table (first row that fits), then what its command line
// says, then the usual behaviour (services run on; work that ends by itself takes `task`). The rows for the vendors'
// images do what those images do to the host: load a module of the version that the tag or an environment variable
// names, unload it on the way out or not, validate. Pure text: nothing here runs.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "sim/script.h"
#include "sim/vendor.h"

namespace drover::sim {

// What the table is asked about.
struct Invocation {
  std::string image;
  std::string container;
  std::vector<std::string> argv = {};                         // command and args
  std::vector<std::pair<std::string, std::string>> env = {};  // later ones win
  std::string annotated = {};                                 // the pod's own script for this container, or ""
  bool ends_by_itself = false;  // an init container, or a pod that is not always restarted
};

// The tag of an image ("latest" when it has none; a digest is not a tag).
std::string_view tag_of(std::string_view image);
// The tag up to its first "-": vendors add kernel and distribution to the driver's version.
std::string_view version_in_tag(std::string_view image);
// "*" stands for any characters.
bool fits(std::string_view pattern, std::string_view text);

class ImageTable {
 public:
  // The empty table: commands and usual behaviour only.
  ImageTable() = default;
  // With the vendors' images.
  static ImageTable with_vendors(SimVendors vendors = all());

  // A row before all others. Patterns are globs; "" as container means any.
  Result<void> prefer(std::string_view image, std::string_view container, std::string_view script);
  // Rows from text, one a line: "IMAGE [CONTAINER] : SCRIPT"; the first line wins over later ones. "#" begins a
  // comment.
  Result<void> read(std::string_view text);

  // The script with $VERSION, $TAG, $IMAGE and the container's environment filled in. A garbled annotation is a Refused
  // fault.
  Result<Script> script_for(const Invocation& invocation) const;

 private:
  struct Row {
    std::string image;
    std::string container;
    Script script;
  };
  std::vector<Row> rows_;
};

}  // namespace drover::sim
