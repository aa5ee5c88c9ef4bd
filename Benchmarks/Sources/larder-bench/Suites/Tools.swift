// Tools: the verbs of cachetool that read or write a whole store, beside the tools of LMDB.

import Foundation
import LarderFormat
import LarderStore

/// The verbs of cachetool that read or write a whole store, beside the tools of LMDB.
enum Tools {
    static func run(isQuick: Bool) async throws -> [Measurement] {
        guard let tool = ChildProcess.sibling("cachetool") else { return [] }
        let fixture = try await Fixture(tool, ShopItems(count: isQuick ? 20_000 : 200_000))
        let size = isQuick ? "20 k rows" : "200 k rows"
        var measurements: [Measurement] = []
        for (name, peer) in [("dump", "mdb_dump"), ("load", "mdb_load"), ("compact", "mdb_copy -c")] {
            measurements.append(
                try await .compare(
                    "cachetool", name, size: size, unit: "ms of processor time",
                    [
                        Contender(name: "Larder") { try fixture.runTool(name) },
                        Contender(name: peer) { try fixture.runPeer(peer) },
                    ]))
        }
        measurements.append(
            try await .compare(
                "cachetool", "verify", size: "\(size), file not in memory", unit: "ms",
                [
                    Contender(name: "Larder") { try fixture.verify() },
                    Contender(name: "reading the file") { try fixture.read() },
                ]))
        try fixture.check()
        return measurements
    }

    /// A store, and what the tools make of it.
    private struct Fixture {
        let directory: ScratchDirectory
        let items: ShopItems
        let tool: String

        init(_ tool: String, _ items: ShopItems) async throws {
            self.items = items
            self.tool = tool
            directory = try ScratchDirectory()
            let store = try openStore(at: directory.path("store"))
            try await store.load(items, into: ShopItems.resource(1))
            try await store.reclaim()
            try store.close()
        }

        /// Runs a verb of cachetool. Milliseconds of processor time.
        func runTool(_ verb: String) throws -> Double {
            let (store, dump) = (directory.path("store"), directory.path("store.jsonl"))
            switch verb {
            case "dump": return try ChildProcess.processorTime([tool, verb, store, "--output", dump])
            case "load": return try ChildProcess.processorTime([tool, verb, dump, removed("loaded")])
            default: return try ChildProcess.processorTime([tool, verb, store])
            }
        }

        /// Runs a tool of LMDB. Milliseconds of processor time.
        func runPeer(_ command: String) throws -> Double {
            let (store, dump) = (directory.path("store"), directory.path("store.mdb_dump"))
            let arguments =
                switch command {
                case "mdb_dump": ["-a", "-f", dump, store]
                case "mdb_load": ["-f", dump, try emptied("peer")]
                default: [store, try emptied("peer")]
                }
            return try ChildProcess.processorTime(command.split(separator: " ").map { String($0) } + arguments)
        }

        /// Verifies the store, whose file is not in memory. Milliseconds.
        func verify() throws -> Double {
            try forgetFile()
            return try timed(1) { _ = try ChildProcess.processorTime([tool, "verify", directory.path("store")]) } / 1e6
        }

        /// Reads the file of the store, which is not in memory. Milliseconds.
        func read() throws -> Double {
            try forgetFile()
            var sum: UInt64 = 0
            let time = try timed(1) {
                let file = try openFile()
                defer { close(file) }
                var block = [UInt8](repeating: 0, count: 1 << 20)
                while case let count = Foundation.read(file, &block, block.count), count > 0 {
                    sum &+= block.withUnsafeBytes { use(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
                }
            }
            blackHole(sum)
            return time / 1e6
        }

        /// Checks that a loaded store has the same dump, and a compacted one all rows.
        func check() throws {
            let dump = directory.path("loaded.jsonl")
            _ = try ChildProcess.processorTime([tool, "dump", directory.path("loaded"), "--output", dump])
            let isEqual = FileManager.default.contentsEqual(atPath: dump, andPath: directory.path("store.jsonl"))
            try expect(isEqual, true, "a dump of the loaded store")
            let store = try openStore(at: directory.path("store"))
            let count = try store.read { view in try view.resource(ShopItems.resource(1))?.rowCount }
            try expect(count, items.count, "rows of the compacted store")
            try store.close()
        }

        private func removed(_ name: String) -> String {
            try? FileManager.default.removeItem(atPath: directory.path(name))
            return directory.path(name)
        }

        private func emptied(_ name: String) throws -> String {
            _ = removed(name)
            return try directory.folder(name)
        }

        private func openFile() throws -> Int32 {
            let file = open(directory.path("store/" + RawLMDB.dataName), O_RDONLY)
            if file < 0 { throw PeerError.code(errno) }
            return file
        }

        private func forgetFile() throws {
            let file = try openFile()
            defer { close(file) }
            fsync(file)
            try expect(posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED), 0, "the removal of the file from memory")
        }
    }
}
