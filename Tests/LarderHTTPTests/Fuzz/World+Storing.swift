// ComparedHistory+Storing: compares what is stored (RFC 9111 §3).

import HTTPTypes
import LarderHTTP
import LarderTesting

// RFC 9111 §3.
extension ComparedHistory {
    mutating func store() {
        let requestedAt = grammar.time(near: now)
        let receivedAt =
            grammar.happens(900) ? requestedAt + Int64(grammar.random.below(3_000)) : grammar.time(near: now)
        now = receivedAt
        let request = grammar.request(near: now, url: url)
        let response = grammar.response(near: now)
        decisions += 1
        let decision = Self.policy.storage(
            of: response.library, to: request.library, url: url, requestedAt: requestedAt, receivedAt: receivedAt)
        let expected = model.mayStore(response, to: request) && !isNotStored(response)
        guard case .store(let stored, because: _) = decision else {
            if expected { recordDifference("storage", decision, "store", request, response) }
            return
        }
        guard expected else { return recordDifference("storage", "store", "refuse", request, response) }
        let seconds = Double(receivedAt) / 1_000
        var mirror = ModelStored(
            request: request, response: response, requestedAt: Double(requestedAt) / 1_000, receivedAt: seconds)
        mirror.response.fields = model.fieldsToStore(response, receivedAt: seconds)
        if response.status == 206, let range = model.contentRange(response) {
            mirror.part = range.range
            mirror.total = range.total
            // RFC 9110 §15.3.7.3: all bytes of a representation are a 200, however they came.
            if range.range == 0..<(range.total ?? 0) {
                mirror.part = nil
                mirror.response.status = 200
                mirror.response.fields.remove("Content-Range")
            }
        }
        let storedFields = ModelFields(stored.fields).grouped
        if storedFields != mirror.response.fields.grouped {
            recordDifference("stored fields", storedFields, mirror.response.fields.grouped, response)
        }
        candidates.append(stored)
        modelled.append(mirror)
    }

    /// A freedom that the library takes: what no request can select again is not stored. RFC 9111 §4.1.
    func isNotStored(_ response: ModelResponse) -> Bool {
        (response.fields.combined("Vary") ?? "").listMembers.contains { !$0.isToken || $0 == "*" }
    }

    /// RFC 9111 §4.2.
    mutating func read() {
        for index in candidates.indices {
            decisions += 1
            let reading = Self.policy.freshness(of: candidates[index], at: now)
            compare(reading, with: modelled[index])
        }
    }

    mutating func compare(_ reading: Freshness, with stored: ModelStored, terms: ModelTerms = ModelTerms()) {
        let timestamp = Double(now) / 1_000
        let (own, source) = model.lifetime(stored)
        let lifetime = stored.isInvalidated ? 0 : terms.hardLifetime ?? own
        let context = "\(stored) at \(timestamp)"
        if !isClose(reading.age, model.age(stored, now: timestamp)) {
            recordDifference("age", reading.age, model.age(stored, now: timestamp) * 1_000, context)
        }
        if !isClose(reading.lifetime, lifetime) {
            recordDifference("lifetime", reading.lifetime, lifetime * 1_000, context)
        }
        let sources: [CacheModel.Source: Freshness.Source] = [
            .maxAge: .maxAge, .expires: .expires, .heuristic: .heuristic,
        ]
        if lifetime > 0, reading.source != (terms.hardLifetime == nil ? sources[source] : .host) {
            recordDifference("source of the lifetime", reading.source, source, context)
        }
        if reading.needsValidation != model.needsValidation(stored) {
            recordDifference("need of validation", reading.needsValidation, model.needsValidation(stored), context)
        }
        if reading.mustRevalidate != model.forbidsStale(stored) {
            recordDifference("ban on stale use", reading.mustRevalidate, model.forbidsStale(stored), context)
        }
    }

    private func isClose(_ milliseconds: Int64, _ seconds: Double) -> Bool {
        abs(Double(milliseconds) - seconds * 1_000) < 1.5
    }
}
