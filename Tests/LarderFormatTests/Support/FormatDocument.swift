// FormatDocument: reads the vector blocks of FORMAT.md.

import Foundation
import LarderFormat
import Testing

/// The `vector` blocks of FORMAT.md.
struct FormatDocument {
    /// One block: its lines, split at the first ` = `.
    struct Block {
        let name: String
        let lines: [(left: String, right: String)]

        func value(_ name: String) throws -> String {
            try #require(lines.first { $0.left == name }?.right, "no \(name) in block \(self.name)")
        }

        func bytes(_ name: String) throws -> [UInt8] {
            let text = try value(name)
            return try #require([UInt8](hexadecimal: text))
        }

        func elements(_ name: String) throws -> [TupleElement] {
            let text = try value(name)
            return try #require(TupleLiteral.elements(text), "no tuple: \(text)")
        }

        func number(_ name: String) throws -> UInt64 { try hexadecimalNumber(try value(name)) }

        /// The seed of the record that the block shows: of the table, and of the owner if one is named.
        func seed() throws -> UInt64 {
            let table = try #require(TableName(rawValue: try value("table")))
            guard lines.contains(where: { $0.left == "owner" }) else { return table.seed }
            return Checksum.ownerSeed(try owner())
        }

        func owner() throws -> ResourceKey {
            let elements = try elements("owner")
            guard elements.count == 2, case .text(let group) = elements[0], case .integer(let id) = elements[1] else {
                throw FormatError.notAStore
            }
            return ResourceKey(group, id)
        }
    }

    let blocks: [Block]

    init() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "FORMAT.md"), encoding: .utf8)
        let fence = "```"
        let start = fence + "vector name="
        var blocks: [Block] = []
        var name: String?
        var lines: [(left: String, right: String)] = []
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix(start) {
                name = String(line.dropFirst(start.count))
                lines = []
            } else if line == fence, let finished = name {
                blocks.append(Block(name: finished, lines: lines))
                name = nil
            } else if name != nil {
                let parts = try #require(line.firstRange(of: " = "), "no ' = ' in: \(line)")
                lines.append((String(line[..<parts.lowerBound]), String(line[parts.upperBound...])))
            }
        }
        self.blocks = blocks
    }

    func block(_ name: String) throws -> Block {
        try #require(blocks.first { $0.name == name }, "FORMAT.md has no block \(name)")
    }

    /// The blocks that each show a whole record.
    var records: [Block] { blocks.filter { $0.name.hasPrefix("record-") && $0.name != "record-keys" } }
}

/// Reads `0x…`.
func hexadecimalNumber(_ text: some StringProtocol) throws -> UInt64 {
    try #require(text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : nil, "no number: \(text)")
}
