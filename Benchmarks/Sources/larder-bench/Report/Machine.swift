// Machine: the speed of the machine's own memory and disk.

import Foundation

/// The processor, and the speed of the machine's own memory and disk.
struct Machine: Codable, Sendable {
    /// One of its values, with its unit.
    struct Figure: Codable, Sendable {
        var unit: String
        var series: Series
    }

    var processor: String
    var figures: [Figure]

    static func measure(isQuick: Bool) throws -> Machine {
        let copy = copyMemory(bytes: 64 << 20, rounds: 9)
        let read = try readDisk(bytes: (isQuick ? 64 : 512) << 20, rounds: isQuick ? 3 : 5)
        let sync = try DiskSync.measure(bytes: 4_096, count: isQuick ? 20 : 100)
        return Machine(
            processor: processorName(),
            figures: [
                Figure(unit: "GB/s", series: Series(name: "memory copy", values: copy)),
                Figure(unit: "GB/s", series: Series(name: "disk, sequential read", values: read)),
                Figure(unit: "ms", series: Series(name: "disk, fdatasync of 4 KiB", values: sync)),
            ])
    }

    private static func processorName() -> String {
        let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let name = text.split(separator: "\n").first { $0.hasPrefix("model name") }
        let words = name?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown"
        return "\(ProcessInfo.processInfo.activeProcessorCount) × \(words)"
    }

    /// Gigabytes a second, in each round.
    private static func copyMemory(bytes: Int, rounds: Int) -> [Double] {
        let source = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes, alignment: 4_096)
        let target = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes, alignment: 4_096)
        defer {
            source.deallocate()
            target.deallocate()
        }
        source.initializeMemory(as: UInt8.self, repeating: 0x5A)
        target.initializeMemory(as: UInt8.self, repeating: 0)
        return (0..<rounds).map { round in
            source[round] = UInt8(round)
            let time = timed(1) { target.copyMemory(from: UnsafeRawBufferPointer(source)) }
            blackHole(UInt64(target[round]))
            return Double(bytes) / time
        }
    }

    /// Gigabytes a second of a file that is not cached, in each round.
    private static func readDisk(bytes: Int, rounds: Int) throws -> [Double] {
        let directory = try ScratchDirectory()
        let file = open(directory.path("read"), O_RDWR | O_CREAT, 0o600)
        guard file >= 0 else { throw PeerError.code(errno) }
        defer { close(file) }
        var block = [UInt8](repeating: 0x5A, count: 1 << 20)
        for _ in 0..<bytes / block.count where write(file, block, block.count) != block.count {
            throw PeerError.code(errno)
        }
        fsync(file)
        return try (0..<rounds).map { _ in
            posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
            lseek(file, 0, SEEK_SET)
            var total = 0
            let time = try timed(1) {
                while true {
                    let count = read(file, &block, block.count)
                    guard count >= 0 else { throw PeerError.code(errno) }
                    if count == 0 { break }
                    total += count
                }
            }
            precondition(total == bytes, "the file has another length")
            return Double(bytes) / time
        }
    }
}
