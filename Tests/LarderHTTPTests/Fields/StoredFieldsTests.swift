// Proves that stored header fields exclude hop-by-hop and secret ones, and stay byte for byte the same.

import HTTPTypes
import Testing

@testable import LarderHTTP

@Suite struct `The fields that are stored` {
    @Test func `are those that are not of one hop and not secret`() {
        let stored = StoredFields.selected(
            from: PolicyCase.fields([
                ("Connection", "close, A , b"), ("a", "1"), ("B", "2"), ("c", "3"), ("Keep-Alive", "x"), ("TE", "x"),
                ("Transfer-Encoding", "chunked"), ("Upgrade", "x"), ("Trailer", "x"), ("Proxy-Authenticate", "x"),
                ("Proxy-Authentication-Info", "x"), ("Proxy-Connection", "x"), ("Set-Cookie", "s=1"),
                ("Set-Cookie2", "s=1"), ("Authentication-Info", "x"), ("WWW-Authenticate", "Basic"), ("c", "4"),
            ]))
        #expect(stored.map { "\($0.name.canonicalName)=\($0.value)" } == ["c=3", "www-authenticate=Basic", "c=4"])
    }

    @Test func `hold what a cache reads, whatever Connection names`() {
        let stored = StoredFields.selected(
            from: PolicyCase.fields([
                ("Connection", "cache-control, etag"), ("Cache-Control", "no-cache"), ("ETag", "\"a\""),
            ]))
        #expect(stored.has("cache-control"))
        #expect(stored.has("etag"))
    }

    /// §2.1.5.
    @Test func `come byte for byte`() {
        var fields = HTTPFields()
        fields.append(HTTPField(name: .eTag, value: [0x22, 0xFC, 0x22]))
        #expect(StoredFields.selected(from: fields).first("etag") == [0x22, 0xFC, 0x22])
    }
}
