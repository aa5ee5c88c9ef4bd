internal import LarderTransport

/// Reads the elements of a JSON array as the items of a list.
struct JSONItemParser {
    private let layout: JSONPageLayout
    /// The array's place in the body.
    private let path: String
    private var scanner = JSONScanner()
    private var position = 0
    private var key: String?
    private var updatedAt: Int64?
    private var index = 0

    init(layout: JSONPageLayout, path: String) {
        self.layout = layout
        self.path = path
        // Members of the elements are seen, and nothing within them.
        scanner.quietDepth = 2
    }

    /// The items of an array that is in memory as a whole.
    mutating func items(_ array: [UInt8]) throws(WireError) -> [ListItem] {
        guard try token(array) == .arrayBegin else { throw .wrongType(path: path, expected: .array) }
        var items: [ListItem] = []
        while case let token = try token(array), token != .arrayEnd {
            guard token == .objectBegin else { throw .wrongType(path: element, expected: .object) }
            let start = position - 1
            try readMembers(array)
            guard let key else { throw .noRecordKey(path: "\(element).\(layout.key)") }
            items.append(ListItem(key: key, payload: Array(array[start..<position]), updatedAt: updatedAt))
            index += 1
        }
        do throws(JSONError) {
            _ = try scanner.next(in: array, at: &position)
            _ = try scanner.finish()
        } catch {
            throw .json(error)
        }
        return items
    }

    private var element: String { "\(path)[\(index)]" }

    /// Takes the rest of an element, up to and with its closing brace.
    private mutating func readMembers(_ array: [UInt8]) throws(WireError) {
        key = nil
        updatedAt = nil
        var isDated = false
        while try token(array) == .name {
            let isKey = scanner.text.elementsEqual(layout.key.utf8)
            let isDate = layout.updatedAt.map { scanner.text.elementsEqual($0.utf8) } ?? false
            let value = try token(array)
            if isKey {
                guard key == nil else { throw .duplicate(path: "\(element).\(layout.key)") }
                key = try recordKey(value)
            }
            if isDate, let name = layout.updatedAt {
                guard !isDated else { throw .duplicate(path: "\(element).\(name)") }
                isDated = true
                updatedAt = try date(value, path: "\(element).\(name)")
            }
            // The end of a container follows its begin.
            if value == .objectBegin || value == .arrayBegin { _ = try token(array) }
        }
    }

    private func recordKey(_ token: JSONToken) throws(WireError) -> String {
        switch token {
        case .string where !scanner.text.isEmpty: return String(decoding: scanner.text, as: UTF8.self)
        case .number:
            if let number = Int64(jsonNumber: scanner.text) { return String(number) }
            throw .outOfRange(path: "\(element).\(layout.key)")
        default: throw .noRecordKey(path: "\(element).\(layout.key)")
        }
    }

    private func date(_ token: JSONToken, path: String) throws(WireError) -> Int64? {
        switch token {
        case .null: return nil
        case .number:
            guard let number = Int64(jsonNumber: scanner.text) else { throw .outOfRange(path: path) }
            return number
        case .string:
            guard let date = RFC3339.milliseconds(of: String(decoding: scanner.text, as: UTF8.self)) else {
                throw .invalidDate(path: path)
            }
            return date
        default: throw .wrongType(path: path, expected: .string)
        }
    }

    /// The next token, which must come.
    private mutating func token(_ array: [UInt8]) throws(WireError) -> JSONToken {
        do throws(JSONError) {
            if let token = try scanner.next(in: array, at: &position) { return token }
            if let token = try scanner.finish() { return token }
            throw JSONError(.unexpectedEnd, at: Int64(array.count))
        } catch {
            throw .json(error)
        }
    }
}
