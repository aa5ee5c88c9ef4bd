// Proves that the bytes of FORMAT.md, "Compressed values", are decompressed, and that this library writes such bytes.

#if Compression
import Foundation
import LarderCompression
import LarderFormat
import Testing

@testable import LarderEngine
@testable import LarderStore

@Suite struct `The vectors of compressed values` {
    /// The bytes of the lines of a vector block of FORMAT.md that have bytes.
    private func block(_ name: String) throws -> [String: [UInt8]] {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        let page = try String(contentsOf: root.appending(path: "FORMAT.md"), encoding: .utf8)
        let text = try #require(page.components(separatedBy: "```vector name=\(name)\n").dropFirst().first)
        let end = try #require(text.range(of: "```"))
        var lines: [String: [UInt8]] = [:]
        for line in text[..<end.lowerBound].split(separator: "\n") {
            let parts = try #require(line.range(of: " = "))
            let bytes = line[parts.upperBound...].split(separator: " ").map { UInt8($0, radix: 16) }
            if bytes.allSatisfy({ $0 != nil }) { lines[String(line[..<parts.lowerBound])] = bytes.compactMap(\.self) }
        }
        return lines
    }

    @Test func `are decompressed to the plain value, which verifies`() throws {
        let block = try block("compressed")
        let plain = try #require(block["plain bytes"])
        let key = try RowKeyCoding.key(generation: 7, type: "verse", key: "9")
        _ = try Record.open(plain.rawSpan, key: key.rawSpan, seed: Checksum.ownerSeed(ResourceKey("translations", 19)))
        let compression = RowCompression(.zstd(groups: []))
        let content = try #require(block["dictionary"])
        let record = DictionaryRecord(number: 3, content: content)
        #expect(record.content == content)
        for (name, dictionary) in [("without dictionary", 0), ("with dictionary", 3)] as [(String, UInt32)] {
            let value = try #require(block[name])
            let stated = CompressedValue(of: value.rawSpan)
            #expect(stated?.dictionary == dictionary && stated?.plainSize == plain.count)
            var output = [UInt8](repeating: 0, count: plain.count)
            func decompress() -> Decompression {
                output.withMutableRawSpan { compression.decompress(value.rawSpan, into: &$0) }
            }
            if dictionary != 0 {
                let key = DictionaryRecord.key(dictionary)
                #expect(decompress() == .needs(record: key))
                let stored = Record.seal(body: record.encode().rawSpan, key: key.rawSpan, seed: TableName.meta.seed)
                compression.load(stored.rawSpan, of: key)
            }
            #expect(decompress() == .done && output == plain, "\(name)")
            let compressor = try #require(compression.compressor(dictionary))
            let made = compression.compressed(plain.rawSpan, by: compressor)
            let written = try #require(made)
            #expect(written.count <= value.count + 8, "\(name)")
            var again = [UInt8](repeating: 0, count: plain.count)
            let outcome = again.withMutableRawSpan { compression.decompress(written.rawSpan, into: &$0) }
            #expect(outcome == .done && again == plain, "\(name)")
        }
    }

    @Test func `have the record of the dictionaries`() throws {
        let block = try block("dictionaries")
        var record = DictionariesRecord()
        (record.next, record.entries) = (4, [.init(number: 3, group: "translations")])
        let key = DictionariesRecord.key
        #expect(key == block["key bytes"])
        let value = Record.seal(body: record.encode().rawSpan, key: key.rawSpan, seed: TableName.meta.seed)
        #expect(value == block["value bytes"])
    }
}
#endif
