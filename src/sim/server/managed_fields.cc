#include "sim/server/managed_fields.h"

namespace drover::sim {

void track_create(const Context& /*context*/, const Rules& /*rules*/, const kube::Request& /*request*/,
                  kube::Object& /*object*/) {}

void track_update(const Context& /*context*/, const Rules& /*rules*/, const kube::Request& /*request*/,
                  const kube::Object& /*old*/, kube::Object& /*fresh*/) {}

}  // namespace drover::sim
