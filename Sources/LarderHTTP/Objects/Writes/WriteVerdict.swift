internal import HTTPTypes

/// What the failure of a write means for it, when it is first sent and when it waits.
enum WriteVerdict: Hashable, Sendable {
    /// How many pages end a write that waits.
    static let mostPages = 5

    /// The server was not reached, or asks to wait: the write is queued, and waits on.
    case later
    /// An HTML page under 4xx, of a captive portal or of a proxy that refuses it: it is queued, and waits for some tries.
    case page
    /// It failed, but may succeed another time: a caller gets the error, and a write that waits already waits on.
    case failed
    /// The server will refuse it again: a caller gets the error, and a write that waits ends.
    case refused

    init(_ error: HTTPCacheError) {
        guard case .server(let head) = error else {
            self = error.isForLater ? .later : .failed
            return
        }
        let mayPass = [401, 403, 408, 429].contains(head.status.code)
        if error.isForLater {
            self = head.status.kind == .clientError && !mayPass ? .page : .later
        } else {
            self = mayPass || head.status.kind == .serverError ? .failed : .refused
        }
    }
}
