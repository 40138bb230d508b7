// This program's own text in memory. A start runs through most of the program (flags, TLS, parsers), and the kernel
// maps sixteen pages for each that is touched; an agent at rest needs a quarter of that, and it rests for months on
// every node.
#pragma once

namespace drover::host {

// Unmaps what is mapped of the text of this program and its libraries. What is needed comes back from the page cache
// by itself. (A breakpoint that a debugger has set goes with it.)
void give_back_program_text();

}  // namespace drover::host
