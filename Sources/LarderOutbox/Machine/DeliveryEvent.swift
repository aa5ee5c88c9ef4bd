package import LarderFormat
package import LarderStore
internal import LarderTransport

/// What happens to the outbox.
package enum DeliveryEvent: Hashable, Sendable {
    /// The table may have changed (``DeliveryMachine/see(_:at:)``); nothing else has happened.
    case look
    /// Whether the server can be asked at all.
    case network(isUsable: Bool)
    /// The host has come to the foreground: what waits is tried at once.
    case foreground
    /// Who is signed in; said once per sign-in. That an account is still expired is no news: who was asked to sign in and cannot
    /// says ``signInFailed``.
    case session(SessionGate)
    /// The host has tried to sign in again, in vain.
    case signInFailed
    /// The timer that was armed has gone off.
    case timer
    /// A request is over: an entry's, by its identity, or a batch, by its key.
    case answered(UUIDBytes, FlightAnswer)
    /// An answer that cannot be stored yet asks for all that goes to the server to wait; nil: it does not say for how long.
    case throttled(after: Duration?)
    /// The changes of a step could not be stored, and the machine is as it was before. Nothing is begun until a time that the timer is
    /// armed for; until then neither this leads to changes, nor what happens to the network, the session or the host.
    case storageFailed
    /// Tries an entry at once, by hand; a failed one is revived.
    case revive(UUIDBytes)
    /// The same for all that failed or waits.
    case reviveAll
    /// Somebody gives an entry up; one that is being sent stays.
    case discard(UUIDBytes, outcome: String)
    /// The host knows better about an unresolved entry.
    case decide(UUIDBytes, Decision)
    /// The server was asked about a conflict, and its answer, named here, does not say what it holds.
    case remoteUnknown(UUIDBytes, reason: String)
    /// The server does not take an account's credentials, as it answered a request that is no entry's.
    case unauthorized(String?)
    /// Requests are to end, and none begins any more. Leads to no changes.
    case stop
}

/// What the host knows about an entry of which nobody could tell whether the server has it.
public enum Decision: Hashable, Sendable {
    /// Send it again under the same key, come what may.
    case sendAgain
    /// The server has it.
    case accepted
    /// The server does not have it, and it is not to be sent.
    case rejected
}

/// How a request ended.
package enum FlightAnswer: Hashable, Sendable {
    /// All of it one way.
    case whole(Answer)
    /// A batch, member by member; what is not named was not answered.
    case members([UUIDBytes: AnswerHead])
}

/// How a request ended, or a member of it.
package enum Answer: Hashable, Sendable {
    /// The server answered.
    case head(AnswerHead)
    /// Nobody answered, and the server may have it.
    case none
    /// It never left.
    case notSent
    /// It was not sent, during a wait of the server that another sender noted; what is left of it.
    case heldBack(Duration)
    /// Success of a batch that says nothing of what was asked.
    case unreadable(AnswerHead)
    /// It never left whole, and never will as it is: why, in one line without content.
    case unsendable(String)
}

/// What the server answered, as far as it decides.
package struct AnswerHead: Hashable, Sendable {
    /// The status code.
    package var status: Int
    /// Whether it is the answer to an earlier request under the key.
    package var isReplay: Bool
    /// How long the server asks to be left alone.
    package var retryAfter: Duration?
    /// Whether the first request under the key is still being performed.
    package var isInProgress: Bool
    /// Whether it is not the API's.
    package var isForeign: Bool
    /// Whether all of its body came.
    package var isWhole: Bool

    /// An answer. The Retry-After of a foreign answer, a redirect or one about the connection is dropped: it is not the server's.
    package init(
        _ status: Int, isReplay: Bool = false, retryAfter: Duration? = nil, isInProgress: Bool = false,
        isForeign: Bool = false, isWhole: Bool = true
    ) {
        self.status = status
        self.isReplay = isReplay
        let isOfServer = !isForeign && !OutcomeTable.ofConnection.contains(status) && !(300...399).contains(status)
        self.retryAfter = isOfServer ? retryAfter : nil
        self.isInProgress = isInProgress
        self.isForeign = isForeign
        self.isWhole = isWhole
    }

    /// What is known of it as the answer to a request.
    func facts(_ method: String, tries: Int) -> AnswerFacts {
        AnswerFacts(
            status: status, method: method, tries: tries, isReplay: isReplay, retryAfter: retryAfter,
            isInProgress: isInProgress, isForeign: isForeign, isWhole: isWhole)
    }

    /// Whether the server asks to be left alone altogether: it gets too many requests, or says for how long it is out.
    package var isThrottling: Bool {
        !isForeign && (status == 429 || (status == 503 && retryAfter != nil))
    }

    /// Whether the server is still performing an earlier request under the key.
    var isStillPerforming: Bool { status == 409 && (isInProgress || retryAfter != nil) }

    /// Whether the server may have the write all the same: a gateway answers for a server that did not, what is still performed will be
    /// there, and a status that HTTP does not know says nothing. A 409 that broke off may have been about to say that it is performed.
    var leavesDoubt: Bool {
        isStillPerforming || (status == 409 && !isWhole) || [502, 504].contains(status)
            || !(200...599).contains(status)
    }
}
