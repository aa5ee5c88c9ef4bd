extension Origin {
    /// One entry of the change log; the protocol calls it a mutation.
    public struct Change: Hashable, Sendable {
        /// The type of a change, with the values that only this type has.
        public enum Kind: Hashable, Sendable {
            /// A row was created; its body as sent over the wire.
            case rowCreate(RowKey, body: [UInt8])
            /// A row was replaced; its new body as sent over the wire.
            case rowUpdate(RowKey, body: [UInt8])
            /// A row was deleted.
            case rowDelete(RowKey)
            /// The resource became public.
            case resourceCreate
            /// The resource's rows were replaced as a whole.
            case resourceInvalidate
            /// The resource is no longer public.
            case resourceDelete(reason: String?)
            /// The resource was confirmed or its description changed; rows stay.
            case resourceUpdate

            /// The size of the row's body in bytes; 0 without one.
            package var bodySize: Int {
                switch self {
                case .rowCreate(_, let body), .rowUpdate(_, let body): body.count
                default: 0
                }
            }

            /// The value of `type` on the wire.
            public var name: String {
                switch self {
                case .rowCreate: "ROW_CREATE"
                case .rowUpdate: "ROW_UPDATE"
                case .rowDelete: "ROW_DELETE"
                case .resourceCreate: "RESOURCE_CREATE"
                case .resourceInvalidate: "RESOURCE_INVALIDATE"
                case .resourceDelete: "RESOURCE_DELETE"
                case .resourceUpdate: "RESOURCE_UPDATE"
                }
            }
        }

        /// The change number; ascending, without duplicates.
        public let sequence: Int64
        /// The changed resource.
        public let resource: ResourceID
        /// The type of the change.
        public let kind: Kind
        /// The time of the change, in milliseconds since 1970-01-01 UTC.
        public let changedAt: Int64

        /// Creates a change of these values.
        package init(sequence: Int64, resource: ResourceID, kind: Kind, changedAt: Int64) {
            self.sequence = sequence
            self.resource = resource
            self.kind = kind
            self.changedAt = changedAt
        }
    }
}
