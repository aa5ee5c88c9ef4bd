extension Origin {
    /// The name of a resource, the unit that the server publishes, as in `translations/19`.
    public struct ResourceID: Hashable, Sendable, CustomStringConvertible {
        /// The group's name.
        public let group: String
        /// The number within the group; 1 and above.
        public let id: Int64

        /// Names a resource; commands refuse it with ``OriginError/invalidGroup`` or
        /// ``OriginError/invalidResourceID(_:)``.
        public init(_ group: String, _ id: Int64) {
            self.group = group
            self.id = id
        }

        /// The name as paths and logs show it.
        public var description: String { "\(group)/\(id)" }

        /// Checks the name.
        ///
        /// - Throws: ``OriginError/invalidGroup``, ``OriginError/invalidResourceID(_:)``.
        package func validate() throws(OriginError) {
            guard GroupTable.isName(group) else { throw .invalidGroup }
            guard id >= 1 else { throw .invalidResourceID(id) }
        }
    }

    /// The name of a row within its resource.
    public struct RowKey: Hashable, Sendable, CustomStringConvertible {
        /// The record type, as in `translation`.
        public let type: String
        /// The record key, as in `85108`.
        public let key: String

        /// Names a row.
        public init(_ type: String, _ key: String) {
            self.type = type
            self.key = key
        }

        /// The name as logs show it.
        public var description: String { "\(type) \(key)" }
    }

    /// One row: its name and its body.
    public struct Row: Hashable, Sendable {
        /// The row's name.
        public let key: RowKey
        /// A JSON object, as UTF-8 text.
        public let body: [UInt8]

        /// Creates a row without a check; the command that receives it checks the body.
        public init(_ key: RowKey, body: [UInt8]) {
            self.key = key
            self.body = body
        }

        /// Creates a row whose body is given as text.
        public init(type: String, key: String, _ body: String) {
            self.init(RowKey(type, key), body: Array(body.utf8))
        }
    }
}
