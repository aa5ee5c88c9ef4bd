import Foundation
import LarderEngine
import Testing

/// Pitfall P24: a full disk answers ENOSPC or, after a short write, EIO.
@Suite(.enabled(if: geteuid() == 0, "needs root, to mount a small file system")) struct `A full disk` {
    @Test(arguments: ["tmpfs", "ext4"], [500, 30_000])
    func `fails the commit as such, keeps what was there, and takes writes again`(type: String, size: Int) throws {
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

/// A file system of 6 MiB, half of it taken by a file named `ballast`.
private final class SmallDisk {
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

    deinit {
        _ = try? run("umount", "-l", path)
        try? FileManager.default.removeItem(atPath: path)
        try? FileManager.default.removeItem(atPath: image)
    }
}
