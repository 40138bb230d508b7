// `drover migrate` at work: looks at a node, does the next deed (cli/migration_step.h), and looks again, one node after
// the other, until each is over or one goes wrong.
//
// It polls: a migration is minutes of a person's time, and a watch would be one more thing that can break. It knows no
// terminal: what there is to say goes through `say`.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/loop.h"
#include "base/selector.h"
#include "cli/list_batch.h"
#include "kube/api.h"
#include "vendors/tenstorrent/cli/migration_step.h"
#include "vendors/work_profile.h"

namespace drover::cli {

struct MigrationSettings {
  MigrationTerms terms = {};
  bool is_dry_run = false;
  std::string ns = {};       // where the pods that do the work are made
  std::string image = {};    // of these pods; "": that of the policy's builder
  base::Selector also = {};  // pods that leave although nothing in them names the device
};

class Migration {
 public:
  using Say = std::function<void(const std::string& node, std::string_view line)>;
  using Done = std::function<void(base::Result<void>)>;

  Migration(kube::Api& api, base::Loop& loop, const vendors::WorkProfile& profile, MigrationSettings settings,
            std::vector<std::string> nodes, Say say);
  ~Migration();
  Migration(const Migration&) = delete;
  Migration& operator=(const Migration&) = delete;

  // `done` is called once: when every node is where it should be, or with the first that is not.
  void begin(Done done);

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

// The pod that runs `drover agent vacate` or `drover agent hand-back` on the node.
kube::Object migration_pod(const std::string& node, Direction direction, const std::string& ns,
                           const std::string& image);

}  // namespace drover::cli
