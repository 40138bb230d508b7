// The end of a task: what is told to people, to the kubelet, and by the exit code.
#pragma once

#include "agent/program.h"
#include "protocol/verdict.h"

namespace drover::agent {

// 0 where the operator goes on with the node, 1 else. Calls `exit`, so nothing may follow.
void end_task(const ProgramContext& context, const protocol::Verdict& verdict);

}  // namespace drover::agent
