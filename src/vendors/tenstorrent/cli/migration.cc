#include "vendors/tenstorrent/cli/migration.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "observe/pod_facts.h"
#include "observe/ranges.h"
#include "observe/resource_claims.h"
#include "vendors/tenstorrent/driver_policy.h"
#include "vendors/tenstorrent/words.h"

namespace drover::cli {
namespace {

using base::Fault;
using json::Array;
using json::Members;

constexpr base::Span kLookAgain = std::chrono::seconds(2);
constexpr std::size_t kMostSaidBytes = 400;

std::string pod_name(const std::string& node) { return fmt::format("drover-migrate-{:016x}", base::fnv1a(node)); }

HelperView helper_view(const kube::Object& pod) {
  HelperView helper{.state = HelperView::State::UnderWay, .uid = std::string(kube::uid_of(pod))};
  helper.is_going = kube::is_being_deleted(pod);
  const std::string_view phase = json::text_at(pod, {"status", "phase"});
  if (phase == "Succeeded") helper.state = HelperView::State::Succeeded;
  for (const json::Value& status : json::array_at(pod, {"status", "containerStatuses"})) {
    const std::string_view waits = json::text_at(status, {"state", "waiting", "message"});
    const std::string_view ended = json::text_at(status, {"state", "terminated", "message"});
    helper.said = base::one_line(base::trim(ended.empty() ? waits : ended), kMostSaidBytes);
  }
  if (phase != "Failed") return helper;
  helper.state = HelperView::State::Failed;
  if (helper.said.empty()) helper.said = "its pod failed: " + std::string(json::text_at(pod, {"status", "message"}));
  return helper;
}

// Of the container that builds and loads the driver; "" where there is none.
std::string_view builder_image(const kube::Object& object, json::Path pod) {
  const json::Value* spec = json::find(object, pod);
  if (spec == nullptr) return {};
  for (const json::Value& container : json::array_at(*spec, {"containers"})) {
    if (json::text_at(container, {"name"}) == "builder") return json::text_at(container, {"image"});
  }
  return {};
}

vendors::LabelsOf labels_of(const kube::Object& node) {
  return [&node](std::string_view key) { return kube::label_of(node, key); };
}

// Whether trying again may help.
bool passes(const Fault& fault) {
  switch (fault.kind) {
    case Fault::Kind::Refused:
    case Fault::Kind::Forbidden:
    case Fault::Kind::Malformed: return false;
    default: return true;
  }
}

}  // namespace

kube::Object migration_pod(const std::string& node, Direction direction, const std::string& ns,
                           const std::string& image) {
  const std::string operation = direction == Direction::ToOperator ? "vacate" : "hand-back";
  Members container = {{"name", operation},
                       {"image", image},
                       {"command", Array{"drover"}},
                       {"args", Array{"agent", operation, "--root", "/host"}},
                       {"securityContext", Members{{"privileged", true}}},
                       {"terminationMessagePolicy", "FallbackToLogsOnError"},
                       {"volumeMounts", Array{Members{{"name", "host"}, {"mountPath", "/host"}}}}};
  // Named for its node, not scheduled to it: it goes to a cordoned node, and to no other.
  Members spec = {{"nodeName", node},
                  {"restartPolicy", "Never"},
                  {"hostPID", true},
                  {"automountServiceAccountToken", false},
                  {"tolerations", Array{Members{{"operator", "Exists"}}}},
                  {"containers", Array{std::move(container)}},
                  {"volumes", Array{Members{{"name", "host"}, {"hostPath", Members{{"path", "/"}}}}}}};
  return Members{{"apiVersion", "v1"},
                 {"kind", "Pod"},
                 {"metadata", Members{{"name", pod_name(node)},
                                      {"namespace", ns},
                                      {"labels", Members{{"app.kubernetes.io/name", "drover-migrate"}}}}},
                 {"spec", std::move(spec)}};
}

struct Migration::Body {
  Body(kube::Api& its_api, base::Loop& its_loop, const vendors::WorkProfile& its_profile,
       MigrationSettings its_settings, std::vector<std::string> its_nodes, Say its_say)
      : api(its_api),
        loop(its_loop),
        profile(its_profile),
        settings(std::move(its_settings)),
        nodes(std::move(its_nodes)),
        say(std::move(its_say)) {}

  kube::Api& api;
  base::Loop& loop;
  const vendors::WorkProfile& profile;
  MigrationSettings settings;
  std::vector<std::string> nodes;
  Say say;
  Done done = {};

  std::size_t at = 0;
  base::Instant turned_at = {};
  std::string said = {};
  std::string made = {};                         // uid of the pod that this run made for the node
  std::map<std::string, std::string> held = {};  // by pod's uid: why it was not evicted
  MigrationView view = {};
  std::string image = {};
  std::unique_ptr<ListBatch> rounds = {};
  std::vector<kube::Call> calls = {};
  std::size_t awaited = 0;
  base::Timer again = {};

  const std::string& node() const { return nodes[at]; }

  void turn() {
    if (at == nodes.size()) return finish({});
    turned_at = loop.now();
    said.clear();
    made.clear();
    held.clear();
    look();
  }

  void finish(base::Result<void> outcome) {
    if (!outcome) outcome = base::with_context(std::move(outcome).error(), node());
    again = loop.after(base::Span::zero(), [this, outcome = std::move(outcome)] {
      const Done tell = std::exchange(done, nullptr);
      if (tell) tell(outcome);
    });
  }

  void look() {
    view = {.node = node(), .spent = loop.now() - turned_at};
    image = settings.image;
    rounds = std::make_unique<ListBatch>(api);
    rounds->begin([this](const base::Result<void>& outcome) {
      again = loop.after(base::Span::zero(), [this, outcome] { looked(outcome); });
    });
    rounds->list({kube::kNodes, "", "", "metadata.name=" + node()}, {},
                 [this](const kube::Object& object) { see_node(object); });
    rounds->then([this] {
      rounds->list({kube::kPods, "", "", "spec.nodeName=" + node()}, {},
                   [this](const kube::Object& object) { see_pod(object); });
      rounds->list(
          {observe::policy_kind_of(profile), "", "", ""}, {},
          [this](const kube::Object& object) { see_policy(object); }, [] {});
      rounds->list({kube::kDaemonSets, settings.ns, "", ""}, {},
                   [this](const kube::Object& object) { see_builder(object); });
      rounds->then([this] { rounds->finish({}); });
    });
  }

  void see_node(const kube::Object& object) {
    seen_node = object;
    view.is_there = true;
    view.version = kube::version_of(object);
    view.install_mode = kube::label_of(object, vendors::kInstallModeLabel);
    view.kmd_version = kube::label_of(object, vendors::kKmdVersionLabel);
    view.is_skipped = kube::label_of(object, vendors::kTenstorrentSkipLabel) == "true";
    view.is_cordoned = json::flag_at(object, {"spec", "unschedulable"});
    view.mark = kube::annotation_of(object, kMigrationAnnotation);
  }

  void see_pod(const kube::Object& object) {
    if (kube::namespace_of(object) == settings.ns && kube::name_of(object) == pod_name(node())) {
      view.helper = helper_view(object);
      view.helper_is_ours = !made.empty() && view.helper.uid == made;
      return;
    }
    const observe::PodFacts facts = observe::pod_facts(object, profile);
    if (facts.ns == settings.ns && facts.is_daemon && !builder_image(object, {"spec"}).empty()) {
      view.builder_is_there = true;
    }
    if (facts.is_finished || facts.is_mirror || facts.is_daemon) return;
    const bool is_named = !settings.also.selects_everything() && settings.also.matches(kube::labels_of(object));
    if (!is_named && !observe::uses_device(facts, nullptr)) return;
    const auto refused = held.find(facts.uid);
    view.pods.push_back({.ns = facts.ns.str(),
                         .name = facts.name,
                         .uid = facts.uid,
                         .is_going = facts.is_going,
                         .has_local_data = facts.has_local_data,
                         .is_bare = facts.owner.empty(),
                         .held_by = refused == held.end() ? std::string() : refused->second});
  }

  void see_policy(const kube::Object& object) {
    const vendors::DriverPolicyReading reading = vendors::read_driver_policy(object);
    if (!view.is_there || !reading.can_be_rendered || !reading.selects(labels_of(seen_node))) return;
    const core::Policy& policy = reading.upgrade.policy;
    view.policy = PolicyView{.name = policy.name, .version = reading.version, .is_paused = !policy.is_on};
  }

  // The image that is on its nodes already; read again at every look, and used once.
  void see_builder(const kube::Object& object) {
    const std::string_view found = builder_image(object, {"spec", "template", "spec"});
    if (settings.image.empty() && !found.empty()) image = found;
  }

  void looked(const base::Result<void>& outcome) {
    if (!outcome && !passes(outcome.error())) return finish(outcome);
    if (!outcome) return later(outcome.error().message);
    if (settings.is_dry_run) {
      for (const std::string& line : migration_preview(view, settings.terms)) say(node(), line);
      ++at;
      return turn();
    }
    act(next_deed(view, settings.terms));
  }

  void later(std::string_view why) {
    tell(why);
    again = loop.after(kLookAgain, [this] { look(); });
  }
  // Each thing once.
  void tell(std::string_view line) {
    if (line == said) return;
    said = line;
    say(node(), line);
  }

  void act(const NextDeed& next) {
    if (next.operation != Operation::Refuse && next.operation != Operation::Fail) tell(next.text);
    switch (next.operation) {
      case Operation::Refuse:
      case Operation::Fail: return finish(base::fault(Fault::Kind::Refused, next.text));
      case Operation::Done: ++at; return turn();
      case Operation::Wait: return later(next.text);
      case Operation::Evict: return evict();
      case Operation::StartHelper: return start_helper();
      case Operation::RemoveHelper:
        return ask({kube::remove(kube::kPods, settings.ns, pod_name(node()), view.helper.uid)});
      case Operation::Skip: return ask({labels(Members{{vendors::kTenstorrentSkipLabel, "true"}})});
      case Operation::SayHost: return ask({says_host()});
      case Operation::Cordon: return ask({marked(view.is_cordoned ? kWasCordoned : kWasOpen, true)});
      case Operation::Release: return ask({marked({}, view.mark == kWasOpen ? false : view.is_cordoned)});
    }
  }

  kube::Request labels(Members changes) const {
    return kube::patch(kube::kNodes, "", node(), kube::PatchKind::Merge,
                       Members{{"metadata", Members{{"labels", std::move(changes)}}}});
  }
  // Which version the host has is not known here, and no agent of ours is left that would correct what ours said.
  kube::Request says_host() const {
    return labels(Members{{vendors::kInstallModeLabel, vendors::kHostMode}, {vendors::kKmdVersionLabel, nullptr}});
  }
  // Guarded by the version that was looked at: a person who cordons meanwhile is not overruled.
  kube::Request marked(std::string_view mark, bool is_cordoned) const {
    const json::Value text = mark.empty() ? json::Value() : json::Value(mark);
    const json::Value cordon = is_cordoned ? json::Value(true) : json::Value();
    return kube::patch(kube::kNodes, "", node(), kube::PatchKind::Merge,
                       Members{{"metadata", Members{{"resourceVersion", view.version},
                                                    {"annotations", Members{{kMigrationAnnotation, text}}}}},
                               {"spec", Members{{"unschedulable", cordon}}}});
  }

  void evict() {
    std::vector<kube::Request> requests;
    for (const LeavingPod& pod : view.pods) {
      if (!pod.is_going) requests.push_back(kube::evict(pod.ns, pod.name, pod.uid));
    }
    ask(std::move(requests));
  }

  void start_helper() {
    if (image.empty()) {
      return finish(base::fault(Fault::Kind::Refused,
                                fmt::format("no builder of a policy is in namespace {}, so its image is not known; it "
                                            "stays cordoned: name the image with --image and run this again",
                                            settings.ns)));
    }
    ask({kube::create(kube::kPods, settings.ns, migration_pod(node(), settings.terms.direction, settings.ns, image))});
  }

  // All at once; when every answer has come, we look again.
  void ask(std::vector<kube::Request> requests) {
    calls.clear();
    awaited = requests.size();
    for (kube::Request& request : requests) {
      const bool makes_pod = request.verb == kube::Verb::Create && request.subresource.empty();
      const std::string uid = request.subresource == "eviction" ? evicted_uid(request) : std::string();
      calls.push_back(api.call(std::move(request), [this, makes_pod, uid](const kube::Result<kube::Object>& answer) {
        answered(answer, makes_pod, uid);
      }));
    }
  }

  std::string evicted_uid(const kube::Request& request) const {
    const auto pod = std::find_if(view.pods.begin(), view.pods.end(), [&](const LeavingPod& one) {
      return one.ns == request.ns && one.name == request.name;
    });
    return pod == view.pods.end() ? std::string() : pod->uid;
  }

  void answered(const kube::Result<kube::Object>& answer, bool makes_pod, const std::string& uid) {
    if (answer && makes_pod) made = kube::uid_of(*answer);
    if (!uid.empty()) {
      held.erase(uid);
      if (!answer && answer.error().kind != Fault::Kind::NotFound) held[uid] = base::one_line(answer.error().message);
    } else if (!answer && !passes(answer.error())) {
      return finish(std::unexpected(answer.error()));
    }
    if (--awaited == 0) again = loop.after(kLookAgain, [this] { look(); });
  }

  kube::Object seen_node = {};
};

Migration::Migration(kube::Api& api, base::Loop& loop, const vendors::WorkProfile& profile, MigrationSettings settings,
                     std::vector<std::string> nodes, Say say)
    : body_(std::make_unique<Body>(api, loop, profile, std::move(settings), std::move(nodes), std::move(say))) {}

Migration::~Migration() = default;

void Migration::begin(Done done) {
  body_->done = std::move(done);
  body_->turn();
}

}  // namespace drover::cli
