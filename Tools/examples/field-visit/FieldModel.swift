import Foundation
import HTTPTypes
import Larder
import LarderOutbox
import LarderStore
import LarderSync

/// Visits to outlets that are recorded without a network and sent later.
///
/// The model is all of the app but its lines on the terminal, and is tested as it is.
struct FieldModel: Sendable {
    let cache: ContentCache

    /// Opens the app's directory.
    ///
    /// - Parameter isReadOnly: Whether nothing is written: another process may have the directory open at the same time
    ///   in either case.
    init(
        in location: CacheLocation, server: BaseURL, content: BaseURL, services: CacheServices, isReadOnly: Bool = false
    ) async throws {
        var options = CacheOptions()
        // The outlets are the same for all accounts; writes belong to the account that made them.
        options.contentIsShared = true
        options.credentials = AccountCredentials()
        if isReadOnly { options.store.access = .readOnly }
        cache = try await ContentCache.open(
            location, content: content, writes: server, rows: [Outlet.self, Visit.self], services: services,
            options: options)
    }

    /// Signs an account in, in place of the one that is.
    ///
    /// - Throws: `SessionError.unsent` while the server lacks visits of the other account: no visit is lost, and none is
    ///   sent as somebody else's.
    func signIn(as account: String) async throws {
        if let current = await cache.session.account, current != account { try await cache.session.signOut() }
        try await cache.session.signIn(as: account)
    }

    /// Keeps outlets and visits for reading without a network; the sequence ends when they are there.
    func download() -> AsyncStream<KeepProgress> { cache.keep("outlets:1;visits:1") }

    /// Fetches what is missing or has changed, for a minute at most; returns why something could not be fetched.
    ///
    /// ``download()`` comes first: it names what to fetch. Its sequence ends as soon as all can be read, and an app that
    /// runs gets changes behind. A tool that ends waits for them here.
    func fetch() async -> [String] {
        let outcomes = await cache.content?.runOnce(within: .seconds(60)) ?? [:]
        return outcomes.values.compactMap { outcome in
            if case .failure(let error) = outcome { "\(error)" } else { nil }
        }
    }

    /// Returns the outlets around a place, the nearest first, and their distances in metres.
    func outlets(near place: Place, limit: Int = 5) throws -> [(outlet: Outlet, metres: Double)] {
        var reach = 0.02
        while true {
            let width = min(180, reach / max(cos(place.latitude * .pi / 180), 0.001))
            let (south, north) = (place.latitude - reach, place.latitude + reach)
            let (west, east) = (place.longitude - width, place.longitude + width)
            let found = try cache.rows(
                Outlet.self,
                where: """
                    latitude >= \(south) AND latitude <= \(north) AND longitude >= \(west) AND longitude <= \(east)
                    """
            ).map { (outlet: $0, metres: place.distance(to: $0.place)) }
            // Beyond the circle in this box, outlets outside of the box may be nearer.
            let isEnough = found.count { $0.metres <= reach * 111_000 } >= limit
            if isEnough || reach > 180 { return Array(found.sorted { $0.metres < $1.metres }.prefix(limit)) }
            reach *= 4
        }
    }

    /// Records a visit, with a photo or without. Both are durable when it returns, and are sent when there is a network.
    @discardableResult
    func record(_ outlet: Int, note: String, at place: Place? = nil, photo: [UInt8]? = nil) async throws -> Visit {
        guard let outbox = cache.outbox, let account = await cache.session.account else {
            throw SessionError.notSignedIn
        }
        let visit = Visit(
            id: UUID().uuidString, outlet: outlet, account: account, note: note, latitude: place?.latitude,
            longitude: place?.longitude)
        let payload = try JSONPayloadCoder().encode(visit)
        let (endpoint, entity) = ("/visits/\(visit.id)", "visits/1/visit/\(visit.id)")
        let key = RowKey(resource: "visits/1", type: "visit", key: visit.id)
        let write = OutboxWrite(
            "visit.put", .put, endpoint, body: .bytes(payload), entity: entity,
            effects: [RowEffect(.replacement(payload), at: key)])
        // One commit: a crash leaves both or neither. The photo is sent once the server has accepted the visit.
        try await cache.store.write { transaction in
            let queued = try transaction.enqueue(outbox.prepare(write))
            guard let photo else { return }
            let upload = OutboxWrite(
                "photo.put", .put, endpoint + "/photo", body: .bytes(photo),
                fields: [.contentType: "image/jpeg"], entity: entity, after: [queued.id])
            _ = try transaction.enqueue(outbox.prepare(upload))
        }
        return visit
    }

    /// Returns all visits, and whether the server lacks each.
    func visits() throws -> [(visit: Visit, isPending: Bool)] {
        try cache.rows(Visit.self).map { ($0, cache.isPending($0)) }
    }

    /// Returns the writes that the server refused; they are kept until they are handled.
    func refusals() throws -> [(endpoint: String, reason: String)] {
        try cache.store.read { view in try view.outboxEntries() }.filter { $0.delivery.state == .rejected }
            .map { ($0.endpoint, $0.delivery.lastError ?? "refused") }
    }

    /// Sends visits for some time at most, and returns what is left.
    func send(within time: Duration = .seconds(30)) async -> OutboxStatus {
        await cache.outbox?.drain(within: time) ?? OutboxStatus()
    }

    /// Closes the app's directory.
    func close() async throws { try await cache.close() }
}

/// Names the account of each write to the server of the example; a real one would get a token here.
private struct AccountCredentials: Credentials {
    func fields(for account: String?, isRefused: Bool) async -> HTTPFields {
        account.map { [.authorization: "Bearer \($0)"] } ?? [:]
    }
}
