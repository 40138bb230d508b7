// Tenstorrent to the operator: its words, and how its policies are read.
#pragma once

#include "vendors/profile.h"

namespace drover::vendors {

const Profile& tenstorrent();

}  // namespace drover::vendors
