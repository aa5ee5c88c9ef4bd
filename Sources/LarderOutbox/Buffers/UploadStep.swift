package import LarderFormat
package import LarderStore

/// What happens to the upload of a buffer.
package enum UploadEvent: Hashable, Sendable {
    /// How the ring lies in the store: its upload, and the sequences of its oldest points, as many as one request takes
    /// or more; with what is left of the time that the server is to be left alone for.
    case ring(BufferUpload, oldest: [Int64], serverWait: Duration? = nil)
    /// Whether the server can be asked at all.
    case network(isUsable: Bool)
    /// The host has come to the foreground: what waits is tried at once.
    case foreground
    /// Who is signed in.
    case session(SessionGate)
    /// The timer that was armed has gone off.
    case timer
    /// The request is over.
    case answered(Answer)
    /// The change of a step could not be stored; ``ring(_:oldest:serverWait:)`` has told how things are.
    case storageFailed
}

/// What one event leads to.
package struct UploadStep: Hashable, Sendable {
    /// To be stored durably before anything else, if it finds what it expects.
    package var change: UploadChange?
    /// To be stored with it: for how long the server is left alone.
    package var serverWait: ServerWaitChange?
    /// To be done then, in this order.
    package var effects: [UploadEffect] = []
}

/// A change of the ring.
package enum UploadChange: Hashable, Sendable {
    /// The upload goes on.
    case update(from: BufferUpload, to: BufferUpload)
    /// The server has the points of the flight, or does not want them: they go.
    case acknowledge(from: BufferUpload, to: BufferUpload, refused: Bool)
}

/// What is to be done after a step's change is stored.
package enum UploadEffect: Hashable, Sendable {
    /// Send the points of the flight; answered by ``UploadEvent/answered(_:)``.
    case send(BufferUpload.Flight)
    /// Set the timer, in place of the one set before, to go off at this time that never jumps; nil: not at all.
    case arm(Duration?)
    /// The server does not take the credentials of the account any more.
    case expired
}
