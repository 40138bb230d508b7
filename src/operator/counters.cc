#include "operator/counters.h"

namespace drover::operate {

using act::Purpose;
using vendors::Operation;

void Counters::count(const act::WriteResult& result) {
  const act::Subject& subject = result.subject;
  if (result.purpose == Purpose::ForceDelete && !result.fault) ++forced_deletions_;
  if (!subject.policy) return;
  switch (result.purpose) {
    case Purpose::Node:
      if (subject.takes) count(result, Operation::TakeNode);
      if (subject.gives_back) count(result, Operation::GiveBack);
      break;
    case Purpose::Evict: count(result, Operation::EvictHolder); break;
    case Purpose::EvictInDrain: count(result, Operation::EvictOther); break;
    case Purpose::ForceDelete: count(result, Operation::ForceDelete); break;
    case Purpose::ApplySet:
      // One that changed nothing is not counted.
      if (result.fault || result.generation != subject.generation)
        count(result, subject.generation == 0 ? Operation::MakeSet : Operation::ChangeSet);
      break;
    case Purpose::Status: count(result, Operation::WriteStatus); break;
    default: break;
  }
}

// A conflict, and what has gone by itself, is neither a success nor a failure.
void Counters::count(const act::WriteResult& result, vendors::Operation operation) {
  using Kind = base::Fault::Kind;
  vendors::Attempts& tries = counters_[*result.subject.policy][operation];
  if (!result.fault) {
    ++tries.done;
  } else if (result.fault->kind == Kind::Blocked) {
    ++tries.held;
  } else if (result.fault->kind != Kind::Conflict && result.fault->kind != Kind::NotFound) {
    ++tries.failed;
  }
}

}  // namespace drover::operate
