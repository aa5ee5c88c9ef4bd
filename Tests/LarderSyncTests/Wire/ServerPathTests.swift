// Proves that unsafe paths from a server are refused, and that sync requests are encoded safely.

import LarderSync
import Testing

@Suite struct `A path from the server` {
    @Test(arguments: [
        "/api/v4/resources/snapshots/translations/19", "/api/v4/resources/sync?cursor=abc%2F%2e%0A%25",
        "/api/v4/resources/sync?cursor=a//b..c@d/?e==", "/api/v4/", "/api/v4/a:b;c=1,2/~x!$&'()*+",
        "/api/v4/g/%D8%A7", "/api/v4/a.b/c.d", "/api/v4/x?", "/api/v4/.well",
    ])
    func `is used unchanged`(text: String) throws {
        #expect(try ServerPath(text).text == text)
    }

    @Test(arguments: [
        ("", ServerPath.Fault.foreignPrefix), ("https://apis.test/api/v4/x", .foreignPrefix),
        ("//evil.test/api/v4/x", .foreignPrefix), ("api/v4/x", .foreignPrefix), ("/api/v5/x", .foreignPrefix),
        ("/API/v4/x", .foreignPrefix), ("/api/v4", .foreignPrefix), ("/api//v4/x", .foreignPrefix),
        ("/api/v4//x", .emptySegment), ("/api/v4/a//", .emptySegment), ("/api/v4/../x", .dotSegment),
        ("/api/v4/..", .dotSegment), ("/api/v4/a..b", .dotSegment), ("/api/v4/..;/x", .dotSegment),
        ("/api/v4/./x", .dotSegment), ("/api/v4/.", .dotSegment), ("/api/v4/a\\b", .forbiddenByte),
        ("/api/v4/a b", .forbiddenByte), ("/api/v4/a\u{0}", .forbiddenByte), ("/api/v4/a\r\nx: y", .forbiddenByte),
        ("/api/v4/a\u{7F}", .forbiddenByte), ("/api/v4/é", .forbiddenByte), ("/api/v4/a#b", .forbiddenByte),
        ("/api/v4/a@b", .forbiddenByte), ("/api/v4/x?a#b", .forbiddenByte), ("/api/v4/x?a\\b", .forbiddenByte),
        ("/api/v4/x?a b", .forbiddenByte), ("/api/v4/x?a\nb", .forbiddenByte), ("/api/v4/x?é", .forbiddenByte),
        ("/api/v4/%2e%2e/x", .forbiddenEscape), ("/api/v4/%2E/x", .forbiddenEscape),
        ("/api/v4/a%2Fb", .forbiddenEscape),
        ("/api/v4/a%5cb", .forbiddenEscape), ("/api/v4/a%00", .forbiddenEscape), ("/api/v4/a%7f", .forbiddenEscape),
        ("/api/v4/%252e", .forbiddenEscape), ("/api/v4/%c0%af", .forbiddenEscape), ("/api/v4/%C2%85", .forbiddenEscape),
        ("/api/v4/%", .malformedEscape), ("/api/v4/%2", .malformedEscape), ("/api/v4/%zz", .malformedEscape),
        ("/api/v4/x?%4", .malformedEscape), ("/api/v4/x?%g0", .malformedEscape),
        ("/api/v4/" + String(repeating: "a", count: 16 << 10), .tooLong),
    ])
    func `that could lead elsewhere is refused`(text: String, fault: ServerPath.Fault) {
        #expect(throws: WireError.unsafePath(fault)) { try ServerPath(text) }
    }
}

@Suite struct `A sync request` {
    @Test func `names the filter, the start and the page size, encoded`() throws {
        let filter = ResourceFilter("translations:6,1;articles:*")
        let resources = "resources=articles%3A%2A%3Btranslations%3A1%2C6"
        #expect(
            SyncRequest(filter: filter, start: .bootstrap).path.text
                == "/api/v4/resources/sync?\(resources)&bootstrap=true&per_page=100")
        #expect(
            SyncRequest(filter: filter, start: .token("a+/=&é"), perPage: 7).path.text
                == "/api/v4/resources/sync?\(resources)&sync_token=a%2B%2F%3D%26%C3%A9&per_page=7")
    }

    @Test(arguments: ["t", "a/../b", "//evil.test", "x#y", "\u{0}\n %2e", "اردو"])
    func `is a safe path whatever the token`(token: String) throws {
        let path = SyncRequest(filter: ResourceFilter("é/..:*"), start: .token(token)).path
        #expect(try ServerPath(path.text) == path)
    }
}
