// Violation: a promise that a simulated history found broken.

/// A promise that a simulated history found broken.
package struct Violation: Error, Hashable, Sendable {
    /// Which promise.
    package enum Promise: String, Hashable, Sendable {
        /// Whenever work is due and allowed, something runs or the timer is set.
        case liveness
        /// Every effect of a run is answered: by a step that waits, or by whoever holds what it waits for.
        case lostEffect = "lost effect"
        /// A reader sees, for each resource, exactly the server's rows at the resource's applied sequence.
        case wholeGeneration = "whole generation"
        /// A token is never ahead of what is applied.
        case tokenBehindRows = "token behind rows"
        /// The position of a resource's rows never goes back.
        case appliedSequencesRise = "applied sequences rise"
        /// What another filter holds is never swept.
        case sharedResources = "shared resources"
        /// One run per filter, one copy per resource, so many runs as the policy allows.
        case oneRunAtATime = "one run at a time"
        /// Nothing starts without a network that may be used; a manual sync then fails at once.
        case conditions
        /// Tokens go out with their own filter and nowhere else, cursors with their page size.
        case requests
        /// What is being written is not visible, and nothing of it stays behind.
        case staging
        /// No step fails for a reason of the store's own.
        case store
        /// After enough quiet, the client equals the server.
        case convergence
        /// A graceful stop comes to its end.
        case stopping
        /// An enqueued write stays until it leaves with an outcome, and so do its overlays; it is sent once at a time.
        case outbox
        /// Every write that the server has is performed once, whatever was lost, and is accepted; no other is.
        case appliedOnce = "once only"
        /// Writes of one lane about one thing are performed in the order they were made, and none before what it comes after.
        case laneOrder = "lane order"
        /// What is refused is what the server refused, and what came after that.
        case deadLetters = "dead letters"
        /// A reader never sees a write of its own disappear and return.
        case ownWrites = "own writes"
        /// No row of a list is deleted that is on the server throughout a pass.
        case liveRows = "live rows"
        /// A whole pass over a list holds every item that stayed throughout.
        case wholeLists = "whole lists"
        /// `verify` finds nothing.
        case verification
    }

    /// Which promise was broken.
    package let promise: Promise
    /// How.
    package let message: String

    /// A broken promise.
    package init(_ promise: Promise, _ message: String) {
        self.promise = promise
        self.message = message
    }
}

extension Violation: CustomStringConvertible {
    /// Promise and message, in one line.
    package var description: String { "\(promise.rawValue): \(message)" }
}
