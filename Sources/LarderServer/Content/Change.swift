extension Origin {
    /// One entry of the change log: what the protocol calls a mutation.
    public struct Change: Hashable, Sendable {
        /// What happened, with what only that kind of change has.
        public enum Kind: Hashable, Sendable {
            /// A row came to be; its body as it goes over the wire.
            case rowCreate(RowKey, body: [UInt8])
            /// A row was replaced; its new body as it goes over the wire.
            case rowUpdate(RowKey, body: [UInt8])
            /// A row is gone.
            case rowDelete(RowKey)
            /// The resource became public.
            case resourceCreate
            /// The resource's rows were replaced as a whole.
            case resourceInvalidate
            /// The resource is no longer public.
            case resourceDelete(reason: String?)
            /// The resource was confirmed or its description changed; rows stay.
            case resourceUpdate

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
        /// What changed.
        public let resource: ResourceID
        /// How it changed.
        public let kind: Kind
        /// When, in milliseconds since 1970-01-01 UTC.
        public let changedAt: Int64
    }
}
