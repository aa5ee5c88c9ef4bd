// EditServer: serves rows and accepts edits over HTTP, with faults, until it is killed.

#if Server
import CrashWorld
import HTTPTypes
import Hummingbird
import LarderFormat
import LarderServer
import NIOCore
import Synchronization

/// Serves rows and takes edits of them over HTTP until it is killed: `crash-child serve-edits <unused> <port> <seed>`.
///
/// Now and then it refuses all tokens, forgets its changes, replaces the rows of a resource, answers 503, or answers with an older
/// snapshot, as a server of several machines does. Says `listening <port>`, and `rejected` and `lagged` for each of these two.
struct EditServer {
    let port: Int
    let seed: UInt64

    func run() async throws {
        var random = SplitMix64(seed: seed)
        let sharedRandom = SharedRandom(seed: seed)
        let content = try EditedContent(Origin(secret: TokenSecret(using: &random), now: { 1_700_000_000_000 }))
        let router = Router()
        router.add(middleware: RandomDelay(random: sharedRandom))
        router.add(middleware: ServerFaults(content: content, sharedRandom: sharedRandom))
        router.add(middleware: ContentSyncMiddleware(content.origin))
        router.put("/rows/{id}/{key}") { request, context in
            let body = try await request.body.collect(upTo: 1 << 16)
            let (id, key) = try (context.parameters.require("id", as: Int64.self), context.parameters.require("key"))
            let sequence = try content.put(key, String(buffer: body), in: id)
            var fields: HTTPFields = [.contentType: "application/json"]
            if let name = HTTPField.Name("X-Sync-Sequence") { fields[name] = "\(sequence)" }
            return Response(status: .ok, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(string: "{}")))
        }
        try await router.listen(on: port)
    }
}

/// The rows at the server. An edit and the replacement of all rows exclude each other.
private final class EditedContent: Sendable {
    let origin: Origin
    private let turn = Mutex(())

    init(_ origin: Origin) throws {
        self.origin = origin
        for id in EditedRows.resources {
            let rows = EditedRows.all.filter { $0.resource.id == id }.map { key in
                Origin.Row(type: "translation", key: key.key, EditedRows.body(key.key, 0))
            }
            try origin.createResource(Self.resource(id), rows: rows)
        }
    }

    /// Puts a row, and returns the sequence of the change.
    func put(_ key: String, _ body: String, in id: Int64) throws -> Int64 {
        try turn.withLock { _ in
            try origin.putRow(Origin.Row(type: "translation", key: key, body), in: Self.resource(id)) ?? 0
        }
    }

    /// Replaces all rows of a resource by the same rows, so that clients fetch a snapshot.
    func replaceRows(_ id: Int64) throws {
        try turn.withLock { _ in
            let resource = Self.resource(id)
            _ = try origin.replaceRows(of: resource, with: origin.rows(of: resource) ?? [])
        }
    }

    func snapshot(_ id: Int64) throws -> [UInt8] { try Array(origin.snapshot(of: Self.resource(id)).joined()) }

    private static func resource(_ id: Int64) -> Origin.ResourceID { Origin.ResourceID("translations", id) }
}

/// Random faults of the server.
private final class ServerFaults<Context: RequestContext>: RouterMiddleware {
    private let content: EditedContent
    private let sharedRandom: SharedRandom
    /// The body of a snapshot as it was at some time, by its path.
    private let older = Mutex<[String: ByteBuffer]>([:])

    init(content: EditedContent, sharedRandom: SharedRandom) {
        self.content = content
        self.sharedRandom = sharedRandom
    }

    @concurrent
    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        if sharedRandom.happens(onceIn: 30) { return Response(status: .serviceUnavailable) }
        if sharedRandom.happens(onceIn: 20) {
            printLine("rejected")
            content.origin.invalidateTokens()
        }
        if sharedRandom.happens(onceIn: 60) { content.origin.removeChanges(before: content.origin.sequence) }
        if sharedRandom.happens(onceIn: 10) { try content.replaceRows(sharedRandom.happens(onceIn: 2) ? 1 : 2) }
        let path = request.uri.path
        guard let id = EditedRows.resources.first(where: { path.hasSuffix("/snapshots/translations/\($0)") }) else {
            return try await next(request, context)
        }
        if sharedRandom.happens(onceIn: 3), let body = older.withLock({ $0[path] }) {
            printLine("lagged")
            return Response(
                status: .ok, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: body))
        }
        if sharedRandom.happens(onceIn: 2) {
            let body = ByteBuffer(bytes: try content.snapshot(id))
            older.withLock { $0[path] = body }
        }
        return try await next(request, context)
    }
}
#endif
