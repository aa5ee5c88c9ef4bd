import ArgumentParser
import LarderEngine
import LarderStore

/// Creates a store from a dump.
struct Load: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a new store of a dump.",
        discussion: """
            Everything is as it was: identity, generation numbers, counters, tokens, outbox and journal; the dump of \
            the new store equals the one it was made of. A dump of an encrypted store makes a plain one, whose \
            responses and collections have other keys: encrypt it with compact --encrypt-with. The store is built \
            aside and appears only when the trailer has been checked. Nothing that exists is changed. Do not write to \
            the old store and the new one both: the outbox of each would be sent.

            EXAMPLE: cachetool load store.jsonl /data/copy

            \(ExitStatus.help)
            """)

    @Argument(help: "The dump; - is standard input.", completion: .file())
    var file: String
    @Argument(help: "The directory to make.", completion: .directory)
    var store: String
    @Flag(help: "The dump is one of mdb_dump -a or of dump --lmdb, in hexadecimal. It has no trailer to check.")
    var lmdb = false
    @Flag(help: "Print {records, store}.")
    var json = false
    @Flag(help: "Leave the path out of what is printed.")
    var redact = false

    func run() throws {
        var progress = Progress("records")
        var records = 0
        do {
            try NewFile.directory(store) { aside in
                try Store.make(at: aside) { filler in
                    try fill(&filler) { done in
                        records = done
                        if done.isMultiple(of: 256) { try progress.show(done) }
                    }
                }
            }
        } catch StoreError.encryption {
            throw ToolError.system(
                "The dump has encrypted values: dump the store with its key (dump --key-file), and load that.")
        } catch EngineError.keyExists {
            throw ToolError.badDump(line: records, reason: "the keys near this line are not in order")
        } catch EngineError.keySize {
            throw ToolError.badDump(line: records, reason: "a key near this line is too long")
        }
        progress.end()
        if json {
            let path = redact ? [] : [JSON.Member(name: "store", value: .string(store))]
            try Terminal.print(.object([JSON.Member(name: "records", value: .count(records))] + path))
        } else {
            try Terminal.print(redact ? "\(records) records" : "\(records) records in \(store)")
        }
    }

    private func fill(_ filler: inout StoreFiller, _ progress: (Int) throws -> Void) throws {
        if lmdb {
            var reader = try LMDBTextReader(file)
            try reader.read(into: &filler, progress: progress)
        } else {
            var reader = try DumpReader(file)
            try reader.read(into: &filler, progress: progress)
        }
    }
}
