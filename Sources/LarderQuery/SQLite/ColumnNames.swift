/// Names of columns, shared by all rows of a result.
final class ColumnNames: Sendable {
    private let indices: [String: Int]

    init(_ names: [String]) {
        indices = Dictionary(zip(names.map(\.asciiLowercased), names.indices)) { first, _ in first }
    }

    func index(of name: String) -> Int? { indices[name.asciiLowercased] }
}

extension String {
    /// The text with ASCII letters in lower case, as SQLite compares names.
    var asciiLowercased: String {
        String(decoding: utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 + 0x20 : $0 }, as: UTF8.self)
    }
}
