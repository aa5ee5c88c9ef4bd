import LarderFormat
import LarderJSON

/// A text, read as a whole and in chunks.
enum ScannedText {
    /// A token with its text and place, or the end.
    private struct Step: Equatable {
        let token: JSONToken?
        let text: [UInt8]
        let start: Int64
        let depth: Int
    }

    /// Draws limits and sizes of chunks, and reads the rest both ways.
    static func check(_ input: inout FuzzedBytes) {
        let choices = input.byte()
        var limits = choices & 1 == 0 ? JSONLimits.stored : JSONLimits(depth: 1 + Int(choices >> 4), text: 40)
        if choices & 2 != 0 { limits.document = 200 }
        let chunk = 1 + Int(choices >> 2 & 3) * 5
        let text = input.remainder()
        let whole = read(text, by: max(text.count, 1), limits)
        let parts = read(text, by: chunk, limits)
        let reasons = [whole.error?.reason, parts.error?.reason]
        if reasons.contains(.textTooLong) || limits.document < text.count {
            // The end of a chunk is where a limit is noticed, so another fault may be reported before it.
            require(!reasons.contains(nil), "chunks pass a limit")
        } else {
            require(whole.steps == parts.steps && whole.error == parts.error, "chunks are read otherwise")
        }
        checkValue(text, isValid: whole.error == nil && limits == .stored ? true : nil)
        if limits == .stored, whole.error != nil { require(JSONValue(text.rawSpan.bytes) == nil, "a text is a value") }
    }

    private static func read(_ text: [UInt8], by size: Int, _ limits: JSONLimits) -> (steps: [Step], error: JSONError?)
    {
        var scanner = JSONScanner(limits: limits)
        var steps: [Step] = []
        var start = 0
        do throws(JSONError) {
            while start < text.count {
                let chunk = Array(text[start..<min(start + size, text.count)])
                var position = 0
                while let token = try scanner.next(in: chunk.rawSpan.bytes, at: &position) {
                    require(scanner.depth <= limits.depth, "\(scanner.depth) levels are open")
                    require(scanner.text.count <= limits.text, "\(scanner.text.count) bytes are kept")
                    steps.append(step(token, scanner))
                }
                start += chunk.count
            }
            if let last = try scanner.finish() { steps.append(step(last, scanner)) }
            return (steps, nil)
        } catch {
            require(error.offset >= 0 && error.offset <= text.count, "an error is at \(error.offset)")
            return (steps, error)
        }
    }

    private static func step(_ token: JSONToken, _ scanner: JSONScanner) -> Step {
        let hasText = [.name, .string, .number].contains(token)
        require(!hasText || String(validating: scanner.text, as: UTF8.self) != nil, "a text is not UTF-8")
        return Step(token: token, text: hasText ? scanner.text : [], start: scanner.start, depth: scanner.depth)
    }

    /// Checks the readers of whole texts with each other.
    private static func checkValue(_ text: [UInt8], isValid: Bool?) {
        let value = JSONValue(text.rawSpan.bytes)
        if let isValid { require((value != nil) == isValid, "a reader and a scanner differ") }
        let isObject = if case .object? = value { true } else { false }
        let members = JSONMembers(text)
        require((members != nil) == isObject, "the members of \(text)")
        if let members {
            require(JSONMembers(members.text)?.members == members.members, "members are written as others")
        }
        guard value != nil, let tree = JSONTree(text) else { return }
        let short = JSONText.minified(text.rawSpan.bytes)
        require(JSONText.isValue(short.rawSpan.bytes) && JSONTree(short) == tree, "a text without spaces is another")
    }
}
