// Compression: proves that the code of the article compiles, and makes a store that opens with the option only.

#if Compression
import Foundation
import Larder
import LarderCompression
import LarderStore
import Testing

@Suite struct `The article on compression` {
    private func open(_ path: String) async throws -> Store {
        // block begins
        var options = StoreOptions()
        options.compression = .zstd(groups: ["translations"])
        let store = try Store.open(at: path, options: options)
        // … and once the rows are there:
        if let summary = try await store.trainDictionary(for: "translations") {
            print(summary.plainBytes, "bytes in", summary.storedBytes)
        }
        // block ends
        return store
    }

    @Test func `shows how a store is opened that needs the option from then on`() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "larder-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await open(path).close()
        #expect(throws: StoreError.compressionMissing) { try Store.open(at: path) }
        try await open(path).close()
    }
}
#endif
