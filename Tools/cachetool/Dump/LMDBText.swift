import LarderEngine
import LarderFormat
import LarderStore

/// The text form of LMDB's own tools: what `mdb_dump -a` writes and `mdb_load` reads.
enum LMDBText {
    /// Writes everything that `view` shows, in the order `mdb_dump -a` has: by name, then by key.
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
            var last: [UInt8]?
            while true {
                let page = try view.rawRecords(of: table, after: last)
                guard let end = page.last else { break }
                var text: [UInt8] = []
                for record in page {
                    append(record.key, to: &text)
                    append(record.value, to: &text)
                }
                try put(text)
                last = end.key
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
