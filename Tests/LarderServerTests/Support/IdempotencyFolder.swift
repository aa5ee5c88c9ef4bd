// IdempotencyFolder: a store of idempotency keys in its own directory, with a test clock, a counter and a latch.

import Foundation
import Synchronization

@testable import LarderServer

/// A clock that stands still until it is moved.
final class TestClock: Sendable {
    private let time = Atomic<Int64>(sampleTime)

    var now: Int64 { time.load(ordering: .relaxed) }

    func advance(milliseconds: Int64) { time.wrappingAdd(milliseconds, ordering: .relaxed) }
}

/// Counts, from any thread.
final class Counter: Sendable {
    private let number = Atomic<Int>(0)

    var value: Int { number.load(ordering: .relaxed) }

    @discardableResult
    func increment() -> Int { number.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// Lets those that wait go on when it is opened.
final class Latch: Sendable {
    private let stream: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation

    init() { (stream, end) = AsyncStream.makeStream() }

    func open() { end.finish() }

    func wait() async { for await _ in stream {} }
}

/// A directory with a store of keys and a table `writes`; a test closes and opens it as it likes.
final class IdempotencyFolder {
    let url = FileManager.default.temporaryDirectory.appending(path: "larder-keys-\(UUID().uuidString)")

    deinit { try? FileManager.default.removeItem(at: url) }

    func open() throws -> LMDBIdempotencyStore {
        try LMDBIdempotencyStore.open(at: url.path, tables: ["writes"], sizeCap: 64 << 20)
    }
}

extension LMDBIdempotencyStore {
    /// The number of leases that nobody has ended.
    var leaseCount: Int { leases.count }

    /// The keys of `writes` as texts, in the order of their bytes.
    func writes() throws -> [String] {
        try read { view in
            var names: [String] = []
            try view.forEach(in: "writes") { key, _ in
                names.append(String(decoding: key, as: UTF8.self))
                return true
            }
            return names
        }
    }
}
