package import LarderFormat
package import LarderStore

/// An event for the upload machine.
package enum UploadEvent: Hashable, Sendable {
    /// The ring as it is stored: its upload, and the sequences of its oldest points, as many as fit into one request or
    /// more. The wait is the rest of the one that the server requested.
    case ring(BufferUpload, oldest: [Int64], serverWait: Duration? = nil)
    /// Whether there is a network to reach the server.
    case network(isUsable: Bool)
    /// The host has come to the foreground: waiting points are tried at once.
    case foreground
    /// The authentication state.
    case session(AuthenticationState)
    /// The armed timer has fired.
    case timer
    /// The request has ended.
    case uploadEnded(SendResult)
    /// The change of a step could not be stored, or the ring could not be read.
    case storageFailed
}

/// The change and effects that one event leads to.
package struct UploadStep: Hashable, Sendable {
    /// The change to store durably before anything else, if the stored state is as it expects.
    package var change: UploadChange?
    /// The change of the server's wait to store with it.
    package var serverWait: ServerWaitChange?
    /// The effects to perform then, in this order.
    package var effects: [UploadEffect] = []
}

/// A change of the ring.
package enum UploadChange: Hashable, Sendable {
    /// The state of the upload changes.
    case update(from: BufferUpload, to: BufferUpload)
    /// The server has the points of the upload, or refused them: they are removed.
    case acknowledge(from: BufferUpload, to: BufferUpload, refused: Bool)
}

/// An effect to perform after a step's change is stored.
package enum UploadEffect: Hashable, Sendable {
    /// Send the points of the upload; its result is reported by ``UploadEvent/uploadEnded(_:)``.
    case send(BufferUpload.Batch)
    /// Set the timer to this time of the monotonic clock, in place of the one set before; nil: to none.
    case arm(Duration?)
    /// The server no longer accepts the credentials of the account.
    case expired
}
