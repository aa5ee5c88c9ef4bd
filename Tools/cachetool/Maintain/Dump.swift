import ArgumentParser
import Foundation
import LarderFormat
import LarderStore

/// Writes the whole content of a store as text.
struct Dump: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write all that a store holds as text.",
        discussion: """
            One JSON object per line: a header, then every record of every table in key order, then a trailer with a \
            hash over all lines before it. Stores of equal content have equal dumps. A row's payload is a string when \
            it is UTF-8, else base64. Every record is verified; a damaged one ends the dump, which then has no \
            trailer and does not load. A redacted dump does not load either.

            EXAMPLE: cachetool dump /data/store --output store.jsonl

            \(ExitStatus.help)
            """)

    @OptionGroup var store: StoreArgument
    @Option(name: .shortAndLong, help: "The file to write, in place at once and whole; default: standard output.")
    var output: String?
    @Flag(help: "Write what mdb_dump -a writes, in hexadecimal, for mdb_load. Verifies nothing.")
    var lmdb = false
    @Flag(help: "Print sizes and hashes in place of content, keys and URLs.")
    var redact = false
    @Flag(help: "A dump is JSON already; accepted so that every verb has the option.")
    var json = false

    func validate() throws {
        if lmdb && (redact || json) { throw ValidationError("--lmdb is neither JSON nor redacted.") }
    }

    func run() throws {
        let opened = try StoreArgument.open(store.store)
        defer { try? opened.close() }
        if let output {
            try NewFile.write(output) { put in try dump(opened, put) }
        } else {
            try dump(opened) { try Terminal.write($0) }
        }
    }

    private func dump(_ store: Store, _ put: @escaping ([UInt8]) throws -> Void) throws {
        var progress = Progress("records")
        defer { progress.end() }
        let sizes = try store.statistics()
        let commit = try store.read { view in
            if lmdb {
                try LMDBText.write(
                    view, mapSize: sizes.mapSize, maximumReaders: sizes.readers.maximum, pageSize: sizes.pageSize,
                    progress: { try progress.show($0) }, put)
            } else {
                var writer = DumpWriter(put)
                try writer.write(view, redact: redact) { try progress.show($0, of: $1) }
            }
            return view.commit
        }
        if Terminal.isErrorTerminal { Terminal.printMessage("dumped commit \(commit)") }
    }
}
