internal import LarderFormat
internal import LarderTransport

// What a failure to fetch one snapshot means for the run around it.
extension SyncError {
    /// Whether it may be the snapshot's own fault, so that it is noted with the resource.
    var mayConcernResource: Bool {
        switch self {
        case .transport(let error):
            switch error {
            case .timeout(.head), .timeout(.idle), .connectionLost, .bodyTooLarge, .encodedBody, .other: true
            case .cancelled, .timeout(.connect), .connectionRefused, .noConnection, .tls, .invalidRequest: false
            }
        // A login that is over or a portal meets the next page, too; a route with a proxy of its own does not.
        case .wire, .refused, .unavailable, .laggingFullCopy, .wrongFullCopy, .inconsistentRun, .unauthorized,
            .rateLimited, .intercepted:
            true
        case .serverWait, .endlessResync, .laggingServer, .outsideFilter, .incomplete, .store, .credentials,
            .superseded, .list,
            .otherServer, .offline, .cancelled:
            false
        }
    }

    /// Whether the run ends with it all the same: the network may be gone, or the server wants to be left alone.
    var endsRun: Bool {
        switch self {
        case .transport(.bodyTooLarge): false
        case .transport: true
        default: retryAfter != nil || !mayConcernResource
        }
    }

    /// What may help, as the resource's record keeps it.
    var failureKind: SnapshotFailure.Kind {
        switch self {
        case .wire(.unknownGroup, _): .passedOver
        // A sign-in helps, and nothing says when there will be one.
        case .unauthorized: .transient
        default: isRetryable ? .transient : .refused
        }
    }
}
