import ArgumentParser
import LarderFormat
import LarderStore

/// Lists resources.
struct Resources: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the resources of a store.",
        discussion: """
            Prints, parted by tabs: resource, state, rows, bytes, applied sequence, when it was last synced. In the order of \
            group and number. One that is ready can be read without the server as a whole.

            JSON: {group, id, state, complete, generation, stagingGeneration, timeline, appliedSequence, snapshotPath, rows, bytes, \
            syncedAt, changedAt, schemaVersion, pinned} for each. Times are in milliseconds since 1970-01-01 UTC.

            EXAMPLE: cachetool resources /data/store --group translations

            \(ExitStatus.help)
            """)

    @OptionGroup var store: StoreArgument
    @Option(help: "Only the resources of this group.")
    var group: String?
    @OptionGroup var printing: OutputOptions

    func run() throws {
        let lines = try store.read { view in
            var lines = CollectedLines()
            let redactor = Redactor(isOn: printing.redact, store: try view.format().storeID)
            for resource in try view.allResources(inGroup: group) {
                try Interrupt.check()
                if printing.json {
                    lines.add(json(resource, redactor))
                } else {
                    let fields = [
                        redactor.text(resource.key), "\(resource.state)", "\(resource.rowCount)",
                        "\(resource.byteCount)", "\(resource.appliedSequence)", timeText(resource.syncedAt),
                    ]
                    lines.add(columns: fields)
                }
            }
            return lines
        }
        try lines.print()
    }

    private func json(_ resource: Resource, _ redactor: Redactor) -> JSON {
        [
            "group": redactor.json(resource.key.group), "id": redactor.json(resource.key.id),
            "state": .string("\(resource.state)"),
            "complete": .bool(resource.state == .ready), "generation": .optional(resource.generation),
            "stagingGeneration": .optional(resource.stagingGeneration), "timeline": .integer(resource.timeline),
            "appliedSequence": .integer(resource.appliedSequence),
            "snapshotPath": redactor.json(resource.snapshotPath), "rows": .count(resource.rowCount),
            "bytes": .count(resource.byteCount), "syncedAt": .optional(resource.syncedAt),
            "changedAt": .optional(resource.changedAt), "schemaVersion": .optional(resource.schemaVersion),
            "pinned": .bool(resource.isPinned),
        ]
    }
}
