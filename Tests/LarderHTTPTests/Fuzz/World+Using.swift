// ComparedHistory+Using: compares how stored responses are used (RFC 9111 §4 to §4.3).

import HTTPTypes
import LarderHTTP
import LarderTesting

// RFC 9111 §4 to §4.3.
extension ComparedHistory {
    private var seconds: Double { Double(now) / 1_000 }

    mutating func drawTerms() -> ModelTerms {
        var terms = ModelTerms()
        guard grammar.happens(200) else { return terms }
        if grammar.happens(500) { terms.softLifetime = Double(grammar.random.below(120)) }
        if grammar.happens(400) { terms.hardLifetime = Double(grammar.random.below(120)) }
        terms.ignoresMustRevalidate = grammar.happens(300)
        terms.forcesValidation = grammar.happens(200)
        return terms
    }

    mutating func compareReuse(_ request: ModelRequest) {
        decisions += 1
        let terms = drawTerms()
        let decision = Self.policy.reuse(
            request.library, url: url, among: candidates, terms: terms.library, at: now)
        let allowed = model.decide(request, among: modelled, terms: terms, now: seconds)
        if !allowed.contains(ModelDecision(decision)) {
            recordDifference(
                "decision", "\(ModelDecision(decision)) \(decision.because.word)", allowed, request, terms, modelled,
                seconds)
        }
        if let reading = decision.reading, let index = decision.index {
            compare(reading, with: modelled[index], terms: terms)
        }
        compareConditions(decision, request, terms)
    }

    /// RFC 9111 §4.3.1: a validating request has the stored validators, and the request's other fields as they were.
    private mutating func compareConditions(_ decision: ReuseDecision, _ request: ModelRequest, _ terms: ModelTerms) {
        guard let sent = decision.sent.map({ ModelFields($0.headerFields) }) else { return }
        var rest = sent
        var given = request.fields
        for name in ["If-None-Match", "If-Modified-Since", "If-Since-Modified", "Range", "If-Range"] {
            rest.remove(name)
            given.remove(name)
        }
        // A freedom that the library takes: a forced validation is passed on to caches on the way. RFC 9111 §5.2.1.1.
        if terms.forcesValidation, !given.has("Cache-Control") { rest.remove("Cache-Control") }
        // The source's spelling of no-store is never sent.
        if model.directives(given).contains(where: { $0.name == "none" && $0.isMalformed }) { return }
        if let control = given.combined("Cache-Control") {
            given.remove("Cache-Control")
            let members = control.listMembers.map { $0.lowercased() == "none" ? "no-store" : $0 }
            given.lines.append(.init(name: "Cache-Control", value: Set(members).sorted().joined(separator: ", ")))
            let sent = rest.combined("Cache-Control") ?? ""
            rest.remove("Cache-Control")
            rest.lines.append(
                .init(name: "Cache-Control", value: Set(sent.listMembers).sorted().joined(separator: ", ")))
        }
        if rest.grouped != given.grouped { recordDifference("request to send", rest.grouped, given.grouped, request) }
        if sent.has("If-Since-Modified") { recordDifference("spelling", sent, "If-Modified-Since", request) }
        let expectsValidation =
            switch decision {
            case .validate, .reuseThenValidate: true
            case .reuse, .forward, .unsatisfiable: false
            }
        guard expectsValidation, let index = decision.index else { return }
        // A freedom that the library takes: a request that is conditional on a date already is left so.
        if request.fields.has("If-Modified-Since") || request.fields.has("If-Since-Modified") { return }
        let wanted = model.conditions(validating: modelled[index])
        let own = (request.fields.combined("If-None-Match") ?? "").listMembers
        if let tag = wanted.tag, own.allSatisfy({ model.quotedTag($0) != nil }),
            request.method != "HEAD" || sent.has("If-None-Match")
        {
            let list = (sent.combined("If-None-Match") ?? sent.combined("If-Range") ?? "").listMembers
            if !list.contains(tag), list != ["*"] {
                recordDifference("If-None-Match", list, tag, request, modelled[index])
            }
        }
        if let since = wanted.since, !request.fields.has("If-None-Match"), !request.fields.has("Range"),
            let sentSince = sent.combined("If-Modified-Since"), sentSince != since
        {
            recordDifference("If-Modified-Since", sentSince, since, request, modelled[index])
        }
    }

    /// RFC 9111 §4.2.4, RFC 5861 §4.
    mutating func compareFallback(_ request: ModelRequest) {
        for index in candidates.indices {
            decisions += 1
            let status = grammar.random.pick([nil, 500, 502, 503, 504, 501, 404, 429])
            let decision = Self.policy.fallback(
                to: candidates[index], for: request.library, status: status?.map { HTTPResponse.Status(code: $0) },
                at: now)
            let isServed =
                switch decision {
                case .serve: true
                case .refuse: false
                }
            let expected = model.isUsableAsFallback(modelled[index], for: request, status: status ?? nil, now: seconds)
            if isServed != expected {
                recordDifference(
                    "stand-in for \(String(describing: status))", decision, expected, request, modelled[index], seconds)
            }
        }
    }
}

extension ReuseDecision {
    var index: Int? {
        switch self {
        case .reuse(let index, _, because: _), .reuseThenValidate(let index, _, request: _, because: _),
            .validate(let index, _, request: _, because: _):
            index
        case .forward, .unsatisfiable: nil
        }
    }
}
