// ReferenceClient: a minimal client that follows the protocol.

import Foundation
import LarderServer
import Testing

/// A client that does what the protocol asks of one, as plainly as it can be written.
struct ReferenceClient {
    typealias Rows = [Origin.RowKey: NSDictionary]

    let filter: String
    private(set) var resources: [Origin.ResourceID: Rows] = [:]
    private(set) var token: String?

    init(filter: String) { self.filter = filter }

    /// One run, from token to token; `meanwhile` is called before each page and each snapshot.
    mutating func sync(
        _ origin: any EditableOrigin, pageSize: Int, meanwhile: () async throws -> Void
    ) async throws {
        let start = token.map { "sync_token=\($0)" } ?? "bootstrap=true"
        var listed: Set<Origin.ResourceID> = []
        var last: Int64 = 0
        var query = "resources=\(filter)&\(start)&per_page=\(pageSize)"
        var bound: Int64?
        while true {
            try await meanwhile()
            let page: OriginPage
            do {
                page = try await origin.answer(query)
            } catch let problem as OriginProblem where problem == .resyncRequired {
                token = nil
                return
            }
            #expect(bound == nil || page.bound == bound, "the bound moved within a run")
            #expect(page.changes.count <= pageSize)
            #expect((page.cursor == nil) != (page.token == nil))
            bound = page.bound
            for change in page.changes {
                #expect(change.sequence > last && change.sequence <= page.bound, "out of order or beyond the bound")
                last = change.sequence
                listed.insert(change.resource)
                try await apply(change, origin, meanwhile)
            }
            if let token = page.token {
                if self.token == nil { resources = resources.filter { listed.contains($0.key) } }
                self.token = token
                return
            }
            query = "cursor=\(page.cursor ?? "")"
        }
    }

    private mutating func apply(
        _ change: Origin.Change, _ origin: any EditableOrigin, _ meanwhile: () async throws -> Void
    ) async throws {
        switch change.kind {
        case .rowCreate(let key, let body), .rowUpdate(let key, let body):
            resources[change.resource, default: [:]][key] = try Self.object(body)
        case .rowDelete(let key):
            resources[change.resource]?[key] = nil
        case .resourceDelete:
            resources[change.resource] = nil
        case .resourceUpdate:
            break
        case .resourceCreate, .resourceInvalidate:
            try await meanwhile()
            do {
                let copy = try await origin.snapshot(of: change.resource)
                #expect(copy.sequence >= change.sequence)
                try resources[change.resource] = Self.rows(of: copy)
            } catch let problem as OriginProblem where problem == .snapshotNotFound {
                resources[change.resource] = nil
            }
        }
    }

    /// The rows of a snapshot, by the types and keys that the records state.
    private static func rows(of copy: OriginSnapshot) throws -> Rows {
        let body = try object(copy.flatMap { $0 })
        var rows: Rows = [:]
        for record in try #require(body["records"] as? [NSDictionary]) {
            let key = Origin.RowKey(
                try #require(record["record_type"] as? String), try #require(record["record_key"] as? String))
            #expect(rows.updateValue(record, forKey: key) == nil, "a snapshot contains a row twice")
        }
        return rows
    }

    private static func object(_ body: [UInt8]) throws -> NSDictionary {
        try #require(try JSONSerialization.jsonObject(with: Data(body)) as? NSDictionary)
    }

    /// What the client should hold once the origin is at rest.
    static func expected(_ origin: any EditableOrigin, filter: String) async throws -> [Origin.ResourceID: Rows] {
        let filter = try #require(ContentFilter(filter))
        var expected: [Origin.ResourceID: Rows] = [:]
        for resource in try await origin.publicResources where filter.matches(resource) {
            expected[resource] = [:]
            for row in try await origin.rows(of: resource) ?? [] { expected[resource]?[row.key] = try object(row.body) }
        }
        return expected
    }
}
