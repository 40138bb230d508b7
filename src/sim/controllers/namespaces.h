// Namespaces: emptied when they end, given a "default" ServiceAccount while they are active; and Events that grow
// old.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "sim/controllers/controller.h"

namespace drover::sim {

// Deletes everything in a namespace that is being deleted, tells what still holds it, and lets it go when it is empty.
class NamespaceController final : public Controller {
 public:
  explicit NamespaceController(ControlPlane plane);

 protected:
  std::vector<std::string> interests() const override { return {}; }
  void heard(const Commit& commit) override;
  Done sync(const std::string& ns) override;

 private:
  // What is left after everything was asked to go.
  struct Rest {
    std::map<std::string, int> by_resource;  // "pods."
    std::map<std::string, int> by_finalizer;
  };
  std::expected<Rest, Rejection> delete_everything(const std::string& ns);
  Done tell(const Stored& ns, const Rest& rest);
};

// Gives each namespace the ServiceAccount "default".
class ServiceAccounts final : public Controller {
 public:
  explicit ServiceAccounts(ControlPlane plane);

 protected:
  std::vector<std::string> interests() const override { return {"namespaces", "serviceaccounts", "configmaps"}; }
  void heard(const Commit& commit) override;
  Done sync(const std::string& ns) override;

 private:
  Done publish_certificate(const std::string& ns);
};

// Removes Events an hour after their last change, as etcd's lease does.
class EventExpiry final : public Controller {
 public:
  explicit EventExpiry(ControlPlane plane);

 protected:
  std::vector<std::string> interests() const override { return {"events"}; }
  void heard(const Commit& commit) override;
  Done sync(const std::string& key) override;

 private:
  // There may be hundreds of thousands, and all live equally long: one line, the oldest in front.
  struct Age {
    base::Instant changed_at;
    std::int64_t version;
    std::string key;
  };
  std::deque<Age> ages_;
};

}  // namespace drover::sim
