#include "vendors/nvidia/agent/manager_step.h"

#include <fmt/format.h>

#include "base/text.h"
#include "vendors/nvidia/words.h"

namespace drover::agent {
namespace {

using protocol::AgentRequest;
using protocol::Order;
using ManagerDo = ManagerStep::Do;

constexpr base::Span kOperandPatience = std::chrono::minutes(5);  // as the vendor's own manager has
constexpr base::Span kBusyPatience = std::chrono::minutes(5);
constexpr base::Span kServerPatience = std::chrono::minutes(1);
constexpr base::Span kMarkPatience = std::chrono::minutes(1);

// The first answer of the flow that fits is the step.
class ManagerWalk {
 public:
  ManagerWalk(const ManagerSettings& settings, const Sight& sight, ManagerMemory& memory)
      : settings_(settings), sight_(sight), memory_(memory), node_(sight.node.value_or(NodeSight{})) {
    if (!memory_.began) memory_.began = sight.now;
  }

  ManagerStep next() {
    const bool waited = sight_.now - *memory_.began >= kServerPatience;
    if (memory_.is_ending) return leave(1, "asked to end before the driver could be changed");
    if (!sight_.node && !(waited && needs_no_eviction()))
      return wait(AgentRequest::Nothing, "waiting for the API server");
    if (sight_.has_host_driver) return leave_to_the_host();
    if (sight_.loaded.empty()) return leave(0, "no NVIDIA module is loaded: the driver can be installed");
    if (is_the_wanted_one()) return leave(0, "the wanted driver is loaded already: it stays");
    if (!sight_.can_unload) {
      return leave(
          1, "this kernel cannot unload modules: cordon and drain the node and reboot it, then the new driver loads");
    }
    return node_.is_managed ? ask_to_load() : free_the_device();
  }

 private:
  // ---- what holds

  bool is_the_wanted_one() const {
    return !settings_.reinstalls && !settings_.digest.empty() && sight_.stored_digest == settings_.digest;
  }
  // Neither permission nor evictions: a machine that has just booted gets its driver with the server away.
  bool needs_no_eviction() const { return !sight_.has_host_driver && (sight_.loaded.empty() || is_the_wanted_one()); }
  std::string ask_id() const { return node_.claim.empty() ? settings_.pod_uid : node_.claim; }
  bool is_for_us(const Order& order) const { return order.id == ask_id() && order.target == settings_.digest; }
  bool may_go(AgentRequest request) const {
    const auto& order = node_.order;
    return order && is_for_us(*order) && order->may_load && !order->is_paused && !order->is_refused &&
           (request != AgentRequest::Drain || order->serves == AgentRequest::Drain);
  }
  bool is_refused(AgentRequest request) const {
    // A pod that may not have a drain may not have less.
    return node_.order && is_for_us(*node_.order) && node_.order->is_refused &&
           (node_.order->serves == request || node_.order->serves == AgentRequest::Drain);
  }
  // With an open claim the gates are the operator's; with an operator at work only what we left ourselves is ours.
  bool gates_are_ours() const { return node_.claim.empty() && (!node_.is_managed || node_.has_paused); }

  // ---- the ways

  ManagerStep leave_to_the_host() {
    if (!memory_.marked_since) memory_.marked_since = sight_.now;
    const std::string why = "the machine has an NVIDIA driver of its own: it is left alone";
    if (node_.deploy == vendors::kNvidiaHostsOwn && sight_.now - *memory_.marked_since >= kMarkPatience)
      return leave(1, why);
    ManagerStep step = wait(AgentRequest::Nothing, why);
    if (gates_are_ours()) step.labels = to_restore(node_.gates, vendors::kNvidiaGatePaused);
    step.report.has_paused = false;
    if (node_.deploy != vendors::kNvidiaHostsOwn)
      step.labels[std::string(vendors::kNvidiaDeployLabel)] = vendors::kNvidiaHostsOwn;
    return step;
  }

  ManagerStep ask_to_load() {
    if (may_go(AgentRequest::Load)) return take_out(AgentRequest::Load);
    memory_.busy_since.reset();
    ManagerStep step = wait(AgentRequest::Load,
                            "a driver is loaded: waiting for the operator's permission to replace it" + held_back());
    // Left by us when the node was not managed yet: the operator decides about its gates from here on.
    if (gates_are_ours()) step.labels = to_restore(node_.gates, vendors::kNvidiaGatePaused);
    step.report.has_paused = false;
    return step;
  }

  ManagerStep free_the_device() {
    if (Labels pause = to_pause(node_.gates, vendors::kNvidiaGatePaused); !pause.empty() && gates_are_ours()) {
      ManagerStep step = wait(AgentRequest::Nothing, "pausing the other pods of the device");
      step.report.has_paused = true;
      step.labels = std::move(pause);
      step.again = {};
      return step;
    }
    if (!memory_.paused_since) memory_.paused_since = sight_.now;
    if (!sight_.operands.empty()) {
      const std::string who = some_of(sight_.operands);
      if (sight_.now - *memory_.paused_since >= kOperandPatience)
        return leave(1, fmt::format("{} did not go within {}", who, base::human(kOperandPatience)));
      return wait(AgentRequest::Nothing, "waiting for " + who + " to go");
    }
    if (memory_.request == AgentRequest::Nothing && settings_.evicts) request(AgentRequest::Evict);
    if (memory_.request == AgentRequest::Nothing) return take_out(AgentRequest::Nothing);
    if (may_go(memory_.request)) return take_out(memory_.request);
    if (is_refused(memory_.request)) return no_way("the operator could not do it: " + node_.order->message);
    if (settings_.at_most && sight_.now - *memory_.requested_since >= *settings_.at_most)
      return no_way(fmt::format("no result within {}", base::human(*settings_.at_most)));
    memory_.busy_since.reset();
    return wait(memory_.request,
                (memory_.request == AgentRequest::Evict ? "waiting for the pods that use the device to be evicted"
                                                        : "waiting for the node to be drained") +
                    held_back());
  }

  // The old modules go, as soon as no process holds them.
  ManagerStep take_out(AgentRequest request) {
    const std::string who = sight_.holders.empty() ? memory_.unload_trouble : "held by " + holders_text();
    if (!who.empty()) {
      if (!memory_.busy_since) memory_.busy_since = sight_.now;
      // With an operator at work the deadline is the operator's.
      if (request != AgentRequest::Load && sight_.now - *memory_.busy_since >= kBusyPatience) return no_way(who);
      if (!sight_.holders.empty()) return wait(request, "the driver cannot be unloaded yet: " + who);
    }
    ManagerStep step =
        wait(request, who.empty() ? "unloading the old driver" : "the driver cannot be unloaded yet: " + who);
    step.what = ManagerDo::Unload;
    return step;
  }

  // What was tried is not enough: the next stronger request, or the end.
  ManagerStep no_way(const std::string& why) {
    if (settings_.drains && memory_.request != AgentRequest::Drain) {
      request(AgentRequest::Drain);
      return wait(AgentRequest::Drain, "asking for a drain: " + why);
    }
    return leave(1, fmt::format("the old driver cannot be taken out: {}{}", why,
                                settings_.drains ? "" : " (ENABLE_AUTO_DRAIN is false)"));
  }

  void request(AgentRequest request) {
    memory_.request = request;
    memory_.requested_since = sight_.now;
    memory_.busy_since.reset();
  }

  // ---- words

  std::string held_back() const {
    if (!node_.order_trouble.empty())
      return fmt::format("; {} cannot be read: {}", vendors::kNvidiaDriverChannel.order, node_.order_trouble);
    if (node_.order && is_for_us(*node_.order) && node_.order->is_paused) return "; upgrades are paused";
    return sight_.holders.empty() ? std::string() : "; held by " + holders_text();
  }
  static std::string some_of(const std::vector<std::string>& names) {
    return names.size() == 1 ? "pod " + names.front()
                             : fmt::format("pod {} and {} more", names.front(), names.size() - 1);
  }
  std::string holders_text() const {
    const Holding& first = sight_.holders.front();
    const std::string pod = !first.pod.empty() ? first.pod : first.pod_uid;
    return fmt::format("pid {} ({}){}{}", first.pid, base::one_line(first.command, 32),
                       pod.empty() ? "" : " of pod " + pod,
                       sight_.holders.size() == 1 ? "" : fmt::format(" and {} more", sight_.holders.size() - 1));
  }

  ManagerStep wait(AgentRequest request, std::string message) const {
    ManagerStep step;
    step.report = {.boot = sight_.boot,
                   .id = ask_id(),
                   .digest = settings_.digest,
                   .wants = request,
                   .can_unload = sight_.can_unload,
                   .has_paused = node_.has_paused,
                   .message = std::move(message)};
    return step;
  }
  ManagerStep leave(int code, std::string message) const {
    ManagerStep step = wait(AgentRequest::Nothing, std::move(message));
    step.what = ManagerDo::Leave;
    step.code = code;
    step.must_be_told = sight_.node.has_value();
    step.report.has_paused = false;
    if (gates_are_ours()) step.labels = to_restore(node_.gates, vendors::kNvidiaGatePaused);
    return step;
  }

  const ManagerSettings& settings_;
  const Sight& sight_;
  ManagerMemory& memory_;
  const NodeSight node_;
};

}  // namespace

ManagerStep step(const ManagerSettings& settings, const Sight& sight, ManagerMemory& memory) {
  return ManagerWalk(settings, sight, memory).next();
}

}  // namespace drover::agent
