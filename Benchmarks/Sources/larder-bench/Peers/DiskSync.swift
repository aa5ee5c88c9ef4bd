// DiskSync: what the disk itself takes to make written bytes durable.

import Foundation

/// What the disk itself takes to make written bytes durable.
enum DiskSync {
    /// Writes and syncs `bytes` into an existing file, `count` times. Milliseconds of each `fdatasync`.
    static func measure(bytes: Int, count: Int) throws -> [Double] {
        let directory = try ScratchDirectory()
        let file = open(directory.path("sync"), O_RDWR | O_CREAT, 0o600)
        guard file >= 0 else { throw PeerError.code(errno) }
        defer { close(file) }
        let block = [UInt8](repeating: 0x5A, count: bytes)
        var durations: [Double] = []
        for round in 0...count {
            // The file does not grow after the first pass, as a store's seldom does.
            let offset = off_t(round % 8 * bytes)
            guard pwrite(file, block, bytes, offset) == bytes else { throw PeerError.code(errno) }
            let time = timed(1) { _ = fdatasync(file) }
            if round >= 8 { durations.append(time / 1e6) }
        }
        return durations
    }
}
