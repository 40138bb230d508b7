#include "vendors/tenstorrent/agent/task_verdict.h"

#include <fmt/format.h>

namespace drover::agent {

void end_task(const ProgramContext& context, const protocol::Verdict& verdict) {
  const bool is_good = verdict.outcome == protocol::Outcome::Done || verdict.outcome == protocol::Outcome::Ready;
  context.say(fmt::format("verdict: {}: {}", protocol::word(verdict.outcome), verdict.message));
  if (context.tell_verdict) context.tell_verdict(protocol::text_of(verdict));
  context.exit(is_good ? 0 : 1);
}

}  // namespace drover::agent
