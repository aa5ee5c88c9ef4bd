import ArgumentParser
import LarderFormat
import LarderQuery

/// NAME=GROUP[/ID]:TYPE:COLUMN,... on a command line: a table over rows of the store.
struct TableArgument: ExpressibleByArgument {
    /// The help of the option.
    static let help = ArgumentHelp(
        "A table over rows, NAME=GROUP[/ID]:TYPE:COLUMN,...; a column is a member of the payload, or NAME=$.PATH.",
        valueName: "table")

    private let name: String
    private let scope: TableDefinition.Scope
    private let type: String
    private let columns: [(name: String, path: String?)]

    init?(argument: String) {
        let sides = argument.split(separator: "=", maxSplits: 1)
        let parts = sides.last?.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false) ?? []
        guard sides.count == 2, parts.count == 3 else { return nil }
        name = String(sides[0])
        let place = String(parts[0])
        scope = ResourceArgument(argument: place).map { .resource($0.key) } ?? .group(place)
        type = String(parts[1])
        columns = parts[2].split(separator: ",").map { column in
            let sides = column.split(separator: "=", maxSplits: 1)
            return (String(sides[0]), sides.count == 2 ? String(sides[1]) : nil)
        }
    }

    /// Returns the table, whose columns are all searchable.
    func definition() throws -> TableDefinition {
        try TableDefinition(
            name, of: scope, type: type, columns: columns.map { try ColumnDefinition($0.name, path: $0.path) },
            searched: columns.map { SearchField($0.name) })
    }
}

extension Redactor {
    /// Returns a value of a result.
    func json(_ value: SQLValue) -> JSON {
        switch value {
        case .null: .null
        case .integer(let number): json(number)
        case .real(let number): isOn ? json(String(number)) : .real(number)
        case .text(let text): json(text)
        case .blob(let bytes): .object([payload(bytes)])
        }
    }

    /// Returns a value of a result for display.
    func text(_ value: SQLValue) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let number): isOn ? text(String(number)) : String(number)
        case .real(let number): isOn ? text(String(number)) : String(number)
        case .text(let text): self.text(text)
        case .blob(let bytes): JSON.object([payload(bytes)]).text
        }
    }
}
