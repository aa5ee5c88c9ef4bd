import ArgumentParser
import Larder
import LarderStore

/// Compacts a store.
struct Compact: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Replace a store's file by a packed, verified copy.",
        discussion: """
            Writes. The copy is verified and synced before it replaces the old file, so a kill or a power cut \
            leaves one of both, whole. Refuses while another process has the store open; with --output it only copies, beside \
            readers and writers, and leaves the store alone.

            JSON: {bytesBefore, bytesAfter}; with --output {bytesBefore, bytesAfter, output}.

            EXAMPLE: cachetool compact /data/store

            \(ExitStatus.help)
            """)

    @OptionGroup var store: StoreArgument
    @Option(name: .shortAndLong, help: "Make a packed copy in this new directory and leave the store alone.")
    var output: String?
    @OptionGroup var printing: OutputOptions

    func run() throws {
        try StoreArgument.check(store.store)
        var progress = Progress("entries")
        defer { progress.end() }
        guard let output else {
            let summary = try StoreArgument.whileLocked {
                try Store.compact(
                    at: store.store, host: .system(logger: .tool), lockTimeout: StoreArgument.lockStep,
                    progress: { try progress.show($0) })
            }
            progress.end()
            return try show(summary.sizeBefore, summary.sizeAfter)
        }
        let opened = try StoreArgument.open(store.store)
        defer { try? opened.close() }
        try NewFile.directory(output) { aside in try opened.copy(to: aside) { try progress.show($0) } }
        progress.end()
        let copy = try StoreArgument.open(output)
        defer { try? copy.close() }
        try show(opened.statistics().fileSize, copy.statistics().fileSize)
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
