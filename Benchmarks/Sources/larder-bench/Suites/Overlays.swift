// Overlays: rows with local writes over them, by the number of layers and of overlaid rows.

import LarderFormat
import LarderOutbox
import LarderStore

/// Rows with local writes over them, by the number of layers and of overlaid rows.
enum Overlays {
    private static let patched = 20
    private static let overlays = 10_000
    private static let page = 50

    private static let layers = [1, 10, 100]
    private static let plain = TranslationRows.resource(0)
    private static let overlaid = TranslationRows.resource(1_000)

    static func run(isQuick: Bool) async throws -> [Measurement] {
        let directory = try await fill()
        let store = try openStore(at: directory.path("store"))
        let rounds = isQuick ? 5 : 15
        var measurements = [
            try await Measurement.compare(
                "overlay", "50 rows from the end", size: "10,000 overlays", unit: "µs", rounds: rounds,
                [
                    Contender(name: "Larder") { try readPage(store, overlaid, layer: 1) },
                    Contender(name: "plain rows") { try readPage(store, plain, layer: nil) },
                ])
        ]
        for layers in layers {
            let resource = TranslationRows.resource(layers)
            measurements.append(
                try await .compare(
                    "overlay", "patched row, \(layers) layer\(layers > 1 ? "s" : "")", unit: "ns", rounds: rounds,
                    [
                        Contender(name: "Larder") { try readEach(store, resource, layer: layers) },
                        Contender(name: "plain row") { try readEach(store, plain, layer: nil) },
                    ]))
        }
        try store.close()
        return measurements
    }

    /// A directory with a store of resources of 10,000 rows: one without patches, one with a patch of every row, and for
    /// each number of layers one where some rows have as many.
    private static func fill() async throws -> ScratchDirectory {
        let fixture = try OutboxFixture()
        for resource in [plain, overlaid] + layers.map({ TranslationRows.resource($0) }) {
            try await fixture.store.load(TranslationRows(count: overlays), into: resource)
        }
        for start in stride(from: 0, to: overlays, by: 500) {
            try await fixture.patch(overlaid, start..<start + 500, layer: 1)
        }
        for count in layers {
            let resource = TranslationRows.resource(count)
            for layer in 1...count { try await fixture.patch(resource, 0..<patched, layer: layer) }
        }
        try fixture.store.close()
        return fixture.directory
    }

    private static func readEach(_ store: Store, _ resource: ResourceKey, layer: Int?) throws -> Double {
        let keys = (0..<patched).map { OutboxFixture.key($0, in: resource) }
        let passes = 5_000
        var byteCount = 0
        let duration = try timed(patched * passes) {
            try store.read { view in
                for _ in 0..<passes {
                    for key in keys { byteCount += try view.row(at: key)?.payload.byteCount ?? 0 }
                }
            }
        }
        let payloads = try store.read { view in try keys.map { try view.payload(at: $0) ?? [] } }
        for payload in payloads { try check(payload, layer) }
        try expect(byteCount, payloads.reduce(0) { $0 + $1.count } * passes, "bytes of rows")
        return duration
    }

    private static func readPage(_ store: Store, _ resource: ResourceKey, layer: Int?) throws -> Double {
        let passes = 500
        var byteCount = 0
        let duration = try timed(passes) {
            for _ in 0..<passes {
                try store.read { view in
                    _ = try view.forEachRow(in: .all(of: resource), reversed: true, limit: page) { entry in
                        byteCount += entry.row.payload.byteCount
                    }
                }
            }
        }
        let rows = try store.read { view in try view.rows(in: .all(of: resource), reversed: true, limit: page) }
        try expect(rows.map(\.key.key), (0..<page).map { String(overlays - $0) }, "keys of the page")
        for row in rows { try check(row.payload, layer) }
        try expect(byteCount, rows.reduce(0) { $0 + $1.payload.count } * passes, "bytes of the page")
        return duration / 1e3
    }

    /// Checks that a payload has the patch of a layer, or none.
    private static func check(_ payload: [UInt8], _ layer: Int?) throws {
        let name = layer.map { "\"layer \($0)\"" } ?? "\"english\""
        try expect(String(decoding: payload, as: UTF8.self).contains(name), true, "the language \(name)")
    }
}
