// Proves that Vary selects stored responses as RFC 9111 §4.1 says, and compares secrets by keyed hash.

import HTTPTypes
import Testing

@testable import LarderHTTP

@Suite struct `Vary` {
    private typealias Case = PolicyCase
    private let fresh = ("Cache-Control", "max-age=60")

    private func summary(_ vary: String, _ first: (String, String)..., then second: (String, String)...) -> String {
        var request = Case.request()
        request.headerFields = Case.fields(first)
        guard let stored = Case.storedResponse(Case.response(200, fresh, ("Vary", vary)), to: request) else {
            return "refused"
        }
        request.headerFields = Case.fields(second)
        return Case.reuse(request, stored).summary
    }

    @Test func `selects by equal values, and by none on both sides`() {
        #expect(summary("Foo", ("Foo", "1"), then: ("foo", "1"), ("Other", "2")) == "reuse fresh 0")
        #expect(summary("Foo, Bar", ("Foo", "1"), then: ("Foo", "1")) == "reuse fresh 0")
    }

    @Test func `does not select by other values, or by none on one side`() {
        #expect(summary("Foo", ("Foo", "1"), then: ("Foo", "2")) == "forward vary-mismatch")
        #expect(summary("Foo", ("Foo", "1")) == "forward vary-mismatch")
        #expect(summary("Foo", then: ("Foo", "1")) == "forward vary-mismatch")
        #expect(
            summary("Foo, Bar", ("Foo", "1"), ("Bar", "2"), then: ("Foo", "1"), ("Bar", "3")) == "forward vary-mismatch"
        )
    }

    @Test func `ignores differences in spaces and lines`() {
        #expect(summary("Foo", ("Foo", "1,2"), then: ("Foo", " 1 , 2 ")) == "reuse fresh 0")
        #expect(summary("Foo", ("Foo", "1, 2"), then: ("Foo", "1"), ("Foo", "2")) == "reuse fresh 0")
        #expect(summary("Foo", ("Foo", "\"a,b\""), then: ("Foo", "\"a, b\"")) == "forward vary-mismatch")
    }

    @Test func `ignores case only where it means nothing`() {
        #expect(
            summary("Accept-Language", ("Accept-Language", "en, de"), then: ("Accept-Language", "eN,De"))
                == "reuse fresh 0")
        #expect(summary("Foo", ("Foo", "a"), then: ("Foo", "A")) == "forward vary-mismatch")
    }

    @Test func `distinguishes bytes that are not text`() {
        var one = Case.request()
        one.headerFields.append(HTTPField(name: .accept, value: [0xFC]))
        var other = Case.request()
        other.headerFields.append(HTTPField(name: .accept, value: [0xC3, 0xBC]))
        let stored = Case.storedResponse(Case.response(200, fresh, ("Vary", "Accept")), to: one)!
        #expect(Case.reuse(one, stored).summary == "reuse fresh 0")
        #expect(Case.reuse(other, stored).summary == "forward vary-mismatch")
    }

    @Test func `compares secrets by their hash`() throws {
        let policy = CachePolicy(selectingSalt: Array(1...32))
        let request = Case.request(.get, ("Authorization", "Bearer x"))
        let stored = try #require(
            Case.storedResponse(Case.response(200, fresh, ("Vary", "Authorization")), to: request, by: policy))
        func summary(_ request: HTTPRequest) -> String {
            policy.reuse(request, url: Case.url, among: [stored], at: Case.then).summary
        }
        #expect(summary(request) == "reuse fresh 0")
        #expect(summary(Case.request(.get, ("Authorization", "Bearer y"))) == "forward vary-mismatch")
        #expect(summary(Case.request()) == "forward vary-mismatch")
    }

    @Test func `of everything never selects what is stored all the same`() {
        #expect(Case.reuse(Case.request(), Case.stored(fresh, ("Vary", "*"))).summary == "forward vary-mismatch")
    }

    @Test func `among several that are selected uses the most recent`() {
        let old = Case.stored(fresh, ("Date", "Sun, 06 Nov 1994 08:49:30 GMT"))
        let new = Case.stored(fresh, ("Date", "Sun, 06 Nov 1994 08:49:36 GMT"))
        #expect(Case.reuse(Case.request(), old, new, old).summary == "reuse fresh 1")
    }
}

@Suite struct `A fingerprint` {
    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    @Test func `is made with SHA-256 as it is published`() {
        #expect(
            hex(Fingerprint.digest(Array("abc".utf8)))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            hex(Fingerprint.digest([])) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(
            hex(Fingerprint.digest(Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8)))
                == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    }

    @Test func `is keyed as in RFC 4231`() {
        #expect(
            hex(Fingerprint.authentication(of: Array("Hi There".utf8), key: [UInt8](repeating: 0x0B, count: 20)))
                == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        #expect(
            hex(Fingerprint.authentication(of: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8)))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }
}
