// Proves that the policy decides about any random exchange without a trap.

import HTTPTypes
import LarderTesting
import Testing

@testable import LarderHTTP

@Suite struct `Any exchange` {
    private struct Draw {
        var generator: SeededGenerator

        mutating func one<Element>(of all: [Element]) -> Element {
            all[Int.random(in: 0..<all.count, using: &generator)]
        }

        mutating func fields() -> HTTPFields {
            let names = [
                "Cache-Control", "Vary", "ETag", "Last-Modified", "Date", "Expires", "Age", "Range", "If-Range",
                "Pragma",
                "If-None-Match", "If-Modified-Since", "If-Since-Modified", "Content-Range", "Content-Length",
                "Location", "Content-Location", "Connection", "Foo", "Cookie", "Content-Type",
            ]
            let values = [
                "max-age=60", "no-cache", "no-store, must-understand", "max-stale", "immutable, max-age=9", "\"a\"",
                "W/\"a\"",
                "*", PolicyCase.date, "Sun, 06 Nov 2094 08:49:37 GMT", "Sun Nov  6 08:49:36 1994", "0", "-1",
                "99999999999999999999", "bytes=0-4", "bytes=-9223372036854775807", "bytes 0-4/10",
                "bytes 4611686018427387904-9223372036854775807/*", "bytes 5-9/10", "foo, cookie", "/../x", "//y", "",
                "only-if-cached", "stale-while-revalidate=2147483648, stale-if-error=99999999999999", "none", "foo",
            ]
            var fields = HTTPFields()
            for _ in 0..<Int.random(in: 0..<8, using: &generator) {
                fields.append(HTTPField(name: .init(one(of: names))!, value: one(of: values)))
            }
            return fields
        }

        mutating func time() -> Int64 {
            one(of: [PolicyCase.then, PolicyCase.then + 5000, 0, -1, .min, .max, PolicyCase.then + 9_999_999])
        }

        mutating func stored() -> StoredResponse {
            let start: Int64 = one(of: [0, 5, .max - 1])
            let parts: [StoredResponse.Coverage] = [
                .whole, .part(0..<5, total: 10), .part(start..<(start + 1), total: nil), .part(5..<5, total: 0),
            ]
            return StoredResponse(
                method: one(of: [.get, .get, .get, .head, .post]), url: PolicyCase.url,
                status: .init(code: one(of: [200, 206, 404, 500])), fields: fields(), requestedAt: time(),
                receivedAt: time(),
                coverage: one(of: parts),
                isInvalidated: one(of: [false, false, true]))
        }
    }

    @Test func `is decided on without a trap`() {
        var draw = Draw(generator: SeededGenerator(seed: 7234))
        for _ in 0..<10_000 {
            let policy = CachePolicy(selectingSalt: draw.one(of: [nil, Array(0..<16)]))
            var request = PolicyCase.request(draw.one(of: [.get, .get, .get, .head, .post]))
            request.headerFields = draw.fields()
            let answer = HTTPResponse(
                status: .init(code: draw.one(of: [200, 206, 304, 304, 404, 503])), headerFields: draw.fields())
            let candidates = (0..<Int.random(in: 0..<4, using: &draw.generator)).map { _ in draw.stored() }
            let terms = RequestTerms(
                softLifetime: draw.one(of: [nil, .seconds(-1), .seconds(Int64.max)]),
                hardLifetime: draw.one(of: [nil, nil, .zero, .seconds(Int64.max)]),
                forcesValidation: draw.one(of: [true, false]))
            let now = draw.time()
            let decision = policy.reuse(request, url: PolicyCase.url, among: candidates, terms: terms, at: now)
            _ = policy.storage(of: answer, to: request, url: PolicyCase.url, requestedAt: draw.time(), receivedAt: now)
            _ = policy.update(
                candidates, by: answer, to: decision.request ?? request, requestedAt: draw.time(), receivedAt: now)
            _ = policy.invalidations(by: answer, to: request, url: PolicyCase.url)
            for stored in candidates {
                let length = draw.one(of: [Int64(0), 5, 10, .max])
                let reading = policy.freshness(of: stored, terms: terms, at: now)
                #expect(reading.softLifetime <= reading.lifetime)
                let (_, bytes) = policy.answer(with: stored, to: request, length: length, age: reading.age)
                #expect(bytes.lowerBound >= 0 && bytes.upperBound <= length)
                _ = policy.fallback(to: stored, for: request, status: answer.status, terms: terms, at: now)
            }
        }
    }
}
