/// The place of a value in a JSON text: `$`, then members and elements, as in `$.address.city` or `$.tags[0]`.
///
/// The syntax is that of SQLite's JSON functions: `$` is the whole text, `.name` a member (up to the next `.` or `[`),
/// `[3]` an element counted from 0. `."a name"` is a member in quotes, which may contain anything but a quote. Elements
/// counted from the end are not supported.
public struct JSONPath: Hashable, Sendable {
    package enum Step: Hashable, Sendable {
        case member([UInt8])
        case element(Int)
    }

    /// The most steps of a path.
    static let mostSteps = 64

    /// The path as it was spelled.
    public let text: String
    package let steps: [Step]

    /// Reads a path; nil when `text` is no path, or has more than 64 steps.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.first == UInt8(ascii: "$") else { return nil }
        var steps: [Step] = []
        var position = 1
        while position < bytes.count {
            guard steps.count < Self.mostSteps, let step = Self.step(bytes, &position) else { return nil }
            steps.append(step)
        }
        self.text = text
        self.steps = steps
    }

    private static func step(_ bytes: [UInt8], _ position: inout Int) -> Step? {
        switch bytes[position] {
        case UInt8(ascii: "."): return member(bytes, &position)
        case UInt8(ascii: "["): return element(bytes, &position)
        default: return nil
        }
    }

    private static func member(_ bytes: [UInt8], _ position: inout Int) -> Step? {
        let start = position + 1
        guard start < bytes.count else { return nil }
        if bytes[start] == UInt8(ascii: "\"") {
            guard let end = bytes[(start + 1)...].firstIndex(of: UInt8(ascii: "\"")) else { return nil }
            position = end + 1
            return .member(Array(bytes[start + 1..<end]))
        }
        let end = bytes[start...].firstIndex { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "[") } ?? bytes.count
        guard end > start else { return nil }
        position = end
        return .member(Array(bytes[start..<end]))
    }

    private static func element(_ bytes: [UInt8], _ position: inout Int) -> Step? {
        guard let end = bytes[position...].firstIndex(of: UInt8(ascii: "]")), end > position + 1 else { return nil }
        var index = 0
        for byte in bytes[position + 1..<end] {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte), index < 1 << 30 else { return nil }
            index = index * 10 + Int(byte - UInt8(ascii: "0"))
        }
        position = end + 1
        return .element(index)
    }

    /// Whether both have the same steps, however they are spelled: `$.a` equals `$."a"`.
    public static func == (left: JSONPath, right: JSONPath) -> Bool { left.steps == right.steps }

    /// Feeds the steps to `hasher`.
    public func hash(into hasher: inout Hasher) { hasher.combine(steps) }
}
