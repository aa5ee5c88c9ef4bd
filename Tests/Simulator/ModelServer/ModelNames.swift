// ModelServer: names of resources and rows.

extension ModelServer {
    /// The name of a resource.
    package struct ResourceID: Hashable, Comparable, Sendable, CustomStringConvertible {
        /// The group.
        package let group: String
        /// The number within the group; 1 and above.
        package let id: Int64

        /// Names a resource.
        package init(_ group: String, _ id: Int64) {
            precondition(id >= 1 && ModelFilter.isGroup(group.utf8[...]), "\(group)/\(id) is no resource's name")
            self.group = group
            self.id = id
        }

        /// The name as paths show it.
        package var description: String { "\(group)/\(id)" }

        /// By group, then by number.
        package static func < (left: ResourceID, right: ResourceID) -> Bool {
            left.group == right.group ? left.id < right.id : left.group < right.group
        }
    }

    /// The name of a row within its resource; what `record_type` and `record_key` say.
    package struct RowID: Hashable, Comparable, Sendable, CustomStringConvertible {
        /// The record type.
        package let type: String
        /// The record key.
        package let key: String

        /// Names a row; both parts are letters, digits, `_` and `-`.
        package init(_ type: String, _ key: String) {
            precondition(Self.isPlain(type) && Self.isPlain(key), "\(type) \(key) is no row's name here")
            self.type = type
            self.key = key
        }

        /// The name as traces show it.
        package var description: String { "\(type) \(key)" }

        /// By type, then by key, as texts.
        package static func < (left: RowID, right: RowID) -> Bool {
            left.type == right.type ? left.key < right.key : left.type < right.type
        }

        /// Plain names need no escapes in JSON.
        private static func isPlain(_ text: String) -> Bool {
            !text.isEmpty && text.utf8.allSatisfy { ModelFilter.isNameByte($0) || $0 == UInt8(ascii: "-") }
        }
    }

    /// One row as clients are to hold it.
    package struct Row: Hashable, Sendable {
        /// The row's name.
        package let id: RowID
        /// The JSON object, as it stands on the wire; no two rows and no two versions of one have the same.
        package let payload: String
    }
}
