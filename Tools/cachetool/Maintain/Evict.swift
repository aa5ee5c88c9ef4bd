import ArgumentParser
import LarderFormat
import LarderStore

/// Removes content that can be fetched again.
struct Evict: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Drop content that can be fetched again.",
        discussion: """
            Writes. The rows of each resource go, also of a pinned one; what is known of it stays, and the next sync \
            fetches it. A resource without rows to show, with a copy being written, or with writes that are not \
            confirmed, is left as it is. With --responses, the HTTP responses go whose cache keys begin with the text.

            Ends with 1 when a resource was left, or no response found. A program that has the store open sees it at once.

            JSON: {group, id, evicted, reason} for each resource; {responses} with how many went.

            EXAMPLE: cachetool evict /data/store translations/19 --responses https://api.example.org/images/

            \(ExitStatus.help)
            """)

    @OptionGroup var store: StoreArgument
    @OptionGroup var content: ContentArguments
    @OptionGroup var printing: OutputOptions

    func run() async throws {
        let redactor = try store.read { view in
            Redactor(isOn: printing.redact, store: try view.format().storeID)
        }
        let evicted = try store.write { transaction in
            try content.resources.map { resource in
                let isEvicted = try transaction.evict(resource.key)
                return (resource.key, isEvicted, isEvicted ? nil : try Self.reason(resource.key, &transaction))
            }
        }
        for (resource, isEvicted, reason) in evicted {
            if printing.json {
                try Terminal.print(
                    [
                        "group": redactor.json(resource.group), "id": redactor.json(resource.id),
                        "evicted": .bool(isEvicted), "reason": reason.map { .string($0) } ?? .null,
                    ] as JSON)
            } else {
                let columns = [redactor.text(resource), isEvicted ? "evicted" : "left"]
                try Terminal.print(columns: columns + [reason].compactMap { $0 })
            }
        }
        var isDone = evicted.allSatisfy(\.1)
        if let prefix = content.responses {
            let count = try await store.writing { try await $0.removeResponses(.prefix(prefix)) }
            if printing.json {
                try Terminal.print(["responses": .count(count)] as JSON)
            } else {
                try Terminal.print("\(count) responses removed")
            }
            isDone = isDone && count > 0
        }
        if !isDone { throw ExitStatus.findings.code }
    }

    /// Returns the reason a resource was left as it is.
    private static func reason(_ key: ResourceKey, _ transaction: inout Transaction) throws -> String {
        guard let resource = try transaction.resource(key) else { return "the store does not know it" }
        if resource.overlayCount > 0 { return "it has writes that are not accepted" }
        return resource.state == .ready ? "a snapshot of it is being written" : "it has no rows"
    }
}

/// Content on a command line.
struct ContentArguments: ParsableArguments {
    @Argument(help: "Resources, GROUP/ID.")
    var resources: [ResourceArgument] = []
    @Option(help: "The beginning of the cache keys of responses; cachetool responses prints them.")
    var responses: String?

    func validate() throws {
        if resources.isEmpty && responses == nil { throw ValidationError("Name resources, or --responses.") }
    }
}
