internal import CLMDB

/// A key and its value, in place in the map.
@safe
public struct Entry: ~Escapable {
    /// The key, 1 to 511 bytes.
    public let key: RawSpan
    /// The value as it is stored.
    let stored: RawSpan
    // Nil without a cipher and a decompressor. Owned by the cursor, with which this entry ends.
    private let plain: Unmanaged<PlainValues>?

    /// Wraps the values that LMDB returned; the caller has checked their bounds, and binds the lifetime.
    @unsafe
    @_lifetime(immortal)  // Every caller overrides it with the cursor's at once.
    init(key: MDB_val, value: MDB_val, plain: PlainValues?) {
        let keySpan = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(key.mv_data), byteCount: key.mv_size)
        let valueSpan = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(value.mv_data), byteCount: value.mv_size)
        self.key = unsafe _overrideLifetime(keySpan, copying: ())
        stored = unsafe _overrideLifetime(valueSpan, copying: ())
        unsafe self.plain = plain.map { unsafe Unmanaged.passUnretained($0) }
    }

    /// The value; with a cipher or a decompressor the plain one, which is made when it is first read.
    public var value: RawSpan {
        @_lifetime(copy self)
        get {
            guard let plain = unsafe plain else { return stored }
            // The cursor keeps the plain value until it moves, which ends this entry.
            let value = unsafe plain.takeUnretainedValue().current(stored, of: key)
            return unsafe _overrideLifetime(RawSpan(_unsafeBytes: value), copying: self)
        }
    }

    /// The value as it was before it was sealed: compressed, where it is.
    package var openedValue: RawSpan {
        @_lifetime(copy self)
        get {
            guard let plain = unsafe plain else { return stored }
            // As above.
            let value = unsafe plain.takeUnretainedValue().currentOpened(stored, of: key)
            return unsafe _overrideLifetime(RawSpan(_unsafeBytes: value), copying: self)
        }
    }

    /// The size of the value, in bytes; decompresses nothing, and opens nothing unless it may be compressed too.
    package var valueSize: Int {
        guard let plain = unsafe plain else { return stored.byteCount }
        return unsafe plain.takeUnretainedValue().currentSize(stored, of: key)
    }
}
