// BulkContent: many resources of many small rows, computed on demand from resource and number.

public import LarderFormat
public import LarderServer

/// Many resources of many small rows, made when they are asked for: a function of resource and number alone.
public struct BulkContent: Sendable {
    /// What is synced to get all of it.
    public static let filter = "translations:*"
    /// The type of the rows.
    public static let rowType = "translation"

    /// How many resources there are, numbered from 1.
    public let resources: Int
    /// How many rows each has, numbered from 1.
    public let rowsPerResource: Int

    /// Content of a size.
    public init(resources: Int, rowsPerResource: Int) {
        self.resources = resources
        self.rowsPerResource = rowsPerResource
    }

    /// All rows of all resources.
    public var rowCount: Int { resources * rowsPerResource }

    /// The resource with a number.
    public func key(_ resource: Int) -> ResourceKey { ResourceKey("translations", Int64(resource)) }

    /// The JSON object of one row.
    public func row(_ number: Int, of resource: Int64) -> String {
        "{\"id\":\(number),\"text\":\"\(resource)/\(number &* 7919 &+ Int(resource))\"}"
    }

    /// A server that lists the resources, without their rows.
    public func makeOrigin() throws -> Origin {
        let origin = Origin(secret: TokenSecret(5, 6), now: { 1_700_000_000_000 })
        for resource in 1...resources {
            let key = key(resource)
            _ = try origin.createResource(Origin.ResourceID(key.group, key.id), rows: [])
        }
        return origin
    }
}

extension BulkContent {
    /// A sum over rows that does not ask for their order: equal for equal rows, in practice for no others.
    public struct Digest: Equatable, Sendable {
        /// How many rows were added.
        public private(set) var rows = 0
        private var sum: UInt64 = 0

        /// The digest of no rows.
        public init() {}

        /// Adds a row.
        public mutating func add(key: String, payload: [UInt8]) {
            rows += 1
            sum &+= payload.rawSpan.xxh64(seed: Array(key.utf8).rawSpan.xxh64(seed: 0))
        }
    }

    /// The digest of a resource's rows as the server has them.
    public func digest(of resource: Int) -> Digest {
        var digest = Digest()
        for number in 1...rowsPerResource {
            digest.add(key: "\(number)", payload: Array(row(number, of: Int64(resource)).utf8))
        }
        return digest
    }
}
