package import LarderFormat
package import LarderStore
internal import LarderTransport

/// An event for the delivery machine.
package enum DeliveryEvent: Hashable, Sendable {
    /// The table may have changed (``DeliveryMachine/applyTableChanges(_:at:)``); nothing else has happened.
    case tableChanged
    /// Whether there is a network to reach the server.
    case network(isUsable: Bool)
    /// The host has come to the foreground: waiting entries are tried at once.
    case foreground
    /// The authentication state, reported once per sign-in. Reporting again that an account is expired has no effect: a
    /// failed attempt to sign in is reported as ``signInFailed``.
    case session(AuthenticationState)
    /// The host has tried to sign in again, and failed.
    case signInFailed
    /// The armed timer has fired.
    case timer
    /// A request has ended: that of an entry, by its identity, or a batch, by its key.
    case tryEnded(UUIDBytes, TryResult)
    /// A response that cannot be stored yet requests that everything for the server waits; nil: for an unstated time.
    case throttled(after: Duration?)
    /// The changes of a step could not be stored, and the machine is as it was before. Nothing begins until a time that
    /// the timer is armed for; until then neither this event nor those of network, session and host lead to changes.
    case storageFailed
    /// Tries an entry at once, as the app requests; a failed one is revived.
    case revive(UUIDBytes)
    /// The same for all entries that failed, wait or are in conflict.
    case reviveAll
    /// Discards an entry; one that is being sent stays.
    case discard(UUIDBytes, outcome: String)
    /// Applies the host's decision on an unresolved entry.
    case decide(UUIDBytes, Decision)
    /// The server was asked for its version in a conflict, and its response, named here, does not contain it.
    case remoteUnknown(UUIDBytes, reason: String)
    /// The server refused an account's credentials in response to a request that belongs to no entry.
    case unauthorized(String?)
    /// Requests are to end, and no other begins. Leads to no changes.
    case stop
}

/// The host's decision on an entry for which it is unknown whether the server has it.
public enum Decision: Hashable, Sendable {
    /// Send it again under the same key, even if the server may have performed it.
    case sendAgain
    /// The server has it.
    case accepted
    /// The server does not have it, and it is not to be sent.
    case rejected
}

/// The result of a request.
package enum TryResult: Hashable, Sendable {
    /// One result for the whole request.
    case whole(SendResult)
    /// The results of a batch, member by member; a member that is not named got no response.
    case members([UUIDBytes: ResponseSummary])
}

/// The result of a request, or of a member of it.
package enum SendResult: Hashable, Sendable {
    /// The server responded.
    case head(ResponseSummary)
    /// No response came, and the server may have the write.
    case none
    /// The request was never sent.
    case notSent
    /// The request was not sent, because of the server's wait that another sender recorded; the rest of that wait.
    case deferred(Duration)
    /// A batch succeeded, and its response says nothing about the entries.
    case unreadable(ResponseSummary)
    /// The request was never sent whole, and never will be as it is; the reason, in one line without content.
    case unsendable(String)
}

/// The part of a server's response that decides its outcome.
package struct ResponseSummary: Hashable, Sendable {
    /// The status code.
    package var status: Int
    /// Whether it is the response to an earlier request under the key.
    package var isReplay: Bool
    /// The wait that the server requests.
    package var retryAfter: Duration?
    /// Whether the first request under the key is still being performed.
    package var isInProgress: Bool
    /// Whether it does not come from the API.
    package var isForeign: Bool
    /// Whether the whole body arrived.
    package var isWhole: Bool

    /// A response head. The Retry-After of a foreign response, a redirect or a status about the connection is dropped:
    /// it does not come from the server.
    package init(
        _ status: Int, isReplay: Bool = false, retryAfter: Duration? = nil, isInProgress: Bool = false,
        isForeign: Bool = false, isWhole: Bool = true
    ) {
        self.status = status
        self.isReplay = isReplay
        let isOfServer =
            !isForeign && !OutcomeTable.connectionStatuses.contains(status) && !(300...399).contains(status)
        self.retryAfter = isOfServer ? retryAfter : nil
        self.isInProgress = isInProgress
        self.isForeign = isForeign
        self.isWhole = isWhole
    }

    /// Returns the facts of this response to a request with the given method.
    func facts(_ method: String, tries: Int) -> ResponseFacts {
        ResponseFacts(
            status: status, method: method, tries: tries, isReplay: isReplay, retryAfter: retryAfter,
            isInProgress: isInProgress, isForeign: isForeign, isWhole: isWhole)
    }

    /// Whether the server requests a wait for all requests: it gets too many, or states for how long it is unavailable.
    package var isThrottling: Bool {
        !isForeign && (status == 429 || (status == 503 && retryAfter != nil))
    }

    /// Whether the server is still performing an earlier request under the key.
    var isStillPerforming: Bool { status == 409 && (isInProgress || retryAfter != nil) }

    /// Whether the server may have the write all the same. A gateway responds for a server that did not; a request that
    /// is still being performed will have its effect; and a status that HTTP does not know says nothing. A 409 that
    /// broke off may have been about to report that the request is being performed.
    var leavesDoubt: Bool {
        isStillPerforming || (status == 409 && !isWhole) || [502, 504].contains(status)
            || !(200...599).contains(status)
    }
}
