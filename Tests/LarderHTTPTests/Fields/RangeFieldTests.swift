// Proves that Range and Content-Range are parsed and resolved as in RFC 9110.

import Testing

@testable import LarderHTTP

@Suite struct `A range` {
    private func range(_ text: String) -> RangeRequest { RangeRequest(Array(text.utf8)) }

    @Test func `is read with its ends`() {
        #expect(range("bytes=0-499") == .from(0, last: 499))
        #expect(range("bytes=9500-") == .from(9500, last: nil))
        #expect(range("Bytes=-500") == .suffix(500))
        #expect(range("bytes= 0-0, , ") == .from(0, last: 0))
        #expect(range("bytes=0-0,-1") == .several)
    }

    @Test(arguments: [
        "", "bytes", "bytes=", "bytes=-", "bytes=5-4", "bytes=a-b", "bytes=1 -2", "items=0-1", "bytes=0-1,x",
    ])
    func `that cannot be understood is all`(text: String) {
        #expect(range(text) == .whole)
    }

    @Test func `meets a representation of 10,000 bytes as in RFC 9110`() {
        #expect(range("bytes=0-499").resolved(total: 10_000) == 0..<500)
        #expect(range("bytes=-500").resolved(total: 10_000) == 9500..<10_000)
        #expect(range("bytes=9500-").resolved(total: 10_000) == 9500..<10_000)
        #expect(range("bytes=9999-20000").resolved(total: 10_000) == 9999..<10_000)
        #expect(range("bytes=-20000").resolved(total: 10_000) == 0..<10_000)
        #expect(range("bytes=10000-").resolved(total: 10_000) == nil)
        #expect(range("bytes=-0").resolved(total: 10_000) == nil)
        #expect(range("bytes=-5").resolved(total: 0) == nil)
        #expect(range("bytes=99999999999999999999-").resolved(total: 10_000) == nil)
        #expect(range("bytes=0-99999999999999999999").resolved(total: .max) != nil)
    }

    @Test func `of a content says which bytes it is`() {
        #expect(ContentRange(Array("bytes 42-1233/1234".utf8)) == ContentRange(42..<1234, total: 1234))
        #expect(ContentRange(Array("bytes 42-1233/*".utf8)) == ContentRange(42..<1234, total: nil))
        #expect(ContentRange(42..<1234, total: 1234).text == "bytes 42-1233/1234")
        #expect(ContentRange(42..<1234, total: nil).text == "bytes 42-1233/*")
    }

    @Test(arguments: [
        "", "bytes */1234", "bytes 5-4/10", "bytes 0-10/10", "bytes 0-1", "bytes=0-1/2", "x 0-1/2",
    ])
    func `of a content that contradicts itself is none`(text: String) {
        #expect(ContentRange(Array(text.utf8)) == nil)
    }
}
