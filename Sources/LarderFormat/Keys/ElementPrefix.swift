/// Returns the end of a scan of all keys that begin with the elements `prefix`, of which the last may be an open text.
///
/// No element begins with FF, and no UTF-8 contains it. Behind a text whose bytes end `prefix`, it makes the last zero
/// byte a part of a longer text. FORMAT.md, "Elements".
package func endOfKeys(beginningWith prefix: [UInt8]) -> [UInt8] { prefix + [TupleCode.escape] }

extension RawSpan {
    /// Whether this key begins with the elements `prefix`, and lies before ``endOfKeys(beginningWith:)``; an empty
    /// `prefix` has no end.
    package func beginsWith(elements prefix: [UInt8]) -> Bool {
        guard starts(with: prefix.rawSpan) else { return false }
        return prefix.isEmpty || byte(at: prefix.count) != TupleCode.escape
    }
}
