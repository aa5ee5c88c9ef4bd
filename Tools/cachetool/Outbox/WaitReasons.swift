import LarderFormat
import LarderOutbox
import LarderStore

/// Explains for each write why it is not accepted yet, and what makes it continue.
struct WaitReasons {
    private let reasons: [UUIDBytes: WaitReason]
    private let now: Int64
    private let redactor: Redactor

    /// - Parameters:
    ///   - session: The stored session; nil where the host has no accounts.
    ///   - heads: The heads of all readable entries of the outbox.
    ///   - serverWait: The end of the wait that the server requested.
    ///   - now: The present time, in milliseconds since 1970-01-01 UTC.
    init(
        _ session: StoredSession?, _ heads: [OutboxEntry], _ serverWait: Int64?, now: Int64, _ redactor: Redactor
    ) {
        let state = session.map { AuthenticationState($0) } ?? .signedIn(nil)
        reasons = DeliveryMachine.waitReasons(of: heads, authentication: state, serverWait: serverWait)
        self.now = now
        self.redactor = redactor
    }

    /// Returns the explanation of an entry, in one sentence.
    func sentence(_ entry: OutboxEntry) -> String {
        switch reasons[entry.id] ?? .turn {
        case .turn: "Sent as soon as an app runs the outbox online."
        case .response:
            "Sent; without a response it is sent again, under the same key, by the next app that runs the outbox."
        case .time(let time) where time <= now:
            "Due since \(timeText(time)): sent as soon as an app runs the outbox online."
        case .time(let time): "Tried again at \(timeText(time))."
        case .earlier(let id): "Sent when \(id) is accepted."
        case .behind(let id): "Waits for \(id), which is before it in the lane: see that entry."
        case .account(let name):
            name.map { "Sent when \(redactor.text($0)) signs in." }
                ?? "Made without an account: an app that uses accounts does not send it."
        case .signIn: "Sent after the next sign-in: the server does not accept the credentials any more."
        case .failed(let time):
            time.flatMap { $0 > now ? "Failed; tried again at \(timeText($0)), or by 'outbox retry'." : nil }
                ?? time.map { _ in "Failed; tried again as soon as an app runs the outbox online, or by 'outbox retry'."
                }
                ?? "Failed; tried again when the network returns, or by 'outbox retry'."
        case .unresolved: "The server may have it and no longer has the key: the app decides, or 'outbox drop'."
        case .conflict: "The server's copy was changed as well: the app's resolver decides."
        case .rejected: "The server refused it: 'outbox retry' sends it again, 'outbox drop' removes it."
        }
    }
}
