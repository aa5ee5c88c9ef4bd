// Proves that the model decides about storing, freshness, age and reuse as the RFCs say.

import Testing

@Suite struct `The model decides as the RFCs say` {
    let model = CacheModel()

    /// A response to a plain request, sent at 1000 seconds and received at 1001.
    private func stored(
        _ fields: [(String, String)], status: Int = 200, request: [(String, String)] = []
    ) -> ModelStored {
        var fields = fields
        if !fields.contains(where: { $0.0 == "Date" }) { fields.append(("Date", model.httpDate(1000))) }
        return ModelStored(
            request: ModelRequest(fields: ModelFields(request)),
            response: ModelResponse(status: status, fields: ModelFields(fields)), requestedAt: 1000, receivedAt: 1001)
    }

    private func decide(
        _ stored: ModelStored, _ request: [(String, String)] = [], at now: Double
    ) -> Set<ModelDecision> {
        model.decide(ModelRequest(fields: ModelFields(request)), among: [stored], now: now)
    }

    /// RFC 9111 §3.
    @Test(arguments: [
        (200, "", true), (200, "no-store", false), (200, "private", true), (599, "", false), (599, "public", true),
        (599, "max-age=1", true), (599, "s-maxage=1", false), (599, "private", true), (304, "max-age=1", false),
        (100, "max-age=1", false), (206, "max-age=1", false), (200, "must-understand, no-store", true),
        (599, "must-understand, max-age=1", false), (501, "", true), (302, "", false),
    ])
    func `what may be stored`(status: Int, control: String, isStored: Bool) {
        let response = ModelResponse(status: status, fields: ModelFields([("Cache-Control", control)]))
        #expect(model.mayStore(response, to: ModelRequest()) == isStored)
        #expect(!model.mayStore(response, to: ModelRequest(fields: ModelFields([("Cache-Control", "no-store")]))))
        #expect(!model.mayStore(response, to: ModelRequest(method: "POST")))
    }

    /// RFC 9111 §3.1.
    @Test func `which fields are stored`() {
        let fields = model.fieldsToStore(
            ModelResponse(
                fields: ModelFields([
                    ("Connection", "a, close"), ("A", "1"), ("B", "2"), ("Proxy-Authenticate", "x"),
                    ("Keep-Alive", "5"), ("Set-Cookie", "secret"),
                ])), receivedAt: 784_111_777.9)
        #expect(fields == ModelFields([("B", "2"), ("Date", "Sun, 06 Nov 1994 08:49:37 GMT")]))
    }

    /// RFC 9111 §4.2.1.
    @Test func `how long a response is fresh`() {
        let date = ("Date", "Thu, 01 Dec 1994 15:00:00 GMT")
        let expires = ("Expires", "Thu, 01 Dec 1994 16:00:00 GMT")
        #expect(model.lifetime(stored([date, expires])).seconds == 3600)
        #expect(model.lifetime(stored([date, expires, ("Cache-Control", "max-age=60")])).seconds == 60)
        #expect(model.lifetime(stored([date, expires, ("Cache-Control", "s-maxage=60")])).seconds == 3600)
        #expect(model.lifetime(stored([date, expires, ("Cache-Control", "max-age=x")])).seconds == 0)
        #expect(model.lifetime(stored([date, ("Expires", "0")])).seconds == 0)
        #expect(model.lifetime(stored([date])).seconds == 0)
    }

    /// RFC 9111 §4.2.2: a tenth of the time since the last change.
    @Test func `how long a response is guessed to be fresh`() {
        let date = ("Date", "Thu, 01 Dec 1994 16:00:00 GMT")
        let modified = ("Last-Modified", "Thu, 01 Dec 1994 06:00:00 GMT")
        #expect(model.lifetime(stored([date, modified])).seconds == 3600)
        #expect(model.lifetime(stored([date, modified], status: 302)).seconds == 0)
        #expect(model.lifetime(stored([date, modified, ("Cache-Control", "public")], status: 302)).seconds == 3600)
        #expect(model.lifetime(stored([date, modified, ("Expires", "0")])).seconds == 0)
        #expect(model.lifetime(stored([date, ("Last-Modified", "Thu, 01 Dec 1954 06:00:00 GMT")])).seconds == 86_400)
    }

    /// RFC 9111 §4.2.3.
    @Test func `how old a response is`() {
        // Received a second after it was sent and made; ten seconds ago.
        #expect(model.age(stored([]), now: 1011) == 11)
        #expect(model.age(stored([("Age", "30")]), now: 1011) == 41)
        #expect(model.age(stored([("Date", model.httpDate(900)), ("Age", "30")]), now: 1011) == 111)
        // A date in the future, and a clock that went back.
        #expect(model.age(stored([("Date", model.httpDate(2000))]), now: 1011) == 11)
        #expect(model.age(stored([("Age", "30")]), now: 0) == 31)
    }

    /// RFC 9111 §4.1.
    @Test func `which requests a stored response answers`() {
        let answer = stored(
            [("Vary", "accept-encoding, accept-language"), ("Cache-Control", "max-age=60")],
            request: [("Accept-Encoding", "gzip,br")])
        #expect(decide(answer, [("accept-encoding", "gzip , br")], at: 1001) == [.reuse(0)])
        #expect(decide(answer, [("Accept-Encoding", "gzip"), ("Accept-Encoding", "br")], at: 1001) == [.reuse(0)])
        #expect(decide(answer, [("Accept-Encoding", "gzip")], at: 1001) == [.forward])
        #expect(decide(answer, [("Accept-Encoding", "gzip,br"), ("Accept-Language", "en")], at: 1001) == [.forward])
        #expect(decide(stored([("Vary", "*"), ("Cache-Control", "max-age=60")]), at: 1001) == [.forward])
    }

    @Test func `that the most recent of several answers is used`() {
        var old = stored([("Cache-Control", "max-age=60")])
        old.response.fields.remove("Date")
        old.response.fields.lines.append(.init(name: "Date", value: model.httpDate(990)))
        let new = stored([("Cache-Control", "max-age=60")])
        #expect(model.decide(ModelRequest(), among: [old, new, new], now: 1001) == [.reuse(1), .reuse(2)])
    }

    /// RFC 9111 §4.2.4 and §5.2.2.
    @Test func `that stale is not used against the response's word`() {
        let stale = [("Cache-Control", "max-age=10"), ("ETag", "\"a\"")]
        #expect(decide(stored(stale), at: 1020) == [.validate(0)])
        #expect(decide(stored(stale), [("Cache-Control", "max-stale=20")], at: 1020) == [.reuse(0)])
        #expect(decide(stored(stale), [("Cache-Control", "max-stale=5")], at: 1020) == [.validate(0)])
        #expect(decide(stored(stale), [("Cache-Control", "max-stale=, max-stale=20")], at: 1020) == [.reuse(0)])
        #expect(decide(stored(stale), [("Cache-Control", "max-stale =20, max-stale")], at: 1020) == [.reuse(0)])
        #expect(decide(stored(stale), [("Cache-Control", "max-stale=5, max-stale=20")], at: 1020) == [.validate(0)])
        let strict = [("Cache-Control", "max-age=10, must-revalidate"), ("ETag", "\"a\"")]
        #expect(decide(stored(strict), [("Cache-Control", "max-stale")], at: 1020) == [.validate(0)])
        #expect(
            decide(stored([("Cache-Control", "no-cache, max-age=99"), ("ETag", "\"a\"")]), at: 1001) == [.validate(0)])
        #expect(decide(stored([("Cache-Control", "no-cache=\"x\", max-age=99")]), at: 1001) == [.reuse(0)])
    }

    /// RFC 9111 §5.2.1.
    @Test func `that a request's directives are heeded`() {
        let answer = stored([("Cache-Control", "max-age=100"), ("ETag", "\"a\"")])
        #expect(decide(answer, [("Cache-Control", "max-age=50")], at: 1050) == [.reuse(0)])
        #expect(decide(answer, [("Cache-Control", "max-age=50")], at: 1051) == [.validate(0)])
        #expect(decide(answer, [("Cache-Control", "min-fresh=50")], at: 1050) == [.reuse(0)])
        #expect(decide(answer, [("Cache-Control", "min-fresh=50")], at: 1051) == [.validate(0)])
        #expect(decide(answer, [("Cache-Control", "no-cache")], at: 1001) == [.validate(0)])
        #expect(decide(answer, [("Pragma", "no-cache")], at: 1001) == [.validate(0)])
        #expect(decide(answer, [("Cache-Control", "only-if-cached")], at: 1001) == [.reuse(0)])
        #expect(decide(answer, [("Cache-Control", "only-if-cached")], at: 1201) == [.unsatisfiable])
    }

    /// RFC 5861 §3.1 and §4.1: their own examples.
    @Test func `how stale answers are used by permission`() {
        let revalidated = stored([("Cache-Control", "max-age=600, stale-while-revalidate=30"), ("ETag", "\"a\"")])
        #expect(decide(revalidated, at: 1599) == [.reuse(0)])
        #expect(decide(revalidated, at: 1600) == [.reuseThenValidate(0)])
        #expect(decide(revalidated, at: 1630) == [.validate(0)])
        let error = stored([("Cache-Control", "max-age=600, stale-if-error=1200")])
        for status in [500, 502, 503, 504] {
            #expect(model.isUsableAsFallback(error, for: ModelRequest(), status: status, now: 2800))
            #expect(!model.isUsableAsFallback(error, for: ModelRequest(), status: status, now: 2801))
        }
        #expect(!model.isUsableAsFallback(error, for: ModelRequest(), status: 404, now: 1601))
        let silent = stored([("Cache-Control", "max-age=600")])
        #expect(model.isUsableAsFallback(silent, for: ModelRequest(), status: nil, now: 1_000_000))
        #expect(!model.isUsableAsFallback(silent, for: ModelRequest(), status: 503, now: 1_000_000))
    }
}
