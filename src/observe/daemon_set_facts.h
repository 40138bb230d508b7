// What we want to know of a DaemonSet of ours.
#pragma once

#include <cstdint>
#include <string>

#include "kube/object.h"
#include "kube/projection.h"
#include "vendors/desired.h"
#include "vendors/work_profile.h"

namespace drover::observe {

struct DaemonSetFacts {
  std::string name;
  std::string uid;
  std::string role;                // by the vendor's role label in its template
  std::string digest;              // of the driver that its template carries
  std::string template_mark = {};  // what else that template is made of
  bool may_force = false;          // its pods may end what holds the device
  std::int64_t generation = 0;
  bool is_settled = false;  // its controller has seen the newest template
  bool is_going = false;
  bool is_ours = false;  // made for a policy by us
  vendors::DriverSet set = {};
  bool operator==(const DaemonSetFacts&) const = default;
};

kube::Projection daemon_set_projection();

DaemonSetFacts daemon_set_facts(const kube::Object& daemon_set, const vendors::WorkProfile& profile);

}  // namespace drover::observe
