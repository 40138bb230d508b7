#include "sim/kubelet_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace drover::sim {
namespace {

using base::Span;
using Kind = base::Fault::Kind;

constexpr std::string_view kLeaseNamespace = "kube-node-lease";
// There are thousands of nodes; the containers that fail over and over on one of them are few.
constexpr std::size_t kEventsRemembered = 8;

std::string ready_status(const kube::Object& node) {
  for (const auto& condition : json::array_at(node, {"status", "conditions"})) {
    if (json::text_at(condition, {"type"}) == "Ready") return std::string(json::text_at(condition, {"status"}));
  }
  return {};
}

json::Value condition(std::string_view type, bool holds, std::string_view reason, std::string_view message,
                      base::WallTime since, base::WallTime now) {
  json::Members one;
  one["type"] = type;
  one["status"] = holds ? "True" : "False";
  one["reason"] = reason;
  one["message"] = message;
  one["lastHeartbeatTime"] = base::rfc3339(now);
  one["lastTransitionTime"] = base::rfc3339(since);
  return one;
}

}  // namespace

NodeLife::NodeLife(KubeletShared& shared, const kube::Object& node)
    : context_{.shared = shared,
               .node = std::string(kube::name_of(node)),
               // The machine did not reboot because this process began.
               .host = SimHost(makeup_of(template_of(node, shared.plan.vendors)), shared.random,
                               std::string(json::text_at(node, {"status", "nodeInfo", "bootID"})))},
      uid_(kube::uid_of(node)),
      kind_(template_of(node, shared.plan.vendors)),
      has_capacity_(!json::members_at(node, {"status", "allocatable"}).empty()),
      order_(kube::annotation_of(node, kOrderAnnotation)),
      ready_since_(shared.loop.wall()) {
  if (shared.plan.events) {
    context_.recorder = std::make_unique<kube::EventRecorder>(
        shared.api, shared.loop, shared.random.fork(context_.node), "kubelet", context_.node, kEventsRemembered);
  }
  context_.host.on_module = [this](const std::string& module, const std::string& version, bool loaded) {
    context_.note(loaded ? "module-loaded" : "module-unloaded", {.node = {}},
                  {{"module", module}, {"version", version}});
    for (auto& [uid, pod] : pods_) pod->host_changed();
  };
  context_.host.on_kill = [this](const host::Holder& holder) {
    if (auto pod = pods_.find(holder.pod_uid); pod != pods_.end()) pod->second->process_killed(holder.pid);
  };
  // Later: the container that asked is still in the middle of its step.
  context_.host.on_reboot = [this] { boot_ = context_.loop().after(Span::zero(), [this] { reboot(); }); };
  context_.note("registered", {.node = {}}, {{"vendor", kind_.vendor}, {"boot", context_.host.boot_id()}});
  write_status();
  if (shared.plan.leases) {
    renew_lease();
    // Staggered, so that a thousand nodes do not renew in the same moment.
    lease_timer_ = context_.loop().after(
        Span(static_cast<Span::rep>(shared.random.below(static_cast<std::uint64_t>(shared.plan.lease_every.count())))),
        [this] { renew_lease(); });
  }
}

NodeLife::~NodeLife() {
  context_.host.on_module = nullptr;
  context_.host.on_kill = nullptr;
}

// ---- what the watch tells

void NodeLife::saw(const kube::Object& node) {
  const auto order = kube::annotation_of(node, kOrderAnnotation);
  if (order != order_) {
    order_ = order;
    if (!order_.empty()) obey(order);
  }
  // The node lifecycle controller gave us up (or a person wrote there): say again that we live.
  const bool disagrees = ready_status(node) != (is_settled_ ? "True" : "False");
  if (context_.is_up && disagrees && !is_writing_ && !status_wanted_ && !ready_status(node).empty()) write_status();
}

void NodeLife::obey(std::string_view order) {
  const auto verb = base::trim(order.substr(0, order.find('#')));
  context_.tell(fmt::format("{}: order \"{}\"", context_.node, base::one_line(order, 60)));
  if (verb == "reboot") return reboot();
  if (verb == "power-off") return power_off();
  if (verb == "power-on") return power_on();
  const bool clears = verb.starts_with("no-fault ");
  if (clears || verb.starts_with("fault ")) {
    const auto fault = parse_host_fault(base::trim(verb.substr(verb.find(' '))));
    if (fault) return context_.host.set_fault(*fault, !clears);
    return context_.tell(fmt::format("{}: {}", context_.node, fault.error().message));
  }
  context_.tell(fmt::format("{}: {} does not know \"{}\": reboot, power-off, power-on, fault NAME, no-fault NAME",
                            context_.node, kOrderAnnotation, base::one_line(verb, 60)));
}

void NodeLife::saw_pod(const kube::Object& pod) {
  const std::string uid(kube::uid_of(pod));
  if (!context_.is_up) {
    unseen_[uid] = pod;
    return;
  }
  if (auto known = pods_.find(uid); known != pods_.end()) return known->second->saw(pod);
  pods_[uid] = std::make_unique<PodLife>(context_, pod, [this, uid] {
    buried_.push_back(uid);
    bury_ = context_.loop().after(Span::zero(), [this] {
      for (const auto& one : std::exchange(buried_, {})) pods_.erase(one);
    });
  });
}

void NodeLife::pod_vanished(const std::string& uid) {
  unseen_.erase(uid);
  if (auto pod = pods_.find(uid); pod != pods_.end()) pod->second->vanished();
}

void NodeLife::keep_only(const std::function<bool(const std::string& uid)>& still_there) {
  std::erase_if(unseen_, [&](const auto& entry) { return !still_there(entry.first); });
  for (auto& [uid, pod] : pods_) {
    if (!still_there(uid)) pod->vanished();
  }
}

bool NodeLife::kill_container(std::string_view name) {
  return std::any_of(pods_.begin(), pods_.end(), [&](const auto& entry) { return entry.second->kill_container(name); });
}

int NodeLife::pods_ready() const {
  return static_cast<int>(
      std::count_if(pods_.begin(), pods_.end(), [](const auto& entry) { return entry.second->is_ready(); }));
}

// ---- power

void NodeLife::go_down(std::string_view why) {
  context_.note(why, {.node = {}}, {{"boot", context_.host.boot_id()}});
  context_.tell(fmt::format("{}: {}", context_.node, why));
  context_.is_up = false;
  is_settled_ = false;
  is_writing_ = status_wanted_ = false;
  writing_.cancel();
  leasing_.cancel();
  heartbeat_.cancel();
  lease_timer_.cancel();
  for (auto& [uid, pod] : pods_) pod->power_failed();
  context_.host.power_cycle();
}

void NodeLife::reboot() {
  if (!context_.is_up) return;
  go_down("reboot-began");
  boot_ = context_.loop().after(context_.about(context_.shared.plan.boot_takes), [this] { come_up(); });
}

void NodeLife::power_off() {
  if (!is_powered_) return;
  is_powered_ = false;
  boot_.cancel();
  if (context_.is_up) {
    go_down("lost");
  } else {
    context_.note("lost", {.node = {}});
  }
}

void NodeLife::power_on() {
  if (is_powered_) return;
  is_powered_ = true;
  boot_ = context_.loop().after(context_.about(context_.shared.plan.boot_takes), [this] { come_up(); });
}

void NodeLife::come_up() {
  context_.is_up = true;
  ready_since_ = context_.loop().wall();
  context_.note("booted", {.node = {}}, {{"boot", context_.host.boot_id()}});
  context_.tell(fmt::format("{}: booted as {}", context_.node, context_.host.boot_id()));
  if (context_.recorder) {
    context_.recorder->record(
        {kube::kNodes, "", context_.node, uid_, kube::Event::Type::Warning, "Rebooted",
         fmt::format("Node {} has been rebooted, boot id: {}", context_.node, context_.host.boot_id())});
  }
  write_status();
  if (context_.shared.plan.leases) renew_lease();
  boot_ = context_.loop().after(context_.about(context_.shared.plan.settle_takes), [this] { settled(); });
}

void NodeLife::settled() {
  is_settled_ = true;
  ready_since_ = context_.loop().wall();
  context_.note("node-ready", {.node = {}});
  write_status();
  for (auto& [uid, pod] : pods_) pod->powered_on();
  for (const auto& [uid, pod] : std::exchange(unseen_, {})) saw_pod(pod);
}

// ---- what the API server hears

json::Value NodeLife::status() {
  const auto now = context_.loop().wall();
  json::Members status;
  status["conditions"] = json::Array{
      condition("MemoryPressure", false, "KubeletHasSufficientMemory", "kubelet has sufficient memory available",
                ready_since_, now),
      condition("DiskPressure", false, "KubeletHasNoDiskPressure", "kubelet has no disk pressure", ready_since_, now),
      condition("PIDPressure", false, "KubeletHasSufficientPID", "kubelet has sufficient PID available", ready_since_,
                now),
      is_settled_ ? condition("Ready", true, "KubeletReady", "kubelet is posting ready status", ready_since_, now)
                  : condition("Ready", false, "KubeletNotReady", "container runtime is starting", ready_since_, now)};
  json::Members about;
  about["bootID"] = context_.host.boot_id();
  about["machineID"] = fmt::format("{:016x}", base::fnv1a(context_.node));
  about["systemUUID"] = fmt::format("{:016x}", base::fnv1a("system " + context_.node));
  about["kernelVersion"] = kind_.kernel;
  about["osImage"] = kind_.os_image;
  about["operatingSystem"] = "linux";
  about["architecture"] = kind_.architecture;
  about["containerRuntimeVersion"] = "sim://1.0";
  about["kubeletVersion"] = context_.shared.plan.kubelet_version;
  about["kubeProxyVersion"] = "";
  status["nodeInfo"] = std::move(about);
  status["addresses"] = json::Array{json::Members{{"type", "InternalIP"}, {"address", "127.0.0.1"}},
                                    json::Members{{"type", "Hostname"}, {"address", context_.node}}};
  if (!has_capacity_) {
    status["capacity"] = capacity_of(kind_);
    status["allocatable"] = capacity_of(kind_);
  }
  if (context_.shared.plan.log_port != 0) {
    status["daemonEndpoints"] =
        json::Members{{"kubeletEndpoint", json::Members{{"Port", context_.shared.plan.log_port}}}};
  }
  return json::Members{{"status", std::move(status)}};
}

void NodeLife::write_status() {
  if (!context_.is_up) return;
  if (is_writing_) {
    status_wanted_ = true;
    return;
  }
  is_writing_ = true;
  status_wanted_ = false;
  ++context_.shared.writes;
  auto request = kube::patch(kube::kNodes, "", context_.node, kube::PatchKind::Strategic, status(), "status");
  request.field_manager = "kubelet";
  request.projection = only_the_uid();
  writing_ = context_.shared.api.call(std::move(request),
                                      [this](base::Result<kube::Object> answer) { status_answered(answer); });
}

void NodeLife::status_answered(const base::Result<kube::Object>& answer) {
  is_writing_ = false;
  Span next = context_.about(context_.shared.plan.heartbeat_every);
  if (answer) {
    backoff_.reset();
    if (status_wanted_) return write_status();
  } else {
    ++context_.shared.failed_writes;
    if (answer.error().kind == Kind::NotFound) return;  // deleted; the watch says so too
    next = backoff_.next(context_.shared.random);
  }
  heartbeat_ = context_.loop().after(next, [this] { write_status(); });
}

void NodeLife::renew_lease() {
  if (!context_.is_up) return;
  lease_timer_ = context_.loop().after(context_.shared.plan.lease_every, [this] { renew_lease(); });
  ++context_.shared.writes;
  json::Value body = json::Members{{"spec", json::Members{{"renewTime", base::rfc3339_micro(context_.loop().wall())}}}};
  auto request =
      kube::patch(kube::kLeases, std::string(kLeaseNamespace), context_.node, kube::PatchKind::Merge, std::move(body));
  request.field_manager = "kubelet";
  request.projection = only_the_uid();
  leasing_ = context_.shared.api.call(std::move(request), [this](base::Result<kube::Object> answer) {
    if (!answer && answer.error().kind == Kind::NotFound) return create_lease();
    lease_answered(answer);
  });
}

void NodeLife::create_lease() {
  json::Members owner{{"apiVersion", "v1"}, {"kind", "Node"}, {"name", context_.node}, {"uid", uid_}};
  json::Members lease;
  lease["apiVersion"] = "coordination.k8s.io/v1";
  lease["kind"] = "Lease";
  lease["metadata"] = json::Members{
      {"name", context_.node}, {"namespace", kLeaseNamespace}, {"ownerReferences", json::Array{std::move(owner)}}};
  lease["spec"] = json::Members{{"holderIdentity", context_.node},
                                {"leaseDurationSeconds", 40},
                                {"renewTime", base::rfc3339_micro(context_.loop().wall())}};
  auto request = kube::create(kube::kLeases, std::string(kLeaseNamespace), std::move(lease));
  request.field_manager = "kubelet";
  request.projection = only_the_uid();
  leasing_ = context_.shared.api.call(std::move(request),
                                      [this](base::Result<kube::Object> answer) { lease_answered(answer); });
}

void NodeLife::lease_answered(const base::Result<kube::Object>& answer) {
  if (answer) return;
  ++context_.shared.failed_writes;
  context_.note("lease-failed", {.node = {}}, {{"why", answer.error().message}});
}

}  // namespace drover::sim
