// Proves that openers in other PID namespaces are refused, and that overlay mounts hide no commit from readers.

import Foundation
import LarderEngine
import Testing

/// Containers that have a volume in common.
@Suite(.enabled(if: canMakeNamespaces, "needs the right to make a PID namespace")) struct `Another PID namespace` {
    let directory = TemporaryDirectory()

    @Test func `is refused beside an opener of this one, and not without`() throws {
        let environment = try Environment.open(path: directory.path, options: .small)
        for access in ["reading", "writing"] {
            let said = try Probe("try-open", directory.path, access, inNewNamespace: true).finish()
            #expect(said == ["\(EngineError.otherPIDNamespace)"], "\(access)")
            #expect(try Probe("try-open", directory.path, access).finish() == ["opened"], "\(access)")
        }
        try environment.close()
        for access in ["reading", "writing"] {
            #expect(try Probe("try-open", directory.path, access, inNewNamespace: true).finish() == ["opened"])
        }
    }

    @Test func `is the one in which the store is open, also where its opener only reads`() throws {
        let options = EnvironmentOptions.small
        let environment = try Environment.open(path: directory.path, options: options)
        try environment.set([1], [1])
        try environment.close()
        let holder = try Probe("hold-open", directory.path, "126", inNewNamespace: true)
        holder.waitUntilReady()
        #expect(throws: EngineError.otherPIDNamespace) { try Environment.open(path: directory.path, options: options) }
        holder.finish()
        var reading = options
        reading.access = .readOnly
        let reader = try Environment.open(path: directory.path, options: reading)
        #expect(
            try Probe("try-open", directory.path, "writing", inNewNamespace: true).finish()
                == ["\(EngineError.otherPIDNamespace)"])
        try reader.close()
        // A reader of another namespace leaves the mark of a clean close: bit 0 of the flags.
        let record = try Data(contentsOf: URL(fileURLWithPath: directory.path + "/guard.lock"))
        #expect(record[12] & 1 == 1)
    }
}

/// A container's files, most of which lie in a layer that is not written to.
@Suite(.enabled(if: geteuid() == 0, "needs root, to mount an overlay")) struct `An overlay mount` {
    @Test func `shows an opener that only reads what a later one writes`() throws {
        guard let disk = try SmallDisk(type: "tmpfs") else { try Test.cancel("no tmpfs can be mounted here") }
        try FileManager.default.removeItem(atPath: disk.path + "/ballast")
        for name in ["lower", "upper", "work", "mount"] {
            try FileManager.default.createDirectory(
                atPath: disk.path + "/" + name, withIntermediateDirectories: false)
        }
        let environment = try Environment.open(path: disk.path + "/lower/store", options: .small)
        try environment.set([1], [1])
        try environment.close()
        let layers = ["lowerdir=lower", "upperdir=upper", "workdir=work"].map {
            $0.replacingOccurrences(of: "=", with: "=\(disk.path)/")
        }
        let mount = disk.path + "/mount"
        let mounted = try run("mount", "-t", "overlay", "overlay", "-o", layers.joined(separator: ","), mount)
        guard mounted.status == 0 else { try Test.cancel("no overlay can be mounted here: \(mounted.output)") }
        defer { _ = try? run("umount", mount) }
        var options = EnvironmentOptions.small
        options.access = .readOnly
        let reader = try Environment.open(path: mount + "/store", options: options)
        #expect(try reader.contents().count == 1)
        #expect(try Probe("commit", mount + "/store", "1").finish().contains("found 0 whole"))
        #expect(try reader.contents().count == 2)
        try reader.close()
    }
}

private let canMakeNamespaces = (try? run("unshare", "--pid", "--fork", "true").status) == 0
