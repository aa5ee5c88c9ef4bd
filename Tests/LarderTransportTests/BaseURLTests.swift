// Proves that a base URL is validated and paths are appended without changing the host.

import HTTPTypes
import LarderTransport
import Testing

@Suite struct `A base address` {
    @Test(arguments: [
        ("https://api.example.org", "https", "api.example.org", ""),
        ("https://api.example.org/", "https", "api.example.org", ""),
        ("HTTPS://API.example.ORG/Content/", "https", "api.example.org", "/Content"),
        ("http://127.0.0.1:8080/content/v1", "http", "127.0.0.1:8080", "/content/v1"),
        ("http://[::1]:8080/a%20b", "http", "[::1]:8080", "/a%20b"),
    ])
    func `has a scheme, an authority and a base path`(text: String, scheme: String, authority: String, path: String)
        throws
    {
        let url = try #require(BaseURL(text))
        #expect(url.scheme == scheme)
        #expect(url.authority == authority)
        #expect(url.basePath == path)
        #expect(BaseURL(url.description) == url)
    }

    @Test(arguments: [
        "", "api.example.org", "//api.example.org", "ftp://api.example.org", "https:/api.example.org", "https://",
        "https:///path", "https://user@host", "https://user:word@host", "https://host:0", "https://host:65536",
        "https://host:", "https://host:+1", "https://host:8o", "https://[::1", "https://[]", "https://[host]",
        "https://::1",
        "https://host?q", "https://host/?q=1", "https://host/a#f", "https://host/a//b", "https://host//",
        "https://host/a/../b",
        "https://host/..", "https://host/.", "https://host/%2e%2E/b", "https://host/.%2e", "https://host/a%2fb",
        "https://host/a%5Cb", #"https://host/a\b"#, #"https://host\@evil"#, "https://host/a b", "https://ho st/",
        "https://host/%zz", "https://host/%2", "https://hôst/", "https://host/é", "https://host/\u{0}", " https://host",
        "https://host/\n",
    ])
    func `is nothing else`(text: String) {
        #expect(BaseURL(text) == nil)
    }

    @Test func `appends a path as text, whatever a resolver would do with it`() throws {
        let url = BaseURL("https://host/content")
        let request = url.request(.put, appending: "/api/v4/changes?next=%2F&x=1", headers: [.ifMatch: "a"])
        #expect(request.method == .put)
        #expect(request.scheme == "https")
        #expect(request.authority == "host")
        #expect(request.path == "/content/api/v4/changes?next=%2F&x=1")
        #expect(request.headerFields[.ifMatch] == "a")
        #expect(url.request(appending: "//evil.test/x").path == "/content//evil.test/x")
    }

    @Test(arguments: [
        "@evil.test/", ".evil.test/", ":80@evil.test/", "evil", "", "\\evil/", "/é", "/a/%2e./b", "/%2E", "/a/.%2e?b",
        "/%", "/%4", "/%%41",
    ])
    func `never becomes another host`(appended: String) throws {
        let url = BaseURL("https://host")
        let error = #expect(throws: TransportError.self) { try RequestTarget(url.request(appending: appended)) }
        #expect(error?.isRetryable == false)
    }

    @Test(arguments: ["/", "/a/b?q=../..", "/a%2Fb?x=%2e%2e", "/a..b/.well-known/...", "/%2f../.%2e.", "/?"])
    func `accepts every well-formed path`(path: String) throws {
        let url = BaseURL("http://host:1")
        #expect(try RequestTarget(url.request(appending: path)).text == "http://host:1" + path)
    }

    @Test func `needs a scheme and an authority in the request`() {
        #expect(throws: TransportError.self) {
            try RequestTarget(HTTPRequest(method: .get, scheme: nil, authority: "host", path: "/"))
        }
        #expect(throws: TransportError.self) {
            try RequestTarget(HTTPRequest(method: .get, scheme: "http", authority: nil, path: "/"))
        }
        #expect(throws: TransportError.self) {
            try RequestTarget(HTTPRequest(method: .get, scheme: "http", authority: "user@host", path: "/"))
        }
    }
}
