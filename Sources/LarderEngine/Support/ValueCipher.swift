/// The encryption of the values of an environment: each value lies sealed in the file, and readers get the plain one.
///
/// Keys, and the sizes and numbers of values, stay visible. Each value is sealed by itself, under its key and its table.
/// A few records stay plain, among them one with the keys of the cipher, wrapped. One cipher serves one environment.
package protocol ValueCipher: AnyObject, Sendable {
    /// The number of bytes by which a sealed value is longer than the plain one.
    var overhead: Int { get }

    /// The place of the record with the wrapped keys, which stays plain.
    var record: (table: String, key: [UInt8]) { get }

    /// Whether the value of `key` in `table` is stored as it is.
    func isPlain(_ key: RawSpan, in table: Table) -> Bool

    /// The keys known by now.
    func keys() -> any ValueKeys

    /// Returns the keys, with those that the record of some commit has, which another process may have changed.
    ///
    /// - Throws: ``EngineError/keyRefused`` where the key of this process does not open them;
    ///   ``EngineError/keyUnavailable(_:)`` where the host could not supply it.
    func keys(with record: RawSpan?) throws(EngineError) -> any ValueKeys

    /// Prepares a write transaction that has just begun: it seals with the keys of the stored record.
    ///
    /// - Returns: the record to store in this transaction, or nil where it stays as it is.
    /// - Throws: an error ends the transaction.
    func begin(with record: RawSpan?) throws -> [UInt8]?

    /// Seals `value` for `key` in `table`, with the keys that the transaction under way has begun with.
    ///
    /// - Parameter output: ``overhead`` bytes longer than `value`; filled as a whole.
    func seal(_ value: RawSpan, for key: RawSpan, in table: Table, into output: inout MutableRawSpan)

    /// Records that the changes of the transaction that ``begin(with:)`` has prepared are stored.
    func didCommit()
}

/// The keys that open the values of an environment.
package protocol ValueKeys: AnyObject, Sendable {
    /// Whether the key that a sealed value names is among them.
    func know(_ sealed: RawSpan) -> Bool

    /// Opens the value of `key` in `table`.
    ///
    /// Damage is no error here: a value that does not open is delivered as one that every reader refuses, so that it is
    /// damage of one record, and can be removed.
    ///
    /// - Parameter output: as long as the plain value; filled as a whole.
    /// - Returns: whether it is the plain value.
    func open(_ sealed: RawSpan, of key: RawSpan, in table: Table, into output: inout MutableRawSpan) -> Bool
}
