// Makes the Nodes of a simulated fleet on an API server, and takes them away again.
//
// Idempotent: a node that is there already is taken as it is when it is labelled as simulated, and is a fault when it
// is not (a real machine of that name must never be played by us). A few requests at a time; what the network loses is
// tried again.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/loop.h"
#include "base/random.h"
#include "base/result.h"
#include "kube/api.h"

namespace drover::sim {

class NodeRegistration {
 public:
  struct Count {
    int made = 0;
    int found = 0;
  };
  NodeRegistration(kube::Api& api, base::Loop& loop, base::Random random);
  ~NodeRegistration();
  NodeRegistration(const NodeRegistration&) = delete;
  NodeRegistration& operator=(const NodeRegistration&) = delete;

  // `done` once, later: when all are there, or with the first fault that trying again cannot mend.
  void enrol(std::vector<kube::Object> nodes, std::function<void(base::Result<Count>)> done);
  // Deletes nodes by name; those that are gone already count as done. `done` gets how many are gone.
  void dismiss(std::vector<std::string> names, std::function<void(base::Result<int>)> done);

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace drover::sim
