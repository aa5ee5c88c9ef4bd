// Proves which responses may be stored, and which of their fields (RFC 9111 §3).

import HTTPTypes
import LarderFormat
import Testing

@testable import LarderHTTP

@Suite struct `Storing a response` {
    private typealias Case = PolicyCase

    @Test(arguments: [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501])
    func `is right for a status that is cacheable by itself`(status: Int) {
        #expect(Case.storageWord(Case.response(status)) == "stored")
    }

    @Test(arguments: [201, 202, 302, 307, 400, 403, 500, 502, 503, 504, 599])
    func `is right for any other final status only if the response says so`(status: Int) {
        #expect(Case.storageWord(Case.response(status)) == "not-cacheable")
        for field in [("Cache-Control", "max-age=1"), ("Cache-Control", "public"), ("Expires", "0")] {
            #expect(Case.storageWord(Case.response(status, field)) == "stored")
        }
        #expect(Case.storageWord(Case.response(status, ("Cache-Control", "private"))) == "stored")
        #expect(Case.storageWord(Case.response(status, ("Cache-Control", "s-maxage=9"))) == "not-cacheable")
    }

    @Test func `is refused when either side says no-store`() {
        #expect(Case.storageWord(Case.response(200, ("Cache-Control", "max-age=9, No-StOrE"))) == "no-store")
        let request = Case.request(.get, ("Cache-Control", "no-store"))
        #expect(Case.storageWord(Case.response(200, ("Cache-Control", "max-age=9")), to: request) == "request-no-store")
    }

    /// §2.1.21.
    @Test func `reads none as no-store where that spelling is understood`() {
        let response = Case.response(200, ("Cache-Control", "none"))
        #expect(Case.storageWord(response) == "no-store")
        #expect(Case.storageWord(response, to: Case.request(.get, ("Cache-Control", "none"))) == "request-no-store")
        #expect(Case.storageWord(response, by: CachePolicy(understandsSourceSpellings: false)) == "stored")
    }

    @Test func `with must-understand goes by the status`() {
        let value = ("Cache-Control", "max-age=9, no-store, must-understand")
        #expect(Case.storageWord(Case.response(200, value)) == "stored")
        #expect(Case.storageWord(Case.response(599, value)) == "must-understand")
    }

    @Test(arguments: [HTTPRequest.Method.head, .post, .put, .delete, .options])
    func `is only for GET`(method: HTTPRequest.Method) {
        let response = Case.response(200, ("Cache-Control", "max-age=9"))
        #expect(Case.storageWord(response, to: Case.request(method)) == "method")
    }

    /// RFC 9110 §9.3.3.
    @Test(arguments: [
        "/a/b?c=d", Case.url, "?c=d", "HTTPS://EXAMPLE.test:443/a/b?c=d", "b?c=d#z", "",
    ])
    func `is right for a POST that says it is its target, and for how long`(location: String) {
        let named = ("Content-Location", location)
        for fresh in [("Cache-Control", "max-age=9"), ("Expires", PolicyCase.date)] {
            let stored = Case.storedResponse(Case.response(200, fresh, named), to: Case.request(.post))
            #expect(stored?.method == .get)
            #expect(stored?.url == Case.url)
        }
    }

    @Test func `is refused for any other POST`() {
        let fresh = ("Cache-Control", "max-age=9")
        for location in ["/a/b", "/a/b?c=e", "https://other.test/a/b?c=d", "http://example.test/a/b?c=d", "a b"] {
            let response = Case.response(200, fresh, ("Content-Location", location))
            #expect(Case.storageWord(response, to: Case.request(.post)) == "method", "\(location)")
        }
        let named = ("Content-Location", Case.url)
        let refused = [
            Case.response(200, named), Case.response(200, named, ("Cache-Control", "public, s-maxage=9")),
            Case.response(201, named, fresh), Case.response(204, named, fresh), Case.response(404, named, fresh),
            Case.response(200, named, named, fresh),
        ]
        for response in refused {
            #expect(Case.storageWord(response, to: Case.request(.post)) == "method", "\(response)")
        }
        let other = Case.response(200, named, fresh)
        #expect(Case.storageWord(other, to: Case.request(.put)) == "method")
        #expect(
            Case.storageWord(other, to: Case.request(.post, ("Cache-Control", "no-store"))) == "request-no-store")
    }

    @Test func `is not for what is not final, nor for a 304`() {
        #expect(Case.storageWord(Case.response(103, ("Cache-Control", "max-age=9"))) == "interim")
        #expect(Case.storageWord(Case.response(304, ("Cache-Control", "max-age=9"))) == "unrelated")
    }

    @Test func `is right for what is private or was fetched with credentials`() {
        let request = Case.request(.get, ("Authorization", "Basic x"), ("Cookie", "a=b"))
        let stored = Case.storedResponse(Case.response(200, ("Cache-Control", "private, max-age=9")), to: request)
        #expect(stored?.selecting == [])
    }

    /// RFC 9110 §15.3.7.3.
    @Test func `of all bytes makes it a 200`() {
        let complete = Case.storedResponse(
            Case.response(206, ("Content-Range", "bytes 0-9/10"), ("Content-Type", "a/b")))
        #expect(complete?.status == .ok)
        #expect(complete?.coverage == .whole)
        #expect(complete?.fields[.contentRange] == nil)
        #expect(complete?.fields[.contentType] == "a/b")
        #expect(Case.storedResponse(Case.response(206, ("Content-Range", "bytes 0-9/*")))?.status == .partialContent)
    }

    @Test func `stores a part with its place`() {
        let part = Case.response(206, ("Cache-Control", "max-age=9"), ("Content-Range", "bytes 4-9/10"))
        #expect(Case.storedResponse(part)?.coverage == .part(4..<10, total: 10))
        #expect(Case.storedResponse(Case.response(206, ("Content-Range", "bytes 0-9/10")))?.coverage == .whole)
        #expect(Case.storageWord(Case.response(206)) == "bad-range")
        #expect(Case.storageWord(Case.response(206, ("Content-Range", "bytes */10"))) == "bad-range")
        let several = Case.response(
            206, ("Content-Type", "Multipart/byteranges; boundary=x"), ("Content-Range", "bytes 0-1/10"))
        #expect(Case.storageWord(several) == "bad-range")
    }

    @Test func `stores the target without its fragment, and both times`() {
        let decision = Case.policy.storage(
            of: Case.response(), to: Case.request(), url: "https://example.test/x#y", requestedAt: 1, receivedAt: 2)
        guard case .store(let stored, _) = decision else { return #expect(Bool(false)) }
        #expect(stored.url == "https://example.test/x")
        #expect(stored.requestedAt == 1)
        #expect(stored.receivedAt == 2)
        #expect(stored.method == .get)
    }

    @Test func `dates what has no date`() {
        #expect(Case.storedResponse(Case.response())?.fields[.date] == Case.date)
        #expect(Case.storedResponse(Case.response(200, ("Date", "x")))?.fields[values: .date] == ["x"])
    }

    @Test func `stores what Vary names of the request`() {
        let request = Case.request(.get, ("Foo", "1,2"), ("Foo", " 3 "), ("Accept-Language", "EN,de"))
        let stored = Case.storedResponse(
            Case.response(200, ("Vary", "Foo, accept-language"), ("Vary", "Bar, foo")), to: request)
        #expect(
            stored?.selecting == [
                .init(name: "foo", value: "1, 2, 3"), .init(name: "accept-language", value: "en, de"),
                .init(name: "bar", value: nil),
            ])
    }

    @Test(arguments: ["*", "*, *", ", *", "Foo, *", "*, Foo", "Foo, @"])
    func `is of no use when nothing can select it`(vary: String) {
        #expect(Case.storageWord(Case.response(200, ("Vary", vary))) == "vary-any")
    }

    @Test func `hashes a secret that selects, and without a salt refuses`() throws {
        let response = Case.response(200, ("Vary", "Cookie"))
        let request = Case.request(.get, ("Cookie", "session=12345678"))
        #expect(Case.storageWord(response, to: request) == "vary-secret")
        let salted = CachePolicy(selectingSalt: [UInt8](repeating: 7, count: 16))
        let other = CachePolicy(selectingSalt: [UInt8](repeating: 8, count: 16))
        let value = try #require(Case.storedResponse(response, to: request, by: salted)?.selecting.first?.value)
        #expect(value.utf8.count == 32)
        #expect(!value.contains("1234"))
        #expect(Case.storedResponse(response, to: request, by: other)?.selecting.first?.value != value)
        #expect(Case.storedResponse(response, by: Case.policy)?.selecting == [.init(name: "cookie", value: nil)])
    }

    @Test func `is refused for a head beyond any measure`() {
        var response = Case.response()
        for number in 0...StoredFields.limit {
            response.headerFields.append(HTTPField(name: .init("x-\(number)")!, value: ""))
        }
        #expect(Case.storageWord(response) == "too-many-fields")
    }
}
