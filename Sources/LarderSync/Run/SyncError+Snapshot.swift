internal import LarderFormat
internal import LarderTransport

// The effect of a failure to fetch one snapshot on the run around it.
extension SyncError {
    /// Whether the error may concern the snapshot alone, so that it is stored with the resource.
    var mayConcernResource: Bool {
        switch self {
        case .transport(let error):
            switch error {
            case .timeout(.head), .timeout(.idle), .connectionLost, .bodyTooLarge, .encodedBody, .other: true
            case .cancelled, .timeout(.connect), .connectionRefused, .noConnection, .tls, .invalidRequest: false
            }
        // An expired login or a portal also affects the next page; a proxy on the snapshot's route does not.
        case .wire, .refused, .unavailable, .laggingSnapshot, .wrongSnapshot, .inconsistentRun, .unauthorized,
            .rateLimited, .intercepted:
            true
        case .serverWait, .endlessResync, .laggingServer, .outsideFilter, .incomplete, .store, .credentials,
            .superseded, .list, .otherServer, .signedOut, .offline, .cancelled:
            false
        }
    }

    /// Whether the error ends the run anyway: the network may be gone, or the server requested a wait.
    var endsRun: Bool {
        switch self {
        case .transport(.bodyTooLarge): false
        case .transport: true
        default: retryAfter != nil || !mayConcernResource
        }
    }

    /// The kind of the failure, as the resource's record stores it.
    var failureKind: SnapshotFailure.Kind {
        switch self {
        case .wire(.unknownGroup, _): .unusable
        // A sign-in resolves it, at a time that is not known.
        case .unauthorized: .transient
        default: isRetryable ? .transient : .refused
        }
    }
}
