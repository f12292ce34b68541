#pragma once

namespace strata {

/// From now on the kernel writes no image of this process's memory to a disk when it crashes, and
/// lets no other process of the user read that memory: called before a secret is held. Programs
/// that this one starts are not affected. Safe from any thread.
void forbidCoreDumps() noexcept;

}  // namespace strata
