// ToolError: the errors of a dump, as the writer of cachetool, which this program is built with, throws them.

import LarderFormat

/// The errors of a dump.
enum ToolError: Error {
    case damagedRecord(place: String, reason: String)
    case damagedTable(TableName, counted: Int, found: Int)
}
