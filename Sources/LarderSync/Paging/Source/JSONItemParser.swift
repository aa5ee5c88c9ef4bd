internal import LarderJSON
internal import LarderTransport

/// A reader of the elements of a JSON array as list items.
struct JSONItemParser {
    private let layout: JSONPageLayout
    /// The array's place in the body.
    private let path: String
    /// The names of the key's member and, if different, of the date's.
    private let names: [[UInt8]]
    private let date: Int?

    init(layout: JSONPageLayout, path: String) {
        self.layout = layout
        self.path = path
        let key = Array(layout.key.utf8)
        let updatedAt = layout.updatedAt.map { Array($0.utf8) }
        names = [key] + [updatedAt].compactMap { $0 == key ? nil : $0 }
        date = updatedAt.flatMap(names.firstIndex(of:))
    }

    /// Returns the items of an array that is completely in memory.
    func items(_ array: Span<UInt8>) throws(WireError) -> [ListItem] {
        var reader = BodyReader(array)
        guard try reader.token() == .arrayBegin else { throw .wrongType(path: path, expected: .array) }
        var items: [ListItem] = []
        while try reader.nextObject(path: "\(path)[\(items.count)]") {
            let element = "\(path)[\(items.count)]"
            let start = reader.position - 1
            let values = try reader.members(names, path: element)
            let key = try recordKey(values[0], path: "\(element).\(layout.key)")
            let updatedAt = try date.flatMap { values[$0] }.flatMap { (value) throws(WireError) in
                try milliseconds(value, path: element.member(names[date ?? 0]))
            }
            items.append(ListItem(key: key, payload: reader.bytes(in: start..<reader.position), updatedAt: updatedAt))
        }
        try reader.finish()
        return items
    }

    private func recordKey(_ value: JSONValue?, path: String) throws(WireError) -> String {
        switch value {
        case .string(let text)? where !text.isEmpty: return text
        case .integer(let number)?: return String(number)
        case .real?: throw .outOfRange(path: path)
        default: throw .noRecordKey(path: path)
        }
    }

    private func milliseconds(_ value: JSONValue, path: String) throws(WireError) -> Int64? {
        switch value {
        case .null: return nil
        case .integer(let number): return number
        case .real: throw .outOfRange(path: path)
        case .string(let text):
            guard let date = RFC3339.milliseconds(of: text) else { throw .invalidDate(path: path) }
            return date
        default: throw .wrongType(path: path, expected: .string)
        }
    }
}
