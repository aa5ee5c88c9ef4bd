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

    private let origin: Origin

    init(_ origin: Origin) { self.origin = origin }

    func handle(_ request: Request, path: [String], query: Substring) async throws(OriginProblem) -> [UInt8] {
        switch (request.method, path.first) {
        case (.get, "status") where path.count == 1:
            return status
        case (.post, "content") where path.count == 1:
            try load(try await body(of: request))
            return Self.sequenceBody(origin.sequence)
        case (.post, "forget") where path.count == 1:
            guard let first = Self.parameter("before", query).flatMap({ Int64($0) }) else {
                throw .invalidRequest("before must be a sequence")
            }
            origin.removeChanges(before: first)
            return Self.sequenceBody(nil)
        case (.post, "invalidate-tokens") where path.count == 1:
            origin.invalidateTokens()
            return Self.sequenceBody(nil)
        case (_, "resources") where path.count >= 3:
            guard let id = Int64(path[2]) else { throw .notFound }
            let resource = Origin.ResourceID(path[1], id)
            return try await change(resource, request, Array(path[3...]), query)
        default:
            throw .notFound
        }
    }

    private func change(
        _ resource: Origin.ResourceID, _ request: Request, _ path: [String], _ query: Substring
    ) async throws(OriginProblem) -> [UInt8] {
        let row = path.count == 3 && path[0] == "rows" ? Origin.RowKey(path[1], path[2]) : nil
        do throws(OriginError) {
            switch (request.method, path, row) {
            case (.put, [], _): return Self.sequenceBody(try origin.createResource(resource))
            case (.post, ["hide"], _):
                return Self.sequenceBody(try origin.hideResource(resource, reason: Self.parameter("reason", query)))
            case (.post, ["publish"], _): return Self.sequenceBody(try origin.publishResource(resource))
            case (.post, ["touch"], _): return Self.sequenceBody(try origin.touchResource(resource))
            case (.delete, _, let row?): return Self.sequenceBody(try origin.deleteRow(row, in: resource))
            default: break
            }
        } catch {
            throw Self.problem(error)
        }
        guard request.method == .put, let row else { throw .notFound }
        let body = try await body(of: request)
        do throws(OriginError) {
            return Self.sequenceBody(try origin.putRow(Origin.Row(row, body: body), in: resource))
        } catch {
            throw Self.problem(error)
        }
    }

    private func load(_ lines: [UInt8]) throws(OriginProblem) {
        var loader = ContentLoader(into: origin)
        do throws(LoadError) {
            try loader.add(jsonLines: lines)
        } catch {
            throw OriginProblem(status: 422, message: error.description)
        }
        do throws(OriginError) {
            try loader.commit()
        } catch {
            throw Self.problem(error)
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
        var writer = JSONWriter()
        writer.raw("{\"sequence\":")
        writer.integer(origin.sequence)
        writer.raw(",\"public_resources\":")
        writer.integer(Int64(origin.publicResources.count))
        writer.raw("}")
        return writer.bytes
    }

    private static func sequenceBody(_ sequence: Int64?) -> [UInt8] {
        var writer = JSONWriter()
        writer.raw("{\"sequence\":")
        writer.integer(sequence)
        writer.raw("}")
        return writer.bytes
    }

    private static func parameter(_ name: String, _ query: Substring) -> String? {
        for part in query.split(separator: "&") where part.hasPrefix(name + "=") {
            return PercentEncoding.decode(part.dropFirst(name.count + 1))
        }
        return nil
    }

    private static func problem(_ error: OriginError) -> OriginProblem {
        let status =
            switch error {
            case .unknownResource: 404
            case .resourceExists, .alreadyPublic, .hidden: 409
            default: 422
            }
        return OriginProblem(status: status, message: error.description)
    }
}
#endif
