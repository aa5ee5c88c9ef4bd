import HTTPTypes
import LarderHTTP
import LarderTesting

// RFC 9111 §3.
extension World {
    mutating func store() {
        let requestedAt = grammar.moment(near: now)
        let receivedAt =
            grammar.happens(900) ? requestedAt + Int64(grammar.random.below(3_000)) : grammar.moment(near: now)
        now = receivedAt
        let request = grammar.request(near: now, url: url)
        let response = grammar.response(near: now)
        decisions += 1
        let decision = Self.policy.storage(
            of: response.library, to: request.library, url: url, requestedAt: requestedAt, receivedAt: receivedAt)
        let expected = model.mayStore(response, to: request) && !isLeftOut(response)
        guard case .store(let stored, because: _) = decision else {
            if expected { differ("storage", decision, "store", request, response) }
            return
        }
        guard expected else { return differ("storage", "store", "refuse", request, response) }
        let seconds = Double(receivedAt) / 1_000
        var mirror = ModelStored(
            request: request, response: response, requestedAt: Double(requestedAt) / 1_000, receivedAt: seconds)
        mirror.response.fields = model.fieldsToKeep(response, receivedAt: seconds)
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
        let kept = ModelFields(stored.fields).grouped
        if kept != mirror.response.fields.grouped {
            differ("stored fields", kept, mirror.response.fields.grouped, response)
        }
        candidates.append(stored)
        modelled.append(mirror)
    }

    /// A freedom that the library takes: what no request can select again is not stored. RFC 9111 §4.1.
    func isLeftOut(_ response: ModelResponse) -> Bool {
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
        let moment = Double(now) / 1_000
        let (own, source) = model.lifetime(stored)
        let lifetime = stored.isInvalidated ? 0 : terms.hardLifetime ?? own
        let context = "\(stored) at \(moment)"
        if !isClose(reading.age, model.age(stored, now: moment)) {
            differ("age", reading.age, model.age(stored, now: moment) * 1_000, context)
        }
        if !isClose(reading.lifetime, lifetime) { differ("lifetime", reading.lifetime, lifetime * 1_000, context) }
        let sources: [CacheModel.Source: Freshness.Source] = [
            .maxAge: .maxAge, .expires: .expires, .heuristic: .heuristic,
        ]
        if lifetime > 0, reading.source != (terms.hardLifetime == nil ? sources[source] : .host) {
            differ("source of the lifetime", reading.source, source, context)
        }
        if reading.needsValidation != model.needsValidation(stored) {
            differ("need of validation", reading.needsValidation, model.needsValidation(stored), context)
        }
        if reading.mustRevalidate != model.forbidsStale(stored) {
            differ("ban on stale use", reading.mustRevalidate, model.forbidsStale(stored), context)
        }
    }

    private func isClose(_ milliseconds: Int64, _ seconds: Double) -> Bool {
        abs(Double(milliseconds) - seconds * 1_000) < 1.5
    }
}
