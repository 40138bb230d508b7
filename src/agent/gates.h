// The deploy labels of a Node: how they are paused for a swap, and how each gets back what it said.
//
// A paused label carries its old value in itself, so that the pause can be undone after any crash:
//   true <-> paused-for-driver-upgrade      X <-> X_paused-for-driver-upgrade      false, "" and absent stay
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace drover::agent {

using Labels = std::map<std::string, std::string>;

// What a gate says while it is paused; the same text when it is paused already or is none to pause.
std::string paused(std::string_view value, std::string_view word);
// What it said before; the same text when it is not paused.
std::string restored(std::string_view value, std::string_view word);

// The gates that have to change, and what they must say; gates that are absent stay absent.
Labels to_pause(const Labels& gates, std::string_view word);
Labels to_restore(const Labels& gates, std::string_view word);

}  // namespace drover::agent
