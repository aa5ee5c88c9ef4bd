import LarderFormat
import LarderStore

/// Writes a dump: a header, one line per record in table and key order, and a trailer.
///
/// Equal content has equal text: the text does not depend on the time, the place or the number of writes. So two stores
/// of equal content have equal dumps, and so have a store and its dump loaded back.
struct DumpWriter {
    /// The number of bytes collected before they are passed on.
    private static let chunkSize = 256 << 10

    private let put: ([UInt8]) throws -> Void
    private var waiting: [UInt8] = []
    private var hash: UInt64 = 0
    private var records = 0

    /// - Parameter put: Receives the text, portion by portion.
    init(_ put: @escaping ([UInt8]) throws -> Void) { self.put = put }

    /// Writes the whole content of `view`; the trailer only when every table has as many records as the header states.
    mutating func write(
        _ view: borrowing ReadView, redact: Bool, progress: (_ done: Int, _ total: Int) throws -> Void
    ) throws {
        let format = try view.format()
        var counts: [JSON.Member] = []
        var total = 0
        for table in TableName.allCases {
            let count = try view.recordCount(of: table)
            total += count
            counts.append(JSON.Member(name: table.rawValue, value: .count(count)))
        }
        try line(DumpFrame.header(format, counts: counts, isRedacted: redact))
        var lines = DumpLine(Redactor(isOn: redact, store: format.storeID))
        for table in TableName.allCases {
            try view.forEachPage(of: table) { page in
                for record in page {
                    try line(try lines.json(record, table))
                    records += 1
                }
                try progress(records, total)
            }
        }
        let trailer = DumpFrame.trailer(records: records, hash: hash)
        try line(trailer)
        try put(waiting)
        waiting = []
    }

    private mutating func line(_ json: JSON) throws {
        let start = waiting.count
        json.write(to: &waiting)
        waiting.append(0x0A)
        hash = DumpFrame.chain(hash, waiting.rawSpan.extracting(start..<waiting.count))
        if waiting.count >= Self.chunkSize {
            try put(waiting)
            waiting.removeAll(keepingCapacity: true)
        }
    }
}

/// The first and the last line of a dump.
enum DumpFrame {
    static let hashName = "xxh64-chain"

    /// Returns the line that describes the dump. `hash` names the algorithm of the trailer's hash: XXH64 of each line
    /// including its line end, seeded with the hash of the line before, the first with 0.
    static func header(_ format: FormatRecord, counts: [JSON.Member], isRedacted: Bool) -> JSON {
        [
            "larder": "dump", "version": .integer(1), "format": .string("\(format.major).\(format.minor)"),
            "store": .string(format.storeID.description),
            "features": [
                .string(format.features.incompatible.hexadecimal),
                .string(format.features.readOnlyCompatible.hexadecimal),
                .string(format.features.compatible.hexadecimal),
            ],
            "hash": .string(hashName), "redacted": .bool(isRedacted), "records": .object(counts),
        ]
    }

    /// Returns the line that marks the dump as complete.
    static func trailer(records: Int, hash: UInt64) -> JSON {
        ["end": true, "records": .count(records), "hash": .string(hash.hexadecimal)]
    }

    /// Returns the hash after one more line, including its line end.
    static func chain(_ hash: UInt64, _ line: RawSpan) -> UInt64 { line.xxh64(seed: hash) }
}

extension [UInt8] {
    /// The bytes in two lowercase hexadecimal digits each.
    var hexadecimal: String {
        var digits = ""
        for byte in self { digits += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
        return digits
    }
}
