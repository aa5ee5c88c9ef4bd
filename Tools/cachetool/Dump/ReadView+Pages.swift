import LarderFormat
import LarderStore

extension ReadView {
    /// Calls `body` with all records of `table` in key order, page by page.
    ///
    /// - Throws: ``ToolError/damagedTable(_:counted:found:)`` after the last page, where the table counts another number
    ///   of records; `EngineError.corrupted` where their keys do not ascend; what `body` throws.
    borrowing func forEachPage(of table: TableName, _ body: ([RawRecord]) throws -> Void) throws {
        let counted = try recordCount(of: table)
        var found = 0
        var last: [UInt8]?
        while true {
            let page = try rawRecords(of: table, after: last)
            guard let end = page.last else { break }
            try body(page)
            found += page.count
            last = end.key
        }
        if found != counted { throw ToolError.damagedTable(table, counted: counted, found: found) }
    }
}
