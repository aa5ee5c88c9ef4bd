// Proves that a full disk fails the commit with a typed error and loses nothing (pitfall P24).

import Foundation
import LarderEngine
import Testing

/// Pitfall P24: a full disk answers ENOSPC or, after a short write, EIO.
@Suite(.enabled(if: geteuid() == 0, "needs root, to mount a small file system")) struct `A full disk` {
    @Test(arguments: ["tmpfs", "ext4"], [500, 30_000])
    func `fails the commit as such, keeps the content, and accepts writes again`(type: String, size: Int) throws {
        guard let disk = try SmallDisk(type: type) else {
            try Test.cancel("a file system of type \(type) cannot be mounted here")
        }
        let environment = try Environment.open(path: disk.path + "/store", options: .small)
        let table = environment.table("one")
        var stored = 0
        while stored < 20_000 {
            do {
                try environment.writeBlocking(durability: .relaxed) { transaction in
                    for part in 0..<8 {
                        let number = stored * 8 + part
                        let key = [UInt8(number >> 16 & 255), UInt8(number >> 8 & 255), UInt8(number & 255)]
                        try transaction.set(key, [UInt8](repeating: 1, count: size), in: table)
                    }
                }
                stored += 1
            } catch {
                #expect(error as? EngineError == .diskFull)
                break
            }
        }
        #expect(try environment.contents().count == stored * 8)

        try FileManager.default.removeItem(atPath: disk.path + "/ballast")
        try environment.writeBlocking { try $0.set([255], [1], in: table) }
        #expect(try environment.contents().count == stored * 8 + 1)
        try environment.close()
        let reopened = try Environment.open(path: disk.path + "/store", options: .small)
        #expect(try reopened.contents().count == stored * 8 + 1)
        try reopened.close()
    }
}

/// `lock.mdb` is mapped and written to while the store is opened: without blocks that would end the process.
@Suite(.enabled(if: geteuid() == 0, "needs root, to mount a small file system")) struct `Opening on a full disk` {
    @Test(arguments: ["tmpfs", "ext4"])
    func `is a typed error, for readers, writers and copies`(type: String) throws {
        guard let disk = try SmallDisk(type: type) else {
            try Test.cancel("a file system of type \(type) cannot be mounted here")
        }
        let store = disk.path + "/store"
        let environment = try Environment.open(path: store, options: .small)
        try environment.set([1], [1])
        try environment.close()
        let lock = store + "/lock.mdb"

        // What an earlier version, or liblmdb itself, leaves behind: a length without blocks.
        for isSparse in [false, true] {
            try FileManager.default.removeItem(atPath: lock)
            if isSparse {
                try Data().write(to: URL(fileURLWithPath: lock))
                #expect(unsafe truncate(lock, 8192) == 0)
            }
            disk.fill()
            for access in ["reading", "writing"] {
                #expect(try Probe("try-open", store, access).finish() == ["\(EngineError.diskFull)"], "\(access)")
            }
            try disk.empty()
            for access in ["reading", "writing"] {
                #expect(try Probe("try-open", store, access).finish() == ["opened"])
            }
            disk.fill()
            #expect(try Probe("try-open", store, "writing").finish() == ["opened"])
            let said = try Probe("try-copy", store, disk.path + "/copy").finish()
            #expect(said == ["\(EngineError.diskFull)"])
            try disk.empty()
            try? FileManager.default.removeItem(atPath: disk.path + "/copy")
        }
    }

    @Test(arguments: ["tmpfs", "ext4"])
    func `does not prevent removing a store that has no lock file`(type: String) throws {
        guard let disk = try SmallDisk(type: type) else {
            try Test.cancel("a file system of type \(type) cannot be mounted here")
        }
        let store = disk.path + "/store"
        for isDiscarded in [false, true] {
            let environment = try Environment.open(path: store, options: .small)
            try environment.set([1], [1])
            try environment.close()
            try FileManager.default.removeItem(atPath: store + "/lock.mdb")
            disk.fill()
            if isDiscarded {
                try Environment.discard(path: store, record: ("one", [1])) { value, _ in #expect(value == [1]) }
            } else {
                try Environment.destroy(path: store, tables: ["one"]) { _, tables in
                    #expect(tables.count == 1)
                    return true
                }
            }
            #expect(!FileManager.default.fileExists(atPath: store))
            try disk.empty()
        }
    }
}

/// A file system of 6 MiB, half of it taken by a file named `ballast`.
final class SmallDisk {
    let path: String
    private let image: String

    init?(type: String) throws {
        let base = FileManager.default.temporaryDirectory.appending(path: "larder-disk-\(UUID().uuidString)").path
        path = base
        image = base + ".img"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let isMounted: Bool
        if type == "tmpfs" {
            isMounted = try run("mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", path).status == 0
        } else {
            _ = try run("truncate", "-s", "6M", image)
            isMounted =
                try run("mkfs.ext4", "-q", "-O", "^has_journal", image).status == 0
                && run("mount", "-o", "loop", image, path).status == 0
        }
        if !isMounted { return nil }
        try Data(repeating: 1, count: 3 << 20).write(to: URL(fileURLWithPath: path + "/ballast"))
    }

    /// Takes every byte that is left. No process that another test starts meanwhile inherits the file, which would keep its bytes.
    func fill() {
        guard let file = unsafe fopen(path + "/filler", "we") else { return }
        unsafe setvbuf(file, nil, _IONBF, 0)
        for size in [65_536, 4096, 512, 1] {
            let bytes = [UInt8](repeating: 1, count: size)
            while unsafe fwrite(bytes, 1, size, file) == size {}
        }
        unsafe fclose(file)
    }

    /// Gives back what ``fill()`` took.
    func empty() throws { try FileManager.default.removeItem(atPath: path + "/filler") }

    deinit {
        _ = try? run("umount", "-l", path)
        try? FileManager.default.removeItem(atPath: path)
        try? FileManager.default.removeItem(atPath: image)
    }
}
