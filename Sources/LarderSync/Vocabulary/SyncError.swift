public import LarderFormat
public import LarderStore
public import LarderTransport

/// The reason a run failed. The filter keeps its token unless the run became a bootstrap; the content that readers see
/// is whole.
///
/// ```swift
/// do throws(SyncError) {
///     print(try await coordinator.sync(filter))
/// } catch .offline {
///     print("offline: the content is as of the last sync")
/// } catch .unauthorized {
///     print("sign in again")
/// } catch {
///     print(error.isRetryable ? "later: \(error)" : "\(error)")
/// }
/// ```
public enum SyncError: Error, Sendable {
    /// The exchange with the server failed.
    case transport(TransportError)
    /// The server's response cannot be used; `request` is the kind of the request.
    case wire(WireError, request: RequestKind)
    /// The credentials were refused, also after they were refreshed.
    case unauthorized(ServerProblem)
    /// The server limits the rate of requests (429); `retryAfter` in seconds where it stated one.
    case rateLimited(ServerProblem, retryAfter: Int?)
    /// The server failed (5xx), or could not handle this attempt (408, 425); `retryAfter` in seconds where it stated
    /// one.
    case unavailable(ServerProblem, retryAfter: Int?)
    /// A wait that the server requested of any part of the program lasts so many more seconds; the request was not
    /// sent.
    case serverWait(seconds: Int)
    /// The server refused the content of the request (422, 400, 403 and the like): the same request will fail again.
    case refused(ServerProblem)
    /// The server rejects the token of a bootstrap, which has none.
    case endlessResync
    /// The server's sequence is below the applied one again, though it was found restored within the last hour. Some
    /// responses come from a replica that lags behind the others.
    case laggingServer
    /// Pages of one run contradict each other.
    case inconsistentRun(reason: String)
    /// The server sent a change of a resource that the filter does not cover.
    case outsideFilter(ResourceKey)
    /// A snapshot is older than the change that requested it, even after it was fetched again.
    case laggingSnapshot(ResourceKey)
    /// A snapshot is of another resource than the requested one.
    case wrongSnapshot(ResourceKey)
    /// The run completed without these resources, whose snapshots could not be fetched; everything else is stored. No
    /// token is stored, and the next run requests them again, after a wait that grows to an hour.
    case incomplete([ResourceFailure])
    /// The store failed.
    case store(any Error)
    /// The synced content is of another server than the configured one; nothing was sent. The description names the
    /// remedies.
    case otherServer(ServerMismatch)
    /// The content belongs to an account that is not signed in; nothing was sent. It is tried again when an account
    /// signs in.
    case signedOut
    /// The credentials could not be obtained.
    case credentials(any Error)
    /// The filter was removed while its run was under way, or another process syncs the store.
    case superseded
    /// A pass over a list failed.
    case list(ListError)
    /// There is no network, or it must not be used now. A running coordinator syncs an added filter once there is one.
    case offline
    /// Something other than the server responds, such as a captive portal; `status` is that of its response, if there
    /// was one.
    case intercepted(status: Int?)
    /// The run was cancelled.
    case cancelled

    /// The kinds of request.
    public enum RequestKind: String, Sendable {
        /// A page of changes.
        case page
        /// A snapshot.
        case snapshot
        /// The events by which the server reports changes.
        case events
    }

    /// Whether the same run may succeed later without anything being changed.
    public var isRetryable: Bool {
        switch self {
        case .transport(let error): error.isRetryable
        case .list(let error): error.isRetryable
        case .rateLimited, .unavailable, .laggingSnapshot, .inconsistentRun, .wire, .superseded, .offline, .intercepted,
            .incomplete, .serverWait, .laggingServer:
            true
        case .unauthorized, .refused, .endlessResync, .outsideFilter, .wrongSnapshot, .store, .credentials, .cancelled,
            .otherServer, .signedOut:
            false
        }
    }

    /// The wait that the server requested, in seconds; nil where it stated none.
    public var retryAfter: Int? {
        switch self {
        case .rateLimited(_, let seconds), .unavailable(_, let seconds): seconds
        case .serverWait(let seconds): seconds
        case .list(.source(let error as SyncError)): error.retryAfter
        default: nil
        }
    }

    /// Whether something other than the server responded.
    ///
    /// It is false for lists: a list may have a server of its own, about which a probe of this one says nothing.
    var isInterception: Bool {
        if case .intercepted = self { true } else { false }
    }
}

extension SyncError {
    /// Converts any error of a run into the one that its caller receives.
    package init(_ error: any Error) {
        self =
            switch error {
            case let error as SyncError: error
            case let error as ServerMismatch: .otherServer(error)
            case is ContentSignedOut: .signedOut
            case is CancellationError: .cancelled
            case TransportError.cancelled: .cancelled
            case let error as TransportError: .transport(error)
            case ListError.cancelled: .cancelled
            case let error as ListError: .list(error)
            default: .store(error)
            }
    }
}

extension SyncError: CustomStringConvertible {
    /// A description of the error, in one line without content.
    public var description: String {
        switch self {
        case .transport(let error): "The exchange with the server failed: \(error)."
        case .wire(let error, let request):
            "The server's response to a \(request.rawValue) request is unusable: \(error)."
        case .unauthorized: "The server refused the credentials."
        case .rateLimited(_, let after):
            "The server limits the rate of requests: retry \(after.map { "in \($0) s" } ?? "later")."
        case .unavailable(let problem, _): "The server is failing (\(problem.status))."
        case .serverWait(let seconds): "The server requested a wait of \(seconds) s more."
        case .refused(let problem):
            "The server refused the request (\(problem.status)\(problem.code.map { " \($0)" } ?? ""))."
        case .endlessResync: "The server responded to a bootstrap by requiring a bootstrap."
        case .laggingServer: "The server's sequence is lower than before: a lagging replica may be responding."
        case .inconsistentRun(let reason): "The pages of the run contradict each other (\(reason))."
        case .outsideFilter: "The server sent a change that the filter does not cover."
        case .laggingSnapshot: "A snapshot is older than the change that requires it."
        case .wrongSnapshot: "A snapshot is of another resource than requested."
        case .incomplete(let failures): Self.sentence("The run is incomplete: \(Self.list(failures))")
        case .store(let error): Self.sentence("The store failed: \(error)")
        case .otherServer(let mismatch): mismatch.description
        case .signedOut: "The content belongs to an account that is not signed in."
        case .credentials(let error): Self.sentence("There are no credentials: \(error)")
        case .superseded: "The filter was removed meanwhile, or another process syncs the store."
        case .list(let error): Self.sentence(error.description)
        case .offline: "There is no network, or it is not to be used now."
        case .intercepted: "Something other than the server responds; the network may want a sign-in."
        case .cancelled: "The run was cancelled."
        }
    }

    /// Returns the first three failures, and the number of the others.
    private static func list(_ failures: [ResourceFailure]) -> String {
        let first = failures.prefix(3).map { "\($0.resource) (\($0.reason))" }.joined(separator: ", ")
        return failures.count > 3 ? first + " and \(failures.count - 3) more" : first
    }

    /// Returns the text with a period at its end, which descriptions from elsewhere may lack.
    private static func sentence(_ text: String) -> String { text.hasSuffix(".") ? text : text + "." }
}
