// Store helpers: open a store for a benchmark and load a resource into it.

import LarderFormat
import LarderStore

extension Store {
    /// Replaces a resource by `rows`, in key order.
    func load(_ rows: TranslationRows, into resource: ResourceKey, appliedSequence: Int64 = 0) async throws {
        try await replace(resource, appliedSequence: appliedSequence) { writer in
            for row in 0..<rows.count {
                try await writer.append(
                    rows.payload(row), type: TranslationRows.type, key: String(row + 1),
                    updatedAt: TranslationRows.updatedAt)
            }
            try await writer.flush()
        }
    }
}

/// Opens a store for a benchmark.
func openStore(
    at path: String, options: StoreOptions = StoreOptions(),
    elapsed: @escaping @Sendable () -> Duration = { sinceStart() }
) throws -> Store {
    try Store.open(at: path, options: options, host: .benchmark(elapsed: elapsed))
}
