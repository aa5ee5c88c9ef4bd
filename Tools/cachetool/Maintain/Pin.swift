import ArgumentParser
import LarderFormat
import LarderStore

/// Keeps resources from being evicted.
struct Pin: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Keep resources from being evicted.",
        discussion: """
            Writes. A pinned resource stays when space is needed; it is still fetched, replaced and removed as its server \
            says. One that is not known yet can be pinned ahead. Pinning fetches nothing.

            JSON: {group, id, pinned} for each.

            EXAMPLE: cachetool pin /data/store translations/19

            \(ExitStatus.help)
            """)

    @OptionGroup var store: StoreArgument
    @Argument(help: "The resources, GROUP/ID.")
    var resources: [ResourceArgument]
    @Flag(help: "Let them be evicted again.")
    var off = false
    @OptionGroup var printing: OutputOptions

    func run() throws {
        let redactor = try store.read { view in
            Redactor(isOn: printing.redact, store: try view.format().storeID)
        }
        try store.write { transaction in for resource in resources { try transaction.pin(resource.key, !off) } }
        for resource in resources.map(\.key) {
            if printing.json {
                try Terminal.print(
                    [
                        "group": redactor.json(resource.group), "id": redactor.json(resource.id),
                        "pinned": .bool(!off),
                    ] as JSON)
            } else {
                try Terminal.print(columns: [redactor.text(resource), off ? "not pinned" : "pinned"])
            }
        }
    }
}
