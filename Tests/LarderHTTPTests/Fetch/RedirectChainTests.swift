// Proves that a chain of redirections never leads from https to http.
import HTTPTypes
import LarderFormat
import Testing

@testable import LarderHTTP

@Suite struct `A chain of redirections` {
    @Test(arguments: [
        ("https", "http", false), ("https", "https", true), ("http", "https", true), ("http", "http", true),
    ])
    func `is not followed from https to http`(_ here: String, _ there: String, _ isFollowed: Bool) throws {
        let first = try #require(FetchRequest("\(here)://origin.test/a"))
        var chain = RedirectChain(first, limit: 1, credentials: CredentialFields())
        let head = HTTPResponse(status: .found, headerFields: [.location: "\(there)://other.test/b"])
        let next = try chain.request(after: head)
        #expect((next?.request.scheme == there) == isFollowed)
    }
}
