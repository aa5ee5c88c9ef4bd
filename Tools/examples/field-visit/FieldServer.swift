#if Server
import Foundation
import HTTPTypes
import Hummingbird
import LarderServer
import Logging
import NIOCore
import Synchronization

/// The server of the example: outlets to sync, and visits that are written with PUT. All of it is in memory.
final class FieldServer: Sendable {
    private static let visits = Origin.ResourceID("visits", 1)
    private static let outletCount = 60

    let origin: Origin
    private let stored = Mutex<[String: Visit]>([:])

    init() throws {
        // The history begins anew with each start, so tokens of an earlier one must not be valid.
        var generator = SystemRandomNumberGenerator()
        origin = Origin(secret: TokenSecret(using: &generator), now: { Int64(Date().timeIntervalSince1970 * 1000) })
        let outlets = (1...Self.outletCount).map { number in
            // A spiral around 50° N, 10° E: the first is in its centre, the last 9 km from it.
            let (angle, radius) = (Double(number) * 2.4, 0.01 * Double(number - 1).squareRoot())
            return Outlet(
                id: number, name: "Outlet \(number)", latitude: 50 + radius * sin(angle),
                longitude: 10 + radius * cos(angle) * 1.5)
        }
        let rows = try outlets.map { outlet in
            Origin.Row(.init("outlet", "\(outlet.id)"), body: [UInt8](try JSONEncoder().encode(outlet)))
        }
        _ = try origin.createResource(.init("outlets", 1), rows: rows)
        _ = try origin.createResource(Self.visits)
    }

    /// Serves until the process receives SIGINT or SIGTERM.
    func run(port: Int) async throws {
        var logger = Logger(label: "field-visit")
        logger.logLevel = .warning
        let application = Application(
            router: router(), configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in
                let line = "the visits are at http://127.0.0.1:\(channel.localAddress?.port ?? port)\n"
                FileHandle.standardOutput.write(Data(line.utf8))
            }, logger: logger)
        try await application.runService()
    }

    /// Returns the routes: the content for syncs, and PUT for visits and photos.
    func router() -> Router<BasicRequestContext> {
        let router = Router()
        router.add(middleware: ContentSyncMiddleware(origin))
        router.put("/visits/:id") { request, _ in
            let body = Data([UInt8](buffer: try await request.body.collect(upTo: 65_536)))
            let visit = try JSONDecoder().decode(Visit.self, from: body)
            guard request.headers[.authorization] == "Bearer \(visit.account)" else { throw HTTPError(.forbidden) }
            guard (1...Self.outletCount).contains(visit.outlet) else { throw HTTPError(.unprocessableContent) }
            return try self.save(visit)
        }
        router.put("/visits/:id/photo") { request, context in
            let photo = try await request.body.collect(upTo: 32 << 20)
            guard var visit = self.stored.withLock({ $0[context.parameters.get("id") ?? ""] }) else {
                throw HTTPError(.notFound)
            }
            visit.photo = photo.readableBytes
            return try self.save(visit)
        }
        return router
    }

    private func save(_ visit: Visit) throws -> Response {
        let row = Origin.Row(.init("visit", visit.id), body: [UInt8](try JSONEncoder().encode(visit)))
        stored.withLock { $0[visit.id] = visit }
        let sequence = try origin.putRow(row, in: Self.visits)
        // The client shows its own version of the visit until a sync has reached this change.
        return Response(status: .ok, headers: [.syncSequence: String(sequence ?? origin.sequence)])
    }
}
#endif
