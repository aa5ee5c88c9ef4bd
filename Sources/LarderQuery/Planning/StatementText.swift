/// A part of a statement's text.
enum SQLToken: Equatable {
    /// A keyword, a name or a number, in capitals.
    case word(String)
    /// A name in quotes, in capitals.
    case quotedName(String)
    /// A text, or a part of one up to a doubled quote.
    case text
    /// A parameter.
    case parameter
    /// Any other character.
    case symbol(UInt8)

    /// The name that it may be; nil for others.
    var name: String? {
        switch self {
        case .word(let name), .quotedName(let name): name
        case .text, .parameter, .symbol: nil
        }
    }

    static func character(_ character: Unicode.Scalar) -> SQLToken { .symbol(UInt8(ascii: character)) }

    /// Returns the parts of a statement without blanks and comments.
    static func tokens(of sql: String) -> [SQLToken] {
        var tokens: [SQLToken] = []
        var rest = Array(sql.utf8)[...]
        while let byte = rest.first {
            if rest.starts(with: [0xEF, 0xBB, 0xBF]) {
                // SQLite skips a byte order mark, except in a name.
                rest = rest.dropFirst(3)
            } else if isWord(byte) {
                let word = rest.prefix(while: isWord)
                tokens.append(.word(String(decoding: word, as: UTF8.self).uppercased()))
                rest = rest.dropFirst(word.count)
            } else if rest.starts(with: "--".utf8) {
                rest = rest.drop { $0 != UInt8(ascii: "\n") }
            } else if rest.starts(with: "/*".utf8) {
                rest = rest.dropFirst(2)
                while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest = rest.dropFirst() }
                rest = rest.dropFirst(2)
            } else if let end = closing[byte] {
                let content = rest.dropFirst().prefix { $0 != end }
                let name = String(decoding: content, as: UTF8.self).uppercased()
                tokens.append(byte == UInt8(ascii: "'") ? .text : .quotedName(name))
                rest = rest.dropFirst(content.count + 2)
            } else {
                rest = rest.dropFirst()
                if "?:@$".utf8.contains(byte) {
                    tokens.append(.parameter)
                    rest = rest.drop(while: isWord)
                } else if ![0x20, 0x09, 0x0A, 0x0C, 0x0D].contains(byte) {
                    tokens.append(.symbol(byte))
                }
            }
        }
        return tokens
    }

    /// The byte that ends a quoted text or name, by the byte that begins it. A doubled quote begins another one.
    private static let closing: [UInt8: UInt8] = [
        UInt8(ascii: "'"): UInt8(ascii: "'"), UInt8(ascii: "\""): UInt8(ascii: "\""),
        UInt8(ascii: "`"): UInt8(ascii: "`"), UInt8(ascii: "["): UInt8(ascii: "]"),
    ]

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...0xFF: true
        default: false
        }
    }
}

/// The columns that a statement names once, in its `WHERE`, to compare them with a parameter, a text or a whole number.
///
/// Neither of these has an affinity, so that SQLite converts nothing in a comparison with a column that has none either.
/// An index then decides alone which rows match. And since the statement does not name the column again, no value of it
/// is read.
struct DirectComparisons {
    /// The names of the columns, in capitals.
    private(set) var columns: Set<String> = []

    /// Words of statements in which a column may be read under another name, or a comparison may not decide alone.
    private static let excluded: Set<String> = [
        "JOIN", "OR", "NOT", "CASE", "COLLATE", "WITH", "UNION", "EXCEPT", "INTERSECT", "VALUES", "OVER", "FILTER",
    ]
    private static let followers: Set<String> = ["AND", "ORDER", "LIMIT", "GROUP"]

    init(_ tokens: [SQLToken]) {
        let names = tokens.compactMap(\.name)
        if names.contains(where: Self.excluded.contains) || names.count(where: { $0 == "SELECT" }) != 1 { return }
        // `count(*)` reads no column; any other asterisk may stand for all of them.
        let hasWildcard = tokens.indices.contains { index in
            tokens[index] == .character("*")
                && !(index > 0 && tokens[index - 1] == .character("(")
                    && tokens.dropFirst(index + 1).first == .character(")"))
        }
        if hasWildcard || Self.hasQuotedColumn(tokens) { return }
        // SQLite evaluates a comparison that has a name in the result wherever that name is.
        guard let condition = tokens.firstIndex(of: .word("WHERE")) else { return }
        for (index, token) in tokens.enumerated().dropFirst(condition) {
            guard let name = token.name, Self.isComparison(tokens[(index + 1)...]) else { continue }
            if names.count(where: { $0 == name }) == 1 { columns.insert(name) }
        }
    }

    /// Whether a text is the name of a column, as in `items.'price'`.
    private static func hasQuotedColumn(_ tokens: [SQLToken]) -> Bool {
        zip(tokens, tokens.dropFirst()).contains { $0 == .character(".") && $1 == .text }
    }

    /// Whether a column, compared by `=`, `<`, `>`, `<=`, `>=` or `BETWEEN`, is followed by these tokens.
    private static func isComparison(_ tokens: ArraySlice<SQLToken>) -> Bool {
        var rest = tokens
        if rest.first == .word("BETWEEN") {
            rest = rest.dropFirst()
            guard rest.first.map(isConstant) ?? false, rest.dropFirst().first == .word("AND") else { return false }
            rest = rest.dropFirst(2)
        } else {
            let signs = rest.prefix { [.character("<"), .character("="), .character(">")].contains($0) }
            // The other combinations are `<>` and what SQLite refuses.
            guard [1, 2].contains(signs.count), signs.count == 1 || signs.last == .character("=") else { return false }
            rest = rest.dropFirst(signs.count)
        }
        guard rest.first.map(isConstant) ?? false else { return false }
        switch rest.dropFirst().first {
        case nil, .character(";"), .character(")"): return true
        case .word(let word): return followers.contains(word)
        default: return false
        }
    }

    private static func isConstant(_ token: SQLToken) -> Bool {
        switch token {
        case .parameter, .text: true
        case .word(let word): word.utf8.allSatisfy { (0x30...0x39).contains($0) }
        case .quotedName, .symbol: false
        }
    }
}
