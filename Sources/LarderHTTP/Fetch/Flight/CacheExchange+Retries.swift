import HTTPTypes
internal import LarderFormat
import LarderStore
import LarderTransport

// Repeated attempts, by the rules of `FetchRetries`.
extension CacheExchange {
    /// The result of one attempt.
    private enum Attempt {
        case answer(Answered, TransportBody)
        /// No answer to return; the next attempt follows after the wait.
        case again(Duration)
    }

    /// Sends a request, and repeats it as far as the options and the answers permit.
    ///
    /// The slot is released during a wait.
    func send(_ request: HTTPRequest) async throws(HTTPCacheError) -> (Answered, TransportBody) {
        var chance = Chance(state: host.services.makeID().low)
        var failures = 0
        while true {
            failures += 1
            switch try await attempt(request, failures, chance.next()) {
            case .answer(let answered, let body): return (answered, body)
            case .again(let wait):
                slot.release()
                do { try await host.services.sleep(wait) } catch { throw .transport(.cancelled) }
                try await acquireSlot(.resumed)
            }
        }
    }

    private func attempt(
        _ request: HTTPRequest, _ failures: Int, _ chance: Double
    ) async throws(HTTPCacheError) -> Attempt {
        let retries = host.options.retries.flatMap { retries in
            Self.idempotent.contains(request.method) && failures < retries.mostAttempts ? retries : nil
        }
        do throws(HTTPCacheError) {
            let (answered, body) = try await sendOnce(request)
            let wait = retries.flatMap { $0.wait(after: answered, failures, chance) }
            return wait.map { Attempt.again($0) } ?? .answer(answered, body)
        } catch {
            guard let retries, case .transport(let failure) = error, failure.isRetryable, host.isOnline() else {
                throw error
            }
            return .again(retries.waits.delay(afterFailures: failures, chance: chance))
        }
    }

    /// The idempotent methods. RFC 9110 §9.2.2.
    private static let idempotent: Set<HTTPRequest.Method> = [.get, .head, .put, .delete, .options, .trace]
}

extension FetchRetries {
    /// The statuses that may be temporary. RFC 9110 §15; RFC 6585 §4; RFC 8470 §5.2.
    private static let passing: Set<Int> = [408, 425, 429, 502, 503, 504]

    /// Returns the wait after an answer; nil when the answer is to be returned.
    fileprivate func wait(after answered: CacheExchange.Answered, _ failures: Int, _ chance: Double) -> Duration? {
        guard Self.passing.contains(answered.head.status.code) else { return nil }
        let fields = answered.head.headerFields
        let seconds = fields[.retryAfter].flatMap {
            RetryAfter.seconds($0, date: fields[.date], now: answered.receivedAt)
        }
        let asked = Duration.seconds(seconds ?? 0)
        return asked <= longestRetryAfter ? max(asked, waits.delay(afterFailures: failures, chance: chance)) : nil
    }
}
