internal import LarderTransport

/// The meaning of a response for a run, by its status, content type and problem.
package enum ResponseKind: Hashable, Sendable {
    /// The body is the requested one.
    case success
    /// The token is no longer valid (410, or 422 `token_filter_mismatch`).
    case resyncRequired
    /// There is no such snapshot (404 `snapshot_not_found`).
    case snapshotNotFound

    /// Whether a response may contain what was requested; otherwise its body is read as a problem.
    package static func isSuccess(status: Int, contentType: String?) -> Bool {
        status == 200 && !CaptivePortal.isLikely(status: status, contentType: contentType)
    }

    /// Classifies a response that is not good.
    ///
    /// - Parameter retryAfter: the wait that the server requested, in seconds, where it stated one.
    /// - Throws: ``SyncError/intercepted(status:)`` for a response that looks like a captive portal's;
    ///   ``SyncError/unauthorized(_:)`` (401), ``SyncError/rateLimited(_:retryAfter:)`` (429),
    ///   ``SyncError/unavailable(_:retryAfter:)`` (408, 425, 5xx); otherwise ``SyncError/refused(_:)``.
    package init(
        _ problem: ServerProblem, contentType: String?, retryAfter: Int?, to kind: SyncError.RequestKind
    ) throws(SyncError) {
        if CaptivePortal.isLikely(status: problem.status, contentType: contentType) {
            throw .intercepted(status: problem.status)
        }
        switch (problem.status, problem.code, kind) {
        // A token is only sent with the filter that it was issued for: if the server sees another, a bootstrap helps.
        case (410, _, .page), (422, "token_filter_mismatch", .page): self = .resyncRequired
        case (404, "snapshot_not_found", .snapshot): self = .snapshotNotFound
        case (401, _, _): throw .unauthorized(problem)
        case (429, _, _): throw .rateLimited(problem, retryAfter: retryAfter)
        // 408 and 425 concern this attempt, not the content of the request.
        case (408, _, _), (425, _, _), (500...599, _, _): throw .unavailable(problem, retryAfter: retryAfter)
        default: throw .refused(problem)
        }
    }
}
