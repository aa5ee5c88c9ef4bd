import Foundation
import LarderFormat
import LarderStore
import Logging

/// A store in a directory of its own, removed with the last reference.
final class TemporaryStore: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "larder-\(UUID().uuidString)").path

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func open(_ options: StoreOptions = StoreOptions()) throws -> Store {
        try Store.open(at: path, options: options, host: .test)
    }
}

extension HostServices {
    /// A host whose wall clock stands still.
    static let test = HostServices(
        now: { 1_700_000_000_000 },
        elapsed: { start.duration(to: .now) },
        makeID: {
            var generator = SystemRandomNumberGenerator()
            return UUIDBytes.random(using: &generator)
        },
        logger: Logger(label: "larder.test"))
}

private let start = ContinuousClock.now

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

let translations = ResourceKey("translations", 19)

func key(_ number: Int, _ resource: ResourceKey = translations) -> RowKey {
    RowKey(resource: resource, type: "translation", key: String(number))
}
