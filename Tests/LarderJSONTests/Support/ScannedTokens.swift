// ScannedTokens: collects the scanner's tokens with their texts for comparison.

import LarderJSON

/// One reported token with its text, for comparisons.
struct ScannedToken: Equatable {
    let token: JSONToken
    let text: [UInt8]
}

/// All tokens of a text that arrives in the given chunks.
func tokens(_ chunks: [[UInt8]], limits: JSONLimits = JSONLimits()) throws(JSONError) -> [ScannedToken] {
    var scanner = JSONScanner(limits: limits)
    var seen: [ScannedToken] = []
    for chunk in chunks {
        var position = 0
        while let token = try scanner.next(in: chunk.span, at: &position) {
            let hasText = token == .name || token == .string || token == .number
            seen.append(ScannedToken(token: token, text: hasText ? scanner.text : []))
        }
    }
    if let token = try scanner.finish() { seen.append(ScannedToken(token: token, text: scanner.text)) }
    return seen
}

func tokens(_ text: String) throws(JSONError) -> [ScannedToken] {
    try tokens([Array(text.utf8)])
}

/// Why a text is refused; `nil` when it is accepted.
func refusal(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) -> JSONError? {
    do throws(JSONError) {
        _ = try tokens([bytes], limits: limits)
        return nil
    } catch {
        return error
    }
}
