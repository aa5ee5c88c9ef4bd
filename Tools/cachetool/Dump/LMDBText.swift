import LarderEngine
import LarderFormat
import LarderStore

/// The text form of LMDB's own tools, which `mdb_dump -a` writes and `mdb_load` reads.
enum LMDBText {
    /// Writes the whole content of `view` in the order of `mdb_dump -a`: by name, then by key.
    static func write(
        _ view: borrowing ReadView, mapSize: Int, maximumReaders: Int, pageSize: Int,
        progress: (Int) throws -> Void, _ put: ([UInt8]) throws -> Void
    ) throws {
        var done = 0
        for table in TableName.allCases.sorted(by: { $0.rawValue < $1.rawValue }) {
            let header = """
                VERSION=3
                format=bytevalue
                database=\(table.rawValue)
                type=btree
                mapsize=\(mapSize)
                maxreaders=\(maximumReaders)
                db_pagesize=\(pageSize)
                HEADER=END

                """
            try put(Array(header.utf8))
            try view.forEachPage(of: table) { page in
                var text: [UInt8] = []
                for record in page {
                    append(record.key, to: &text)
                    append(record.value, to: &text)
                }
                try put(text)
                done += page.count
                try progress(done)
            }
            try put(Array("DATA=END\n".utf8))
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        text.append(UInt8(ascii: " "))
        for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        text.append(0x0A)
    }
}

/// Reads the output of `mdb_dump -a`, in hexadecimal.
struct LMDBTextReader: ~Copyable {
    private var lines: LineReader

    init(_ path: String) throws { lines = try LineReader(path) }

    /// Passes every record to `filler`.
    ///
    /// - Throws: ``ToolError/badDump(line:reason:)`` for an invalid line or the name of an unknown database; the errors
    ///   of `filler`.
    mutating func read(into filler: inout StoreFiller, progress: (_ done: Int) throws -> Void) throws {
        var done = 0
        while let table = try header() {
            while let key = try hexadecimalLine() {
                guard let value = try hexadecimalLine() else { throw bad("a key without a value") }
                guard let table else { throw bad("the database is none of a store's") }
                try filler.append(RawRecord(key: key, value: value), to: table)
                done += 1
                try progress(done)
            }
        }
    }

    /// Returns the table of the next header: the inner optional is nil for an unknown name, the outer one at the end.
    private mutating func header() throws -> TableName?? {
        var table: TableName?
        var isBegun = false
        while let line = try text() {
            isBegun = true
            let parts = line.split(separator: "=", maxSplits: 1)
            switch (parts.first, parts.count > 1 ? parts[1] : "") {
            case ("HEADER", "END"): return .some(table)
            case ("database", let name): table = TableName(rawValue: String(name))
            case ("format", let format) where format != "bytevalue": throw bad("only format=bytevalue is read")
            case ("duplicates", "1"): throw bad("a store has no duplicate keys")
            default: break
            }
        }
        if isBegun { throw bad("the header does not end") }
        return nil
    }

    /// Returns the bytes of the next line, or nil at the end of the data.
    private mutating func hexadecimalLine() throws -> [UInt8]? {
        guard let line = try text() else { throw bad("the data do not end: the dump is cut off") }
        if line == "DATA=END" { return nil }
        let digits = Array(line.utf8.dropFirst())
        guard line.hasPrefix(" "), digits.count.isMultiple(of: 2) else { throw bad("no line of data") }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Self.value(digits[index]), let low = Self.value(digits[index + 1]) else {
                throw bad("no hexadecimal digits")
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private mutating func text() throws -> String? {
        guard let line = try lines.next() else { return nil }
        return String(decoding: line.dropLast(), as: UTF8.self)
    }

    private func bad(_ reason: String) -> ToolError { .badDump(line: lines.number, reason: reason) }
}
