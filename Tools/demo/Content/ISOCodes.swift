import Foundation
import LarderJSON
import LarderServer

/// The code tables that Debian's package `iso-codes` installs, as content of the group `iso_codes`.
///
/// One resource per table, ids 1 to 8 in the order of ``tables``; a row's key is its code.
struct ISOCodes {
    /// One table: its resource, its standard, the type of its rows, and the member that is their key.
    struct Table {
        let id: Int64
        let standard: String
        let recordType: String
        let keyMember: String
    }

    /// The error for a table that is not the expected list of objects of strings.
    struct Unreadable: Error, CustomStringConvertible {
        let standard: String

        var description: String { "iso_\(standard).json: not the table that was expected" }
    }

    /// The directory of the files `iso_3166-1.json` and so on.
    var directory = "/usr/share/iso-codes/json"

    /// All tables.
    static let tables = [
        Table(id: 1, standard: "3166-1", recordType: "country", keyMember: "alpha_2"),
        Table(id: 2, standard: "3166-2", recordType: "subdivision", keyMember: "code"),
        Table(id: 3, standard: "3166-3", recordType: "former_country", keyMember: "alpha_4"),
        Table(id: 4, standard: "4217", recordType: "currency", keyMember: "alpha_3"),
        Table(id: 5, standard: "639-2", recordType: "language", keyMember: "alpha_3"),
        Table(id: 6, standard: "639-3", recordType: "individual_language", keyMember: "alpha_3"),
        Table(id: 7, standard: "639-5", recordType: "language_family", keyMember: "alpha_3"),
        Table(id: 8, standard: "15924", recordType: "script", keyMember: "alpha_4"),
    ]

    /// Collects all rows.
    ///
    /// - Returns: The number of rows.
    /// - Throws: ``Unreadable``; the errors of reading and decoding a file.
    func load(into loader: inout ContentLoader) throws -> Int {
        var count = 0
        for table in Self.tables {
            let file = URL(filePath: directory).appending(path: "iso_\(table.standard).json")
            let content = try JSONDecoder().decode([String: [[String: String]]].self, from: Data(contentsOf: file))
            guard let rows = content[table.standard] else { throw Unreadable(standard: table.standard) }
            for members in rows {
                guard let key = members[table.keyMember] else { throw Unreadable(standard: table.standard) }
                let row = Origin.Row(Origin.RowKey(table.recordType, key), body: Self.object(members))
                loader.add(row, to: Origin.ResourceID("iso_codes", table.id))
            }
            count += rows.count
        }
        return count
    }

    private static func object(_ members: [String: String]) -> [UInt8] {
        var writer = JSONWriter()
        writer.raw("{")
        for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
            if index > 0 { writer.raw(",") }
            writer.string(member.key)
            writer.raw(":")
            writer.string(member.value)
        }
        writer.raw("}")
        return writer.bytes
    }
}
