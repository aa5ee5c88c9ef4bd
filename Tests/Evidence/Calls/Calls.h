// Calls to the system that Swift's overlay withholds.
#pragma once

/// Runs `body` in a forked child, which is killed after `seconds`, and returns its wait status.
int evidence_in_child(void (*body)(void *), void *context, unsigned seconds);
