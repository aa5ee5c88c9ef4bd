import Foundation
import Synchronization

/// Records whether a signal requested the end of the tool.
///
/// The handler only sets a flag, which loops check, so nothing is left half written. A second signal ends the process
/// at once.
enum Interrupt {
    private static let wasSignalled = Atomic<Bool>(false)

    /// Records SIGINT and SIGTERM from now on, and makes writing to a closed pipe fail instead of ending the process.
    static func installHandlers() {
        // A parent may have started the tool from a thread that blocks signals, and the mask is inherited.
        var mask = sigset_t()
        unsafe sigemptyset(&mask)
        defer { unsafe sigprocmask(SIG_UNBLOCK, &mask, nil) }
        for signal in [SIGINT, SIGTERM] {
            unsafe sigaddset(&mask, signal)
            var action = sigaction()
            #if canImport(Darwin)
            unsafe action.__sigaction_u.__sa_handler = { _ in Interrupt.setFlag() }
            #else
            unsafe action.__sigaction_handler.sa_handler = { _ in Interrupt.setFlag() }
            #endif
            // Without SA_RESTART a blocked read ends with EINTR.
            action.sa_flags = Int32(truncatingIfNeeded: SA_RESETHAND)
            unsafe sigaction(signal, &action, nil)
        }
        signal(SIGPIPE, SIG_IGN)
    }

    /// Stores one atomic flag and does nothing else, because a signal handler may do no more.
    private static func setFlag() { wasSignalled.store(true, ordering: .relaxed) }

    /// Whether a signal was received.
    static var isRequested: Bool { wasSignalled.load(ordering: .relaxed) }

    /// Throws ``ToolError/interrupted`` when a signal was received.
    static func check() throws(ToolError) {
        if isRequested { throw .interrupted }
    }
}
