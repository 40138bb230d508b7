#include "sim/controllers/controller.h"

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace drover::sim {

Controller::Controller(ControlPlane plane, std::string field_manager)
    : plane_(plane),
      field_manager_(std::move(field_manager)),
      queue_(
          plane.loop, [this](const std::string& key) { return look_at(key); },
          [&server = plane.server] { return server.store().version(); }) {}

// The store may hold any object. When one makes a controller throw, its key fails and the cluster goes on.
Done Controller::sync_guarded(const std::string& key) {
  try {
    return sync(key);
  } catch (const std::exception& surprise) {
    return std::unexpected(Rejection{500, "InternalError", surprise.what(), {}, {}});
  }
}

bool Controller::look_at(const std::string& key) {
  Done done = sync_guarded(key);
  if (done) return true;
  // A conflict is ordinary life; what else fails is worth a line, because a controller that fails for ever looks idle.
  if (!says(done.error(), "Conflict")) {
    log::debug("a controller failed and will try again",
               {{"controller", field_manager_}, {"key", key}, {"why", done.error().message}});
  }
  return false;
}

Controller::~Controller() {
  if (subscription_ >= 0) plane_.server.store().unsubscribe(subscription_);
}

void Controller::start() {
  const std::vector<std::string> interests = this->interests();
  std::vector<std::string> told = interests;
  if (told.empty()) {
    for (const kube::Resource& resource : plane_.server.resources()) told.push_back(resource.qualified());
  }
  for (const std::string& resource : told) {
    store().each(resource, "", [&](const Stored& object) {
      heard(Commit{Commit::Kind::Created, store().version(), resource, nullptr, object});
    });
  }
  subscription_ = plane_.server.store().subscribe([this, interests](const Commit& commit) {
    if (interests.empty() || std::ranges::find(interests, commit.resource) != interests.end()) heard(commit);
  });
}

Answer<Stored> Controller::ask(kube::Request request) const {
  request.field_manager = field_manager_;
  return plane_.server.serve(request);
}

Done Controller::ask_unless_gone(kube::Request request) const {
  auto answer = ask(std::move(request));
  if (answer || says(answer.error(), "NotFound")) return {};
  return std::unexpected(std::move(answer).error());
}

}  // namespace drover::sim
