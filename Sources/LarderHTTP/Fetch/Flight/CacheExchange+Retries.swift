import HTTPTypes
internal import LarderFormat
import LarderStore
import LarderTransport

// Repeated attempts, by the rules of `FetchRetries`.
extension CacheExchange {
    /// The result of one attempt.
    private enum Attempt {
        case response(ServerResponse, TransportBody)
        /// No answer to return; the next attempt follows after the wait.
        case retry(Duration)
    }

    /// Sends a request, and repeats it as far as the options and the answers permit.
    ///
    /// The slot is released during a wait.
    func send(_ request: HTTPRequest) async throws(HTTPCacheError) -> (ServerResponse, TransportBody) {
        var random = SplitMix64(state: host.services.makeID().low)
        var failures = 0
        while true {
            failures += 1
            switch try await attempt(request, failures, random.next()) {
            case .response(let serverResponse, let body): return (serverResponse, body)
            case .retry(let wait):
                slot.release()
                do { try await host.services.sleep(wait) } catch { throw .transport(.cancelled) }
                try await acquireSlot(.resumed)
            }
        }
    }

    private func attempt(
        _ request: HTTPRequest, _ failures: Int, _ jitter: Double
    ) async throws(HTTPCacheError) -> Attempt {
        let retries = host.options.retries.flatMap { retries in
            Self.idempotent.contains(request.method) && failures < retries.mostAttempts ? retries : nil
        }
        do throws(HTTPCacheError) {
            let (serverResponse, body) = try await sendOnce(request)
            let wait = retries.flatMap { $0.wait(after: serverResponse, failures, jitter) }
            return wait.map { Attempt.retry($0) } ?? .response(serverResponse, body)
        } catch {
            guard let retries, case .transport(let failure) = error, failure.isRetryable, host.isOnline() else {
                throw error
            }
            return .retry(retries.waits.delay(afterFailures: failures, random: jitter))
        }
    }

    /// The idempotent methods. RFC 9110 §9.2.2.
    private static let idempotent: Set<HTTPRequest.Method> = [.get, .head, .put, .delete, .options, .trace]
}

extension FetchRetries {
    /// The statuses that may be temporary. RFC 9110 §15; RFC 6585 §4; RFC 8470 §5.2.
    private static let transientStatuses: Set<Int> = [408, 425, 429, 502, 503, 504]

    /// Returns the wait after an answer; nil when the answer is to be returned.
    fileprivate func wait(after serverResponse: CacheExchange.ServerResponse, _ failures: Int, _ jitter: Double)
        -> Duration?
    {
        guard Self.transientStatuses.contains(serverResponse.head.status.code) else { return nil }
        let fields = serverResponse.head.headerFields
        let seconds = fields[.retryAfter].flatMap {
            RetryAfter.seconds($0, date: fields[.date], now: serverResponse.receivedAt)
        }
        let requested = Duration.seconds(seconds ?? 0)
        return requested <= longestRetryAfter
            ? max(requested, waits.delay(afterFailures: failures, random: jitter)) : nil
    }
}
