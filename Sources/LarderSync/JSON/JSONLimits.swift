/// How much a ``JSONScanner`` takes before it gives up with a typed error.
package struct JSONLimits: Hashable, Sendable {
    /// The deepest nesting of arrays and objects; 1 to 128.
    package var depth: Int
    /// The longest captured name, string or number, in bytes after decoding of escapes.
    package var text: Int
    /// The longest text as a whole, in bytes.
    package var document: Int64

    /// Limits of the given sizes.
    ///
    /// Traps when `depth` is not 1 to 128 (the nesting is kept in 128 bits) or a size is negative.
    package init(depth: Int = 128, text: Int = 1 << 20, document: Int64 = .max) {
        precondition((1...128).contains(depth), "a depth limit of \(depth) is not 1 to 128")
        precondition(text >= 0 && document >= 0, "a size limit is negative")
        self.depth = depth
        self.text = text
        self.document = document
    }
}
