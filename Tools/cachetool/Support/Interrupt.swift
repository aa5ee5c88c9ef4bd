import Foundation
import Synchronization

/// Whether a signal asked the tool to end.
///
/// The handler only takes a note; loops look at it, so nothing is left half written. A second signal ends the process
/// at once.
enum Interrupt {
    private static let isNoted = Atomic<Bool>(false)

    /// Notes SIGINT and SIGTERM from now on, and lets writing to a closed pipe fail instead of killing.
    static func listen() {
        // A parent may have started the tool from a thread that blocks signals, and the mask is inherited.
        var mask = sigset_t()
        unsafe sigemptyset(&mask)
        defer { unsafe sigprocmask(SIG_UNBLOCK, &mask, nil) }
        for signal in [SIGINT, SIGTERM] {
            unsafe sigaddset(&mask, signal)
            var action = sigaction()
            #if canImport(Darwin)
            unsafe action.__sigaction_u.__sa_handler = { _ in Interrupt.note() }
            #else
            unsafe action.__sigaction_handler.sa_handler = { _ in Interrupt.note() }
            #endif
            // Without SA_RESTART a read that waits ends with EINTR.
            action.sa_flags = Int32(truncatingIfNeeded: SA_RESETHAND)
            unsafe sigaction(signal, &action, nil)
        }
        signal(SIGPIPE, SIG_IGN)
    }

    /// Stores one atomic flag and nothing else: all a signal handler may do.
    private static func note() { isNoted.store(true, ordering: .relaxed) }

    /// Whether a signal came.
    static var isRequested: Bool { isNoted.load(ordering: .relaxed) }

    /// Throws ``ToolError/interrupted`` when a signal came.
    static func check() throws(ToolError) {
        if isRequested { throw .interrupted }
    }
}
