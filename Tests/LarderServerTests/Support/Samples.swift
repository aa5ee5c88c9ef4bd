// Samples: an origin, rows and pages that the server's tests share.

import LarderServer
import Testing

/// 2026-05-05T10:05:00Z.
let sampleTime: Int64 = 1_777_975_500_000

extension Origin {
    /// An origin whose clock stands still and whose secret is known.
    static func sample(groups: GroupTable = .standard, changeLimit: Int = 1_000_000) -> Origin {
        Origin(secret: TokenSecret(1, 2), groups: groups, changeLimit: changeLimit) { sampleTime }
    }
}

extension Origin.ResourceID {
    static let translation19 = Origin.ResourceID("translations", 19)
}

extension Origin.Row {
    /// A row of a translation.
    static func translation(_ id: Int, _ text: String = "…") -> Origin.Row {
        Origin.Row(type: "translation", key: String(id), #"{"id":\#(id),"text":"\#(text)"}"#)
    }
}

extension OriginPage {
    /// The names and numbers of the changes, as in `ROW_UPDATE 7`.
    var summary: [String] { changes.map { "\($0.kind.name) \($0.sequence)" } }
}

extension SyncOrigin {
    /// A page, requested as a client does.
    func answer(_ query: String) async throws -> OriginPage { try await page(OriginQuery(parsing: query)) }

    /// The token at the end of a first sync of `filter`.
    func bootstrapToken(_ filter: String) async throws -> String {
        var page = try await answer("resources=\(filter)&bootstrap=true&per_page=100")
        while let cursor = page.cursor { page = try await answer("cursor=\(cursor)") }
        return try #require(page.token)
    }
}
