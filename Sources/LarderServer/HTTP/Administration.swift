#if Server
import HTTPTypes
import Hummingbird
import LarderJSON
import NIOCore

/// Changes an origin's content over HTTP, for a demo or for another process of a test.
///
/// | method and path under `{basePath}/admin` | body | does |
/// | --- | --- | --- |
/// | `GET /status` | – | returns the sequence and the number of public resources |
/// | `POST /content` | JSON lines, see ``ContentLoader`` | creates resources or replaces their rows |
/// | `PUT /resources/{group}/{id}` | – | creates an empty resource |
/// | `POST /resources/{group}/{id}/hide?reason=…` | – | hides |
/// | `POST /resources/{group}/{id}/publish` | – | publishes again |
/// | `POST /resources/{group}/{id}/touch` | – | confirms |
/// | `PUT /resources/{group}/{id}/rows/{type}/{key}` | the row's JSON object | creates or updates a row |
/// | `DELETE /resources/{group}/{id}/rows/{type}/{key}` | – | deletes a row |
/// | `POST /forget?before={sequence}` | – | forgets changes |
/// | `POST /invalidate-tokens` | – | makes all tokens invalid |
///
/// A change is answered with `{"sequence":n}`, or `{"sequence":null}` when nothing was logged. A refused one is
/// answered with 404, 409, 413 or 422 in the general envelope.
struct Administration {
    /// The longest body accepted, in bytes.
    static let longestBody = 64 << 20

    private let origin: any EditableOrigin

    init(_ origin: any EditableOrigin) { self.origin = origin }

    func handle(_ request: Request, path: [String], query: Substring) async throws(OriginProblem) -> [UInt8] {
        let body = request.method == .post || request.method == .put ? try await body(of: request) : []
        do {
            return try await change(request.method, path, query, body)
        } catch {
            throw Self.problem(error)
        }
    }

    private func change(
        _ method: HTTPRequest.Method, _ path: [String], _ query: Substring, _ body: [UInt8]
    ) async throws -> [UInt8] {
        switch (method, path.first) {
        case (.get, "status") where path.count == 1:
            return try await status
        case (.post, "content") where path.count == 1:
            var loader = ContentLoader(into: origin)
            try await loader.add(jsonLines: body)
            try await loader.commit()
            return Self.sequenceBody(try await origin.sequence)
        case (.post, "forget") where path.count == 1:
            guard let first = Self.parameter("before", query).flatMap({ Int64($0) }) else {
                throw OriginProblem.invalidRequest("before must be a sequence")
            }
            try await origin.removeChanges(before: first)
            return Self.sequenceBody(nil)
        case (.post, "invalidate-tokens") where path.count == 1:
            try await origin.invalidateTokens()
            return Self.sequenceBody(nil)
        case (_, "resources") where path.count >= 3:
            guard let id = Int64(path[2]) else { throw OriginProblem.notFound }
            let resource = Origin.ResourceID(path[1], id)
            return Self.sequenceBody(try await change(resource, method, Array(path[3...]), query, body))
        default:
            throw OriginProblem.notFound
        }
    }

    private func change(
        _ resource: Origin.ResourceID, _ method: HTTPRequest.Method, _ path: [String], _ query: Substring,
        _ body: [UInt8]
    ) async throws -> Int64? {
        let row = path.count == 3 && path[0] == "rows" ? Origin.RowKey(path[1], path[2]) : nil
        return switch (method, path, row) {
        case (.put, [], _): try await origin.createResource(resource, rows: [])
        case (.post, ["hide"], _):
            try await origin.hideResource(resource, reason: Self.parameter("reason", query))
        case (.post, ["publish"], _): try await origin.publishResource(resource)
        case (.post, ["touch"], _): try await origin.touchResource(resource)
        case (.delete, _, let row?): try await origin.deleteRow(row, in: resource)
        case (.put, _, let row?): try await origin.putRow(Origin.Row(row, body: body), in: resource)
        default: throw OriginProblem.notFound
        }
    }

    private func body(of request: Request) async throws(OriginProblem) -> [UInt8] {
        do {
            return Array((try await request.body.collect(upTo: Self.longestBody)).readableBytesView)
        } catch {
            throw OriginProblem(status: 413, message: "The body is too long or broke off")
        }
    }

    private var status: [UInt8] {
        get async throws {
            var writer = JSONWriter()
            writer.raw("{\"sequence\":")
            writer.integer(try await origin.sequence)
            writer.raw(",\"public_resources\":")
            writer.integer(Int64(try await origin.publicResources.count))
            writer.raw("}")
            return writer.bytes
        }
    }

    private static func sequenceBody(_ sequence: Int64?) -> [UInt8] {
        var writer = JSONWriter()
        writer.raw("{\"sequence\":")
        writer.integer(sequence)
        writer.raw("}")
        return writer.bytes
    }

    static func parameter(_ name: String, _ query: Substring) -> String? {
        for part in query.split(separator: "&") where part.hasPrefix(name + "=") {
            return PercentEncoding.decode(part.dropFirst(name.count + 1))
        }
        return nil
    }

    private static func problem(_ error: any Error) -> OriginProblem {
        switch error {
        case let problem as OriginProblem: return problem
        case let error as LoadError: return OriginProblem(status: 422, message: error.description)
        case let error as OriginError:
            let status =
                switch error {
                case .unknownResource: 404
                case .resourceExists, .alreadyPublic, .hidden: 409
                default: 422
                }
            return OriginProblem(status: status, message: error.description)
        default:
            // Its text could name hosts or users of the database.
            return OriginProblem(status: 500, message: "The change failed")
        }
    }
}
#endif
