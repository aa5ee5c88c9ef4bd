// Proves for any bytes: the loader of dumps makes a store of them or reports a typed error; a store that it makes can be
// checked, and where its records are sound, its dump is loaded as a store with the same dump.

import Foundation
import LarderEngine
import LarderFormat
import LarderStore

@testable import CacheToolDumps

enum FuzzTarget {
    static var seeds: [[UInt8]] {
        let lines = sample.split(separator: 0x0A).dropFirst().dropLast()
        let records = Array(lines.joined(separator: [0x0A]))
        // A record of each table after those that every store has.
        let needed = lines.filter { $0.starts(with: Array("{\"table\":\"meta\"".utf8)) }
        return [[0] + sample, [1] + records, [2] + Array("VERSION=3\nformat=bytevalue\ndatabase=meta\n".utf8)]
            + lines.map { [1] + Array((needed + [$0]).joined(separator: [0x0A])) }
    }

    private static let directory = StoreDirectory()
    private static let file = MemoryFile()
    private static let sample = makeSample()

    static func run(_ input: [UInt8]) {
        var input = FuzzedBytes(input)
        let kind = input.number(below: 3)
        let text = kind == 1 ? frame(input.remainder()) : input.remainder()
        guard load(text, into: "first", isLMDB: kind == 2) else { return }
        // The records may be damaged, which a check and a dump report.
        guard let dump = typed({ try self.dump("first") }) else { return }
        require(load(dump, into: "second"), "not loaded: \(String(decoding: dump, as: UTF8.self))")
        let again = typed { try self.dump("second") }
        let expected = isSelfTest ? dump.dropLast() : dump
        require(again == expected, "the dump of a loaded dump is another one")
    }

    /// Makes a store of a dump; returns false where the loader refuses it.
    private static func load(_ text: [UInt8], into name: String, isLMDB: Bool = false) -> Bool {
        file.resize(to: 0)
        file.write(text, at: 0)
        let path = directory.clear(name)
        return typed {
            try Store.make(at: path) { filler in
                if isLMDB {
                    var reader = try LMDBTextReader(file.path)
                    try reader.read(into: &filler) { _ in }
                } else {
                    var reader = try DumpReader(file.path)
                    try reader.read(into: &filler) { _ in }
                }
            }
        } != nil
    }

    /// Checks a store and returns its dump.
    private static func dump(_ name: String) throws -> [UInt8] {
        let path = "\(directory.path)/\(name)"
        let store = try Store.open(at: path, options: StoreOptions(access: .readOnly), host: .fuzz)
        defer { try? store.close() }
        _ = try store.findings()
        var text: [UInt8] = []
        try store.read { view in
            var writer = DumpWriter { text += $0 }
            try writer.write(view, redact: false) { _, _ in }
        }
        return text
    }

    /// Returns lines of records with a header and a trailer that fit.
    private static func frame(_ records: [UInt8]) -> [UInt8] {
        let lines = records.split(separator: 0x0A).map { Array($0) + [0x0A] }
        var counts: [String: Int] = [:]
        for line in lines {
            if case .string(let table)? = (try? JSON(line))?["table"] { counts[table, default: 0] += 1 }
        }
        let members = TableName.allCases.map { JSON.Member(name: $0.rawValue, value: .count(counts[$0.rawValue] ?? 0)) }
        let format = FormatRecord(storeID: UUIDBytes(high: 1, low: 2), createdBy: "x")
        var text = DumpFrame.header(format, counts: members, isRedacted: false).bytes + [0x0A]
        var hash = DumpFrame.chain(0, text)
        for line in lines { hash = DumpFrame.chain(hash, line) }
        text += lines.joined()
        return text + DumpFrame.trailer(records: lines.count, hash: hash).bytes + [0x0A]
    }

    private static func makeSample() -> [UInt8] {
        do {
            let store = try Store.open(at: directory.clear("sample"), host: .fuzz)
            try SampleContent.fill(store)
            try store.close()
            return try dump("sample")
        } catch {
            fatalError("no sample is made: \(error)")
        }
    }
}

func isTyped(_ error: any Error) -> Bool {
    error is ToolError || error is StoreError || error is FormatError || error is EngineError
}
