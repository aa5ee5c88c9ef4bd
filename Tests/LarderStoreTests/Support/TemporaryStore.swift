// TemporaryStore: a store in a temporary directory, with the keys and helpers that most tests use.

import Foundation
import LarderFormat
import LarderStore
import Logging

/// A store in a directory of its own, removed with the last reference.
final class TemporaryStore: Sendable {
    let path: String

    init(in directory: String = FileManager.default.temporaryDirectory.path) {
        path = directory + "/larder-\(UUID().uuidString)"
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func open(_ options: StoreOptions = StoreOptions()) throws -> Store {
        try Store.open(at: path, options: options, host: .test)
    }

    /// Size of the data file, in bytes.
    var fileSize: Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path + "/data.mdb")
        return (attributes?[.size] as? Int) ?? 0
    }
}

extension HostServices {
    /// A host whose wall clock stands still.
    static let test = HostServices(
        now: { 1_700_000_000_000 },
        elapsed: { start.duration(to: .now) },
        sleepUntil: { try await Task.sleep(until: start.advanced(by: $0), clock: .continuous) },
        makeID: {
            var generator = SystemRandomNumberGenerator()
            return UUIDBytes.random(using: &generator)
        },
        logger: {
            var logger = Logger(label: "larder.test")
            logger.logLevel = .error
            return logger
        }())
}

private let start = ContinuousClock.now

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

let translations = ResourceKey("translations", 19)
let tafsirs = ResourceKey("tafsirs", 1)

func key(_ number: Int, _ resource: ResourceKey = translations) -> RowKey { key(String(number), resource) }

func key(_ name: String, _ resource: ResourceKey = translations) -> RowKey {
    RowKey(resource: resource, type: "translation", key: name)
}

extension Store {
    /// Everything `verify` has to say.
    func findings() throws -> [Finding] {
        var findings: [Finding] = []
        let summary = try verify { findings.append($0) }
        precondition(summary.findings == findings.count)
        return findings
    }

    /// The keys of a range, in order.
    func keys(_ range: RowRange, reversed: Bool = false, limit: Int = .max) throws -> [String] {
        try read { view in try view.rows(in: range, reversed: reversed, limit: limit).map(\.key.key) }
    }

    /// Puts rows whose payload is their key.
    func put(_ keys: [RowKey]) async throws {
        try await write { transaction in
            for key in keys { try transaction.put(bytes(key.key), at: key, updatedAt: 1) }
        }
    }

    /// Replaces the rows of a resource by a snapshot.
    func replace(_ resource: ResourceKey, with rows: [(key: RowKey, payload: [UInt8])]) async throws {
        let staging = try await beginStaging(resource)
        var batch = RowBatch(for: staging)
        for row in rows {
            try batch.append(row.payload.rawSpan, type: row.key.type, key: row.key.key, updatedAt: 1)
        }
        try await stage(batch, in: staging)
        try await swap(staging) { _, record in record.appliedSequence += 1 }
    }
}

/// Numbers that look random and come again with the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension StoreStatistics.GenerationCounts {
    /// Live, staging and garbage generations.
    var counts: [Int] { [live, staging, garbage] }
}
