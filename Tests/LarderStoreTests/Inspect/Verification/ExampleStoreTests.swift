// Proves that the records shown in FORMAT.md make up one sound store.

import Foundation
import LarderFormat
import LarderStore
import Testing

/// Proves that the records shown in FORMAT.md are, together, one sound store.
@Suite struct `The store in FORMAT.md` {
    private let directory = TemporaryStore()

    @Test func `verifies without a finding`() throws {
        let store = try directory.open()
        let raw = try RawStore(directory.path)
        let shown = try shownRecords()
        #expect(Set(shown.map(\.table)) == Set(TableName.allCases))
        try raw.replace(try raw.records(), by: shown)
        #expect(try store.findings() == [])
        try raw.close()
        try store.close()
    }

    /// The page's blocks that show a record, but for the one that only a diagnostic copy has.
    private func shownRecords() throws -> [RawRecord] {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        let page = try String(contentsOf: root.appending(path: "FORMAT.md"), encoding: .utf8)
        return try page.components(separatedBy: "```vector name=record-").dropFirst().compactMap { block in
            let lines = block.prefix { $0 != "`" }.split(separator: "\n")
            func value(_ name: String) -> Substring? {
                lines.first { $0.hasPrefix(name + " = ") }?.dropFirst(name.count + 3)
            }
            guard let table = value("table"), value("key") != #"("diagnostics")"# else { return nil }
            return RawRecord(
                table: try #require(TableName(rawValue: String(table))), key: bytes(value("key bytes")),
                value: bytes(value("value bytes")))
        }
    }

    private func bytes(_ text: Substring?) -> [UInt8] {
        text?.split(separator: " ").compactMap { UInt8($0, radix: 16) } ?? []
    }
}
