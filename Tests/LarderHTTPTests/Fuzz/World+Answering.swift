// ComparedHistory+Answering: compares updates and answers from the cache (RFC 9111 §3.2, §4.3.3 to §4.4).

import HTTPTypes
import LarderHTTP
import LarderTesting

// RFC 9111 §3.2, §4.3.3 to §4.4, and the answer from the cache.
extension ComparedHistory {
    mutating func receive(_ request: ModelRequest) {
        var response = grammar.response(near: now)
        var request = request
        switch grammar.random.below(4) {
        case 0, 1: response.status = 304
        case 2:
            request.method = "HEAD"
            response.status = 200
        default: break
        }
        let decision = Self.policy.update(
            candidates, by: response.library, to: request.library, requestedAt: now, receivedAt: now)
        if response.status == 304, ["GET", "HEAD"].contains(request.method) {
            confirm(decision, response, request)
        } else if request.method == "HEAD", response.status == 200 {
            compareHead(decision, response, request)
        } else if request.method == "GET", response.status == 206 {
            compareCombination(decision, response, request)
        }
    }

    /// RFC 9111 §4.3.5. What agrees is renewed; what does not is stale, where nothing agrees.
    private mutating func compareHead(
        _ decision: UpdateDecision, _ response: ModelResponse, _ request: ModelRequest
    ) {
        decisions += 1
        let selected = modelled.indices.filter { model.varyMatches(modelled[$0], request) }
        let agreeing = selected.filter { model.headConfirms(modelled[$0], response) }
        switch decision {
        case .refresh(let refreshes, because: _) where refreshes.map(\.index) == agreeing: break
        case .markStale(let indices, because: _) where agreeing.isEmpty && indices == selected: break
        case .markStale(let indices, because: _) where isNotStored(response) && indices == agreeing: break
        case .none where selected.isEmpty: break
        default: recordDifference("HEAD", decision, (selected, agreeing), request, response, modelled)
        }
    }

    /// RFC 9111 §3.4: nothing is put together without the same strong validator and adjoining bytes.
    private mutating func compareCombination(
        _ decision: UpdateDecision, _ response: ModelResponse, _ request: ModelRequest
    ) {
        decisions += 1
        guard case .combine(let refresh, because: _) = decision else { return }
        let old = modelled[refresh.index]
        if !model.mayCombine(old, with: response) { recordDifference("combination", decision, "none", response, old) }
        if let part = old.part, let new = model.contentRange(response) {
            let total = old.total ?? new.total
            let joined = part.lowerBound..<new.range.upperBound
            let expected: StoredResponse.Coverage =
                joined == 0..<(total ?? -1) ? .whole : .part(joined, total: total)
            if refresh.response.coverage != expected {
                recordDifference("joined part", refresh, expected, response, old)
            }
        }
    }

    /// RFC 9111 §4.3.4.
    private mutating func confirm(_ decision: UpdateDecision, _ response: ModelResponse, _ request: ModelRequest) {
        decisions += 1
        let allowed = model.updated(modelled, by: response, to: request, now: Double(now) / 1_000)
        guard case .refresh(let refreshes, because: _) = decision else {
            if !allowed.isEmpty { recordDifference("304", decision, allowed, request, response, modelled) }
            return
        }
        if !allowed.contains(refreshes.map(\.index).sorted()) {
            recordDifference("304", refreshes.map(\.index), allowed, request, response, modelled)
        }
        for refresh in refreshes {
            let expected = model.updating(
                modelled[refresh.index].response.fields, with: response, receivedAt: Double(now) / 1_000
            ).grouped
            let updated = ModelFields(refresh.response.fields).grouped
            if updated != expected {
                recordDifference("fields after a 304", updated, expected, response, modelled[refresh.index])
            }
        }
    }

    /// RFC 9111 §4.4.
    mutating func invalidate(_ request: ModelRequest) {
        var request = request
        if grammar.happens(700) { request.method = grammar.pick(["POST", "PUT", "DELETE", "PATCH", "PURGE"]) }
        var response = grammar.response(near: now)
        response.status = grammar.random.pick([200, 201, 204, 303, 404, 500]) ?? 200
        for name in ["Location", "Content-Location"] where grammar.happens(500) {
            let place = grammar.pick([
                "/x", "x", "?q", "../x/./y", "//example.com/z", "//other.example/z", "https://example.com:443/p",
                "http://example.com/p", "https://EXAMPLE.com/p", "https://example.com:444/p", "", "#f", "/x#f",
            ])
            response.fields.lines.append(.init(name: name, value: place))
        }
        decisions += 1
        let found = Self.policy.invalidations(by: response.library, to: request.library, url: url)
        let expected = model.invalidated(by: response, to: request)
        let spelled = Set(found.map { $0.replacing("https://example.com:443/", with: "https://example.com/") })
        let wanted = Set(
            expected.map {
                $0.replacing("EXAMPLE", with: "example").replacing(
                    "https://example.com:443/", with: "https://example.com/")
            })
        if spelled != wanted { recordDifference("invalidation", found, expected, request, response) }
    }

    mutating func answer(_ request: ModelRequest) {
        guard ["GET", "HEAD"].contains(request.method) else { return }
        for index in candidates.indices where model.covers(modelled[index], request) {
            decisions += 1
            let stored = modelled[index]
            let length = stored.part.map { $0.upperBound - $0.lowerBound } ?? Int64(grammar.random.below(1_500))
            let age = Int64(grammar.random.below(100_000))
            let (head, bytes) = Self.policy.answer(
                with: candidates[index], to: request.library, length: length, age: age)
            let expected = model.answer(with: stored, to: request, length: length, age: age)
            let fields = ModelFields(head.headerFields)
            let start = stored.part?.lowerBound ?? 0
            let answer = ModelAnswer(
                status: head.status.code,
                bytes: bytes.isEmpty ? 0..<0 : (bytes.lowerBound + start)..<(bytes.upperBound + start),
                age: fields.combined("Age").flatMap { Int64($0) } ?? -1,
                contentRange: head.status.code == 206 || head.status.code == 416
                    ? fields.combined("Content-Range") : nil)
            var wanted = expected
            if wanted.bytes.isEmpty { wanted.bytes = 0..<0 }
            if answer != wanted { recordDifference("answer", answer, wanted, request, stored, length) }
        }
    }
}
