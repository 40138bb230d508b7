// The drivers of one policy's nodes in a forecast: what their pods, agents and validators do by themselves.
//
// Decides nothing. Without a resident agent the driver's container installs the driver when it starts, from an image
// that a preflight pod may have fetched before. An agent builds the next driver while the old one serves, asks for
// permission, and loads only while no pod uses the device.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "forecast/context.h"
#include "forecast/input.h"

namespace drover::forecast {

class Drivers {
 public:
  // Of the policy with this index; it and what the context names must outlive this.
  Drivers(PolicyFleet& policy, std::size_t index, Context context);

  // The operator asks for a proof that the driver can be had; false when it is under way or over already.
  bool prepare(std::size_t node);
  // The operator deletes the driver's pod; false when it is going already.
  bool replace_pod(std::size_t node);
  void replace_validator(std::size_t node);
  // Begins what can begin now.
  void advance(std::size_t node);

 private:
  struct State {
    int replaced = 0;        // pods of the driver: what was begun for an earlier one counts no more
    int made = 0;            // pods of the driver
    bool is_coming = false;  // a pod is made, or a driver installed or loaded
    bool is_validating = false;
    std::optional<base::Span> preparing_since = {};
    bool is_held_for_good = false;  // by processes of which no pod says when they end
  };

  bool has_agent() const { return policy_.flow->has(core::Trait::ResidentAgent); }
  base::Span now() const { return context_.clock.now(); }
  // After this span, unless the driver's pod was replaced meanwhile.
  void later(std::size_t node, base::Span in, std::function<void()> then);
  void begin_preparation(std::size_t node, base::Span since);
  void make_pod(std::size_t node, base::Span in, bool asks);
  void advance_container(std::size_t node);
  void advance_agent(std::size_t node);
  void finish(std::size_t node, base::Span in);
  std::string holders_on(std::size_t node) const;
  void validate(std::size_t node);

  PolicyFleet& policy_;
  std::size_t index_;
  Context context_;
  std::vector<State> states_;
};

}  // namespace drover::forecast
