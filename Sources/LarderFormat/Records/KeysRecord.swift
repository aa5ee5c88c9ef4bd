/// The record `meta` ("keys"): the keys of a sealed store, each wrapped with the host's key.
///
/// FORMAT.md, "meta".
package struct KeysRecord: TupleRecord, Hashable, Sendable {
    /// A key that seals values.
    package struct DataKey: Hashable, Sendable {
        /// The number that sealed values name, 1 or more.
        package var number: Int64
        /// The wrapped bytes.
        package var wrapped: [UInt8]
        /// The most values that it may have sealed so far.
        package var bound: Int64

        /// A key of these parts.
        package init(number: Int64, wrapped: [UInt8], bound: Int64) {
            self.number = number
            self.wrapped = wrapped
            self.bound = bound
        }
    }

    /// The number under which the key of names is wrapped.
    package static let nameKeyNumber: UInt32 = 0

    /// The key under which texts in keys are hashed, wrapped.
    package var nameKey: [UInt8] = []
    /// The data keys, by number; the last one seals.
    package var dataKeys: [DataKey] = []

    /// A record without keys.
    package init() {}

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.bytes(&nameKey)
        coder.list(&dataKeys, of: DataKey(number: 0, wrapped: [], bound: 0)) { coder, key in
            coder.count("number", &key.number)
            coder.bytes(&key.wrapped)
            coder.count("bound", &key.bound)
        }
        let numbers = dataKeys.map(\.number)
        let areInOrder = zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }
        coder.require(areInOrder && numbers.allSatisfy { 1...Int64(UInt32.max) ~= $0 }, "number", numbers.last ?? 0)
        coder.require(!numbers.isEmpty, "keys", 0)
    }

    /// The key, ("keys").
    package static let key = TupleWriter.bytes { $0.append(text: "keys") }
}
