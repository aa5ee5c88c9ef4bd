// Proves that URI references are resolved and compared as in RFC 3986.

import LarderTransport
import Testing

@Suite struct `A URI reference` {
    private static let examples = [
        ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"),
        ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
        ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"),
        ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"), ("g;x=1/../y", "http://a/b/c/y"), ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("http:g", "http:g"),
    ]

    @Test(arguments: examples)
    func `is resolved as in RFC 3986`(reference: String, target: String) throws {
        let base = try #require(URIReference("http://a/b/c/d;p?q"))
        let resolved = base.resolving(try #require(URIReference(reference)))
        #expect(resolved.text == target)
    }

    @Test func `is of an origin by scheme, host and port`() {
        let origin = URIReference("http://Example.test:80/x")?.origin
        #expect(origin == URIReference("HTTP://user@example.test?y")?.origin)
        #expect(origin != URIReference("https://example.test/x")?.origin)
        #expect(origin != URIReference("http://example.test:8080/x")?.origin)
        #expect(URIReference("http://[::1]:80/")?.origin == URIReference("http://[::1]/")?.origin)
        #expect(URIReference("/x")?.origin == nil)
        #expect(URIReference("http:///x")?.origin == nil)
    }

    @Test(arguments: ["a b", "a\nb", "\u{7F}", "ü"])
    func `with what no URI holds is none`(text: String) {
        #expect(URIReference(text) == nil)
    }
}
