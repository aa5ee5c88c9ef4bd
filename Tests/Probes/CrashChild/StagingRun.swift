// StagingRun: writes a snapshot and a body that no reader sees, until it is killed or a file says to go on.

import CrashWorld
import Foundation
import Larder
import LarderFormat
import LarderStore

/// Writes a snapshot and a body that no reader sees, and reports them. Waits to be killed, or for the file `<store>-go`;
/// then it shows the snapshot.
struct StagingRun {
    let path: String
    let resource: ResourceKey
    let rows: Int

    func run() async throws {
        let store = try Store.open(at: path)
        let staging = try await store.beginStaging(resource)
        var batch = RowBatch(for: staging)
        let payload = [UInt8](repeating: 0x37, count: 500)
        for number in 0..<rows {
            try batch.append(payload.rawSpan, type: "row", key: String(number), updatedAt: 0)
        }
        try await store.stage(batch, in: staging)
        let writer = try store.makeBlob()
        writer.append([UInt8](repeating: 7, count: 1_000_000).rawSpan)
        try await writer.flush()
        acknowledge(.ready)
        while !FileManager.default.fileExists(atPath: path + "-go") { try await Task.sleep(for: .milliseconds(5)) }
        try await store.swap(staging) { _, _ in }
        writer.cancel()
        try store.close()
        acknowledge(.done)
    }
}
