// Proves that the model updates, invalidates, combines and answers as the RFCs say.

import Testing

@Suite struct `The model changes what is stored as the RFCs say` {
    let model = CacheModel()

    private func stored(_ fields: [(String, String)], at date: Double = 1000) -> ModelStored {
        ModelStored(
            request: ModelRequest(),
            response: ModelResponse(fields: ModelFields(fields + [("Date", model.httpDate(date))])),
            requestedAt: date, receivedAt: date)
    }

    private func updated(_ candidates: [ModelStored], _ fields: [(String, String)]) -> [[Int]] {
        model.updated(
            candidates, by: ModelResponse(status: 304, fields: ModelFields(fields)), to: ModelRequest(), now: 1000)
    }

    /// RFC 9111 §3.2.
    @Test func `that newer fields replace older ones`() {
        let old = ModelFields([("A", "1"), ("B", "1"), ("Content-Length", "5"), ("B", "2")])
        let new = ModelResponse(
            status: 304, fields: ModelFields([("b", "3"), ("C", "4"), ("Content-Length", "9"), ("Connection", "c")]))
        #expect(
            model.updating(old, with: new, receivedAt: 784_111_777)
                == ModelFields([
                    ("A", "1"), ("Content-Length", "5"), ("b", "3"), ("Date", "Sun, 06 Nov 1994 08:49:37 GMT"),
                ]))
    }

    /// RFC 9111 §4.3.4.
    @Test func `that a strong validator updates all that have it`() {
        let candidates = [stored([("ETag", "\"a\"")]), stored([("ETag", "\"b\"")]), stored([("ETag", "\"a\"")])]
        #expect(updated(candidates, [("ETag", "\"a\"")]) == [[0, 2]])
        #expect(updated(candidates, [("ETag", "\"c\"")]) == [])
    }

    @Test func `that a weak validator updates the most recent that has it`() {
        let candidates = [stored([("ETag", "W/\"a\"")], at: 1001), stored([("ETag", "W/\"a\"")])]
        #expect(updated(candidates, [("ETag", "W/\"a\"")]) == [[0]])
    }

    @Test func `that no validator updates only one without`() {
        #expect(updated([stored([])], []) == [[0]])
        #expect(updated([stored([("ETag", "\"a\"")])], []) == [])
        #expect(updated([stored([]), stored([])], []) == [])
    }

    /// RFC 9111 §4.3.5.
    @Test func `that HEAD confirms what has the same validators and length`() {
        let answer = stored([("ETag", "\"a\""), ("Content-Length", "5")])
        func confirms(_ fields: [(String, String)]) -> Bool {
            model.headConfirms(answer, ModelResponse(fields: ModelFields(fields)))
        }
        #expect(confirms([("ETag", "\"a\""), ("Content-Length", "5")]))
        #expect(confirms([("ETag", "\"a\"")]))
        #expect(!confirms([("Content-Length", "5")]))
        #expect(!confirms([("ETag", "\"b\"")]))
        #expect(!confirms([("ETag", "\"a\""), ("Content-Length", "6")]))
    }

    /// RFC 9111 §4.3.2; the table of RFC 9110 §8.8.3.2 for the comparison.
    @Test func `that a request's conditions are evaluated`() {
        let answer = stored([("ETag", "W/\"1\""), ("Last-Modified", "Sat, 29 Oct 1994 19:43:31 GMT")])
        func isNotModified(_ fields: [(String, String)]) -> Bool {
            model.isNotModified(answer, for: ModelRequest(fields: ModelFields(fields)))
        }
        #expect(isNotModified([("If-None-Match", "\"1\"")]))
        #expect(isNotModified([("If-None-Match", "\"x\", W/\"1\"")]))
        #expect(isNotModified([("If-None-Match", "*")]))
        #expect(!isNotModified([("If-None-Match", "W/\"2\"")]))
        #expect(isNotModified([("If-Modified-Since", "Sat, 29 Oct 1994 19:43:31 GMT")]))
        #expect(!isNotModified([("If-Modified-Since", "Sat, 29 Oct 1994 19:43:30 GMT")]))
        #expect(
            !isNotModified([("If-None-Match", "\"2\""), ("If-Modified-Since", "Sat, 29 Oct 1994 19:43:31 GMT")]))
    }

    /// RFC 9111 §4.4.
    @Test func `that unsafe methods invalidate what is of the same origin`() {
        let fields = ModelFields([("Location", "b?c#d"), ("Content-Location", "https://other.example/a/x")])
        func invalidated(_ method: String, _ status: Int) -> Set<String> {
            model.invalidated(
                by: ModelResponse(status: status, fields: fields),
                to: ModelRequest(method: method, url: "https://example.com/a/x"))
        }
        #expect(invalidated("POST", 201) == ["https://example.com/a/x", "https://example.com/a/b?c"])
        #expect(invalidated("PURGE", 303).count == 2)
        #expect(invalidated("GET", 200).isEmpty)
        #expect(invalidated("PUT", 409).isEmpty)
    }

    /// RFC 9111 §3.3 and §3.4.
    @Test func `that parts are used for what they hold, and put together by strong validators`() {
        var part = stored([("ETag", "\"a\""), ("Cache-Control", "max-age=60")])
        part.part = 0..<500
        part.total = 1000
        func covers(_ range: String) -> Bool {
            model.covers(part, ModelRequest(fields: ModelFields([("Range", range)])))
        }
        #expect(covers("bytes=0-499"))
        #expect(covers("bytes=100-100"))
        #expect(!covers("bytes=100-500"))
        #expect(!covers("bytes=-1"))
        #expect(!covers("bytes=400-"))
        #expect(!model.covers(part, ModelRequest()))
        func combines(_ tag: String, _ range: String) -> Bool {
            let fields = ModelFields([("ETag", tag), ("Content-Range", range)])
            return model.mayCombine(part, with: ModelResponse(status: 206, fields: fields))
        }
        #expect(combines("\"a\"", "bytes 500-999/1000"))
        #expect(!combines("\"b\"", "bytes 500-999/1000"))
        #expect(!combines("W/\"a\"", "bytes 500-999/1000"))
        #expect(!combines("\"a\"", "bytes 501-999/1000"))
        #expect(!combines("\"a\"", "bytes 500-999/2000"))
    }

    /// RFC 9110 §13.1.5, §14.2 and §15.5.17.
    @Test func `that a range is answered from the whole`() {
        let answer = stored([("ETag", "\"a\"")])
        func respond(_ fields: [(String, String)]) -> ModelAnswer {
            model.answer(
                with: answer, to: ModelRequest(fields: ModelFields(fields)), length: 10_000, age: 1999)
        }
        let range = ("Range", "bytes=0-499")
        #expect(
            respond([range]) == ModelAnswer(status: 206, bytes: 0..<500, age: 1, contentRange: "bytes 0-499/10000"))
        #expect(respond([range, ("If-Range", "\"a\"")]).status == 206)
        #expect(respond([range, ("If-Range", "W/\"a\"")]).status == 200)
        #expect(respond([range, ("If-None-Match", "\"a\"")]).status == 304)
        #expect(
            respond([("Range", "bytes=10000-")])
                == ModelAnswer(status: 416, bytes: 0..<0, age: 1, contentRange: "bytes */10000"))
        #expect(respond([("Range", "bytes=0-0,-1")]).status == 200)
    }
}
