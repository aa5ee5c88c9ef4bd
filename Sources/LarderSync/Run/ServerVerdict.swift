internal import LarderTransport

/// What the head of a server's answer, and the problem in it, ask of a run.
package enum ServerVerdict: Hashable, Sendable {
    /// The body is what was asked for.
    case good
    /// The token is worth nothing any more (410).
    case resyncRequired
    /// There is no such full copy (404 `snapshot_not_found`).
    case fullCopyNotFound

    /// Whether an answer may be what was asked for: only then its body is not read as a problem.
    package static func isGood(status: Int, contentType: String?) -> Bool {
        status == 200 && !CaptivePortal.isLikely(status: status, contentType: contentType)
    }

    /// Judges an answer that is not good.
    ///
    /// - Parameter retryAfter: the seconds the server wants to be left alone for, where it said so.
    package init(
        _ problem: ServerProblem, contentType: String?, retryAfter: Int?, to kind: SyncError.RequestKind
    ) throws(SyncError) {
        if CaptivePortal.isLikely(status: problem.status, contentType: contentType) {
            throw .intercepted(status: problem.status)
        }
        switch (problem.status, problem.code, kind) {
        // A token is only ever sent with the filter it came for: if the server sees another, bootstrapping helps.
        case (410, _, .page), (422, "token_filter_mismatch", .page): self = .resyncRequired
        case (404, "snapshot_not_found", .fullCopy): self = .fullCopyNotFound
        case (401, _, _): throw .unauthorized(problem)
        case (429, _, _): throw .rateLimited(problem, retryAfter: retryAfter)
        // 408 and 425 are about this try, not about what it asks for.
        case (408, _, _), (425, _, _), (500...599, _, _): throw .unavailable(problem, retryAfter: retryAfter)
        default: throw .refused(problem)
        }
    }
}
