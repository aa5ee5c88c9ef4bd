// Proves that freshness lifetimes are computed as RFC 9111 §4.2 says.

import HTTPTypes
import Testing

@testable import LarderHTTP

@Suite struct `The freshness of a response` {
    private typealias Case = PolicyCase

    private func read(
        _ stored: StoredResponse, terms: RequestTerms = RequestTerms(), after seconds: Int64 = 0,
        by policy: CachePolicy = PolicyCase.policy
    ) -> Freshness {
        policy.freshness(of: stored, terms: terms, at: PolicyCase.then + seconds * 1000)
    }

    /// §2.1.22.
    @Test func `is its max-age before its Expires`() {
        let reading = read(Case.stored(("Cache-Control", "max-age=60"), ("Expires", "0"), ("Date", Case.date)))
        #expect(reading.lifetime == 60_000)
        #expect(reading.source == .maxAge)
        #expect(
            read(Case.stored(("Cache-Control", "max-age=0"), ("Expires", "Sun, 06 Nov 2094 08:49:37 GMT"))).lifetime
                == 0)
    }

    /// §2.1.22.
    @Test func `is the time from Date to Expires`() {
        let expires = ("Expires", "Sun, 06 Nov 1994 08:50:37 GMT")
        #expect(read(Case.stored(expires, ("Date", "Sun, 06 Nov 1994 08:50:07 GMT"))).lifetime == 30_000)
        #expect(read(Case.stored(expires)).lifetime == 60_000)
        #expect(read(Case.stored(expires, ("Date", "foo"))).lifetime == 60_000)
        #expect(read(Case.stored(expires)).source == .expires)
    }

    @Test(arguments: ["0", "-1", "", "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1984 08:49:37 GMT"])
    func `is over with an Expires that has passed or is none`(value: String) {
        let changed = ("Last-Modified", "Sun, 06 Nov 1984 08:49:37 GMT")
        let reading = read(Case.stored(("Expires", value), changed, ("Date", Case.date)))
        #expect(reading.lifetime == 0)
        #expect(!reading.isFresh)
    }

    @Test func `is not what s-maxage or other caches' fields say`() {
        let reading = read(
            Case.stored(
                ("Cache-Control", "s-maxage=60"), ("CDN-Cache-Control", "max-age=60"),
                ("Surrogate-Control", "max-age=60")))
        #expect(reading.lifetime == 0)
        #expect(reading.source == .none)
    }

    @Test func `is guessed from Last-Modified, up to a limit`() {
        let hours = Case.stored(("Last-Modified", "Sat, 05 Nov 1994 22:49:37 GMT"), ("Date", Case.date))
        #expect(read(hours).lifetime == 3_600_000)
        #expect(read(hours).source == .heuristic)
        let years = Case.stored(("Last-Modified", "Sun, 06 Nov 1904 08:49:37 GMT"), ("Date", Case.date))
        #expect(read(years).lifetime == 86_400_000)
        #expect(read(years, by: CachePolicy(heuristicFraction: 0)).lifetime == 0)
        #expect(read(years, by: CachePolicy(heuristicLimit: .seconds(5))).lifetime == 5000)
        #expect(read(Case.stored(("Last-Modified", "Sun, 06 Nov 2004 08:49:37 GMT"))).lifetime == 0)
    }

    @Test(arguments: [201, 302, 403, 500, 503, 599])
    func `is guessed for other statuses only when they are public`(status: Int) {
        let changed = ("Last-Modified", "Sat, 05 Nov 1994 22:49:37 GMT")
        #expect(read(Case.stored(changed, status: status)).source == .none)
        #expect(read(Case.stored(changed, ("Cache-Control", "public"), status: status)).source == .heuristic)
    }

    /// §2.1.10.
    @Test func `is the host's when it says so`() {
        let terms = RequestTerms(softLifetime: .seconds(5), hardLifetime: .seconds(90))
        let reading = read(Case.stored(("Cache-Control", "max-age=60")), terms: terms)
        #expect(reading.lifetime == 90_000)
        #expect(reading.softLifetime == 5000)
        #expect(reading.source == .host)
        #expect(read(Case.stored(("Cache-Control", "max-age=60"))).softLifetime == 60_000)
        #expect(
            read(Case.stored(("Cache-Control", "max-age=3")), terms: .init(softLifetime: .seconds(5))).softLifetime
                == 3000)
    }

    @Test func `ends when its age reaches it`() {
        let stored = Case.stored(("Cache-Control", "max-age=60"))
        #expect(read(stored, after: 59).isFresh)
        #expect(!read(stored, after: 60).isFresh)
    }

    @Test func `carries the leeway for stale use`() {
        let value = "max-age=1, stale-while-revalidate=2, stale-if-error=3"
        let reading = read(Case.stored(("Cache-Control", value)))
        #expect(reading.staleWhileRevalidate == 2000)
        #expect(reading.staleIfError == 3000)
        let strict = read(Case.stored(("Cache-Control", value + ", must-revalidate")))
        #expect(strict.mustRevalidate)
        #expect(strict.staleWhileRevalidate == 0)
    }

    @Test func `needs validation for no-cache of the whole, but not of a field`() {
        #expect(read(Case.stored(("Cache-Control", "no-cache, max-age=9"))).needsValidation)
        #expect(!read(Case.stored(("Cache-Control", "no-cache=\"x\", max-age=9"))).needsValidation)
        #expect(read(Case.stored(("Vary", "*"))).needsValidation)
    }

    @Test func `ends with an invalidation`() {
        let reading = read(Case.stored(("Cache-Control", "max-age=9"), isInvalidated: true))
        #expect(!reading.isFresh && !reading.needsValidation)
    }
}
