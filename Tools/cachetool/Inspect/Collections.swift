import ArgumentParser
import LarderFormat
import LarderStore

/// Lists stored collections.
struct Collections: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the stored results of queries for objects.",
        discussion: """
            Prints, parted by tabs: class, query, the row and attribute it was fetched through or -, where most of its \
            rows are, how many rows it holds, and when the server last sent or confirmed it. By class and query.

            JSON: {class, query, row: {group, id, type, key}, attribute, home: {group, id}, rows, fetchedAt, entityTag, \
            lastModified} for each; row and attribute are null for a query of the class itself. fetchedAt is in \
            milliseconds since 1970-01-01 UTC.

            EXAMPLE: cachetool collections /data/store --class article

            \(ExitStatus.help)
            """)

    @OptionGroup var store: StoreArgument
    @Option(name: .customLong("class"), help: "Only those of this class.")
    var className: String?
    @OptionGroup var printing: OutputOptions

    func run() throws {
        let lines = try store.read { view in
            var lines = CollectedLines()
            let redactor = Redactor(isOn: printing.redact, store: try view.format().storeID)
            for collection in try view.collections(ofClass: className) {
                try Interrupt.check()
                printing.json
                    ? lines.add(json(collection, redactor)) : lines.add(columns: columns(collection, redactor))
            }
            return lines
        }
        try lines.print()
    }

    private func columns(_ collection: StoredCollection, _ redactor: Redactor) -> [String] {
        let reference = collection.name.reference.map { reference in
            let row = reference.row
            return [redactor.text(row.resource), redactor.text(row.type), redactor.text(row.key)].joined(separator: " ")
                + " " + redactor.text(reference.attribute)
        }
        return [
            redactor.text(collection.name.className),
            collection.name.query.isEmpty ? "-" : redactor.text(collection.name.query), reference ?? "-",
            redactor.text(collection.home), "\(collection.rowCount)", timeText(collection.fetchedAt),
        ]
    }

    private func json(_ collection: StoredCollection, _ redactor: Redactor) -> JSON {
        let reference = collection.name.reference
        let row = reference.map { reference -> JSON in
            [
                "group": redactor.json(reference.row.resource.group), "id": redactor.json(reference.row.resource.id),
                "type": redactor.json(reference.row.type), "key": redactor.json(reference.row.key),
            ]
        }
        return [
            "class": redactor.json(collection.name.className), "query": redactor.json(collection.name.query),
            "row": row ?? .null, "attribute": redactor.json(reference?.attribute),
            "home": ["group": redactor.json(collection.home.group), "id": redactor.json(collection.home.id)],
            "rows": .count(collection.rowCount), "fetchedAt": .integer(collection.fetchedAt),
            "entityTag": redactor.json(collection.validators.entityTag),
            "lastModified": redactor.json(collection.validators.lastModified),
        ]
    }
}
