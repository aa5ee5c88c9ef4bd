import ArgumentParser
import Foundation
import Larder
import LarderStore

/// Compacts a store.
struct Compact: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Replace a store's file by a packed, verified copy.",
        discussion: """
            Writes. The copy is verified and synced before it replaces the old file, so a kill or a power cut \
            leaves one of both, whole. Refuses while another process has the store open; with --output it only copies, beside \
            readers and writers, and leaves the store alone. The copy has the keys of the store, unless \
            --encrypt-with or --decrypt changes that: so a plain store becomes an encrypted one, and the reverse.

            JSON: {bytesBefore, bytesAfter}; with --output {bytesBefore, bytesAfter, output}.

            EXAMPLE: cachetool compact /data/store

            \(ExitStatus.help)
            """)

    @OptionGroup var store: StoreArgument
    @Option(name: .shortAndLong, help: "Make a packed copy in this new directory and leave the store alone.")
    var output: String?
    @Option(help: "Encrypt the copy with the key in this file, as that of --key-file.", completion: .file())
    var encryptWith: String?
    @Flag(help: "Make a plain copy of an encrypted store.")
    var decrypt = false
    @OptionGroup var printing: OutputOptions

    func run() throws {
        try StoreArgument.check(store.store)
        var progress = Progress("entries")
        defer { progress.end() }
        guard let output else {
            if encryptWith != nil || decrypt { throw ValidationError("A copy needs --output.") }
            let summary = try KeyArgument.withEncryption { encryption in
                try StoreArgument.whileLocked {
                    try Store.compact(
                        at: store.store, host: .system(logger: .tool), encryption: encryption,
                        compression: .tool, lockTimeout: StoreArgument.lockStep, progress: { try progress.show($0) })
                }
            }
            progress.end()
            return try show(summary.sizeBefore, summary.sizeAfter)
        }
        let opened = try StoreArgument.open(store.store)
        defer { try? opened.close() }
        let encryption = try encryptWith.map { try KeyArgument.encryption($0) }
        try NewFile.directory(output) { aside in
            if encryption == nil, !decrypt { return try opened.copy(to: aside) { try progress.show($0) } }
            try opened.copy(to: aside, encryptedWith: encryption) { try progress.show($0) }
        }
        progress.end()
        try show(opened.statistics().fileSize, Self.fileSize(output))
    }

    /// The size of the data file of a store that may have another key.
    private static func fileSize(_ path: String) throws -> Int64 {
        let attributes = try FileManager.default.attributesOfItem(atPath: path + "/data.mdb")
        return (attributes[.size] as? Int64) ?? 0
    }

    private func show(_ before: Int64, _ after: Int64) throws {
        guard printing.json else { return try Terminal.print("\(before) bytes before, \(after) after") }
        var members = [
            JSON.Member(name: "bytesBefore", value: .integer(before)),
            JSON.Member(name: "bytesAfter", value: .integer(after)),
        ]
        if let output, !printing.redact { members.append(JSON.Member(name: "output", value: .string(output))) }
        try Terminal.print(.object(members))
    }
}
