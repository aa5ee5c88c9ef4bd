/// A key under construction: at most 511 bytes, on the stack where `InlineArray` needs no newer system.
///
/// An append that does not fit throws ``FormatError/keyTooLong(actual:limit:)`` and leaves the key as it was.
package struct KeyBuffer: ~Copyable {
    #if canImport(Darwin)
    // `InlineArray` needs macOS 26 and iOS 26.
    private var storage = [UInt8](repeating: 0, count: Limits.key)
    #else
    private var storage = InlineArray<511, UInt8>(repeating: 0)
    #endif
    /// The length of the key so far, in bytes.
    package private(set) var count = 0

    /// Makes an empty key.
    package init() {}

    /// The key so far; valid until the buffer changes.
    package var bytes: RawSpan {
        @_lifetime(borrow self) get {
            #if canImport(Darwin)
            storage.rawSpan.extracting(0..<count)
            #else
            storage.span.extracting(0..<count).raw
            #endif
        }
    }

    /// Returns a copy of the key so far.
    package func array() -> [UInt8] { [UInt8](copying: bytes) }

    /// Appends an integer element.
    ///
    /// - Throws: ``FormatError/keyTooLong(actual:limit:)`` beyond ``Limits/key``.
    package mutating func append(integer: Int64) throws(FormatError) {
        let start = count
        put(integer: integer)
        try checkLength(from: start)
    }

    /// Appends a text element.
    ///
    /// - Throws: ``FormatError/keyTooLong(actual:limit:)`` beyond ``Limits/key``.
    package mutating func append(text: String) throws(FormatError) {
        let start = count
        put(text: text)
        try checkLength(from: start)
    }

    /// Appends a record key: a decimal element where `recordKey` is a canonical decimal, else a text element.
    ///
    /// - Throws: ``FormatError/keyTooLong(actual:limit:)`` beyond ``Limits/key``.
    package mutating func append(recordKey: String) throws(FormatError) {
        let start = count
        put(recordKey: recordKey)
        try checkLength(from: start)
    }

    /// Appends a UUID element.
    ///
    /// - Throws: ``FormatError/keyTooLong(actual:limit:)`` beyond ``Limits/key``.
    package mutating func append(uuid: UUIDBytes) throws(FormatError) {
        let start = count
        put(uuid: uuid)
        try checkLength(from: start)
    }

    /// Appends bytes.
    ///
    /// - Throws: ``FormatError/keyTooLong(actual:limit:)`` beyond ``Limits/key``.
    package mutating func append(bytes: [UInt8]) throws(FormatError) {
        let start = count
        put(bytes: bytes)
        try checkLength(from: start)
    }

    /// Appends null.
    ///
    /// - Throws: ``FormatError/keyTooLong(actual:limit:)`` beyond ``Limits/key``.
    package mutating func appendNull() throws(FormatError) {
        let start = count
        put(TupleCode.null)
        try checkLength(from: start)
    }

    /// Appends a truth value.
    ///
    /// - Throws: ``FormatError/keyTooLong(actual:limit:)`` beyond ``Limits/key``.
    package mutating func append(bool: Bool) throws(FormatError) {
        let start = count
        put(bool: bool)
        try checkLength(from: start)
    }

    /// Appends the group and the number of a resource.
    ///
    /// - Throws: ``FormatError/keyTooLong(actual:limit:)`` beyond ``Limits/key``.
    package mutating func append(resource: ResourceKey) throws(FormatError) {
        let start = count
        put(text: resource.group)
        put(integer: resource.id)
        try checkLength(from: start)
    }

    /// Shortens the key to its first `count` bytes. Traps when it has fewer.
    package mutating func truncate(to count: Int) {
        precondition(count >= 0 && count <= self.count, "cannot truncate a key of \(self.count) bytes to \(count)")
        self.count = count
    }

    /// Makes the key empty.
    package mutating func removeAll() { count = 0 }

    /// Checks that the bytes since `start` fit, or removes them and throws.
    private mutating func checkLength(from start: Int) throws(FormatError) {
        guard count > Limits.key else { return }
        let actual = count
        count = start
        throw .keyTooLong(actual: actual, limit: Limits.key)
    }
}

extension KeyBuffer: TupleSink {
    /// Counts past the end without storing, so that the error can name the full length.
    mutating func put(_ byte: UInt8) {
        if count < Limits.key { storage[count] = byte }
        count += 1
    }

    mutating func put(_ bytes: Span<UInt8>) {
        let end = count + bytes.count
        if end <= Limits.key {
            #if canImport(Darwin)
            let start = count
            storage.withMutableRawSpan { $0.copy(bytes.raw, to: start) }
            #else
            var elements = storage.mutableSpan
            elements.copy(bytes.raw, to: count)
            #endif
        }
        count = end
    }

    #if !canImport(Darwin)
    mutating func put(lowest size: Int, of number: UInt64) {
        if size > 0, count <= Limits.key - 8 {
            // The bytes behind it are replaced by the next element, or are not part of the key.
            var elements = storage.mutableSpan
            elements.store(bigEndian: number << UInt64(64 - 8 * size), at: count)
            count += size
        } else {
            for index in stride(from: size - 1, through: 0, by: -1) {
                put(UInt8(truncatingIfNeeded: number >> UInt64(8 * index)))
            }
        }
    }
    #endif
}
