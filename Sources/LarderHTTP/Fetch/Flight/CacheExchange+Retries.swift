import HTTPTypes
internal import LarderFormat
import LarderStore
import LarderTransport

// Sending a request again, by the rules of `FetchRetries`.
extension CacheExchange {
    /// What came of one attempt.
    private enum Attempt {
        case answer(Answered, TransportBody)
        /// Nothing to hand out; the next attempt follows after the wait.
        case again(Duration)
    }

    /// Sends a request, and again as long as the options and the answers let it.
    ///
    /// The slot is another's during a wait.
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

    /// RFC 9110 §9.2.2.
    private static let idempotent: Set<HTTPRequest.Method> = [.get, .head, .put, .delete, .options, .trace]
}

extension FetchRetries {
    /// The statuses that may be gone the next time. RFC 9110 §15; RFC 6585 §4; RFC 8470 §5.2.
    private static let passing: Set<Int> = [408, 425, 429, 502, 503, 504]

    /// How long to wait after an answer; nil when it is one to hand out.
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
