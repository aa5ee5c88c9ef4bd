internal import LarderEngine
internal import LarderFormat

/// The handles of the tables in use. An object, because every view refers to them.
final class Tables: Sendable {
    let meta: Table
    let resources: Table
    let rows: Table
    let generations: Table
    let filters: Table
    let members: Table
    let outbox: Table
    let journal: Table
    let overlay: Table
    let responses: Table
    let blobs: Table
    let collections: Table
    let indexes: Table
    let buffers: Table
    let garbage: Table
    /// The form of texts in keys.
    let texts: KeyTexts

    /// The tables of an open file.
    convenience init(_ environment: Environment) {
        self.init(environment.tables, (environment.cipher as? StoreCipher)?.texts ?? .readable)
    }

    /// - Parameter texts: the form of texts in keys; of no account where only records of `meta` are read.
    init(_ tables: [String: Table], _ texts: KeyTexts = .readable) {
        self.texts = texts
        func table(_ name: TableName) -> Table {
            guard let table = tables[name.rawValue] else {
                preconditionFailure("the table \(name.rawValue) was not opened")
            }
            return table
        }
        meta = table(.meta)
        resources = table(.resources)
        rows = table(.rows)
        generations = table(.generations)
        filters = table(.filters)
        members = table(.members)
        outbox = table(.outbox)
        journal = table(.journal)
        overlay = table(.overlay)
        responses = table(.responses)
        blobs = table(.blobs)
        collections = table(.collections)
        indexes = table(.indexes)
        buffers = table(.buffers)
        garbage = table(.garbage)
    }

    subscript(name: TableName) -> Table {
        switch name {
        case .meta: meta
        case .resources: resources
        case .rows: rows
        case .generations: generations
        case .filters: filters
        case .members: members
        case .outbox: outbox
        case .journal: journal
        case .overlay: overlay
        case .responses: responses
        case .blobs: blobs
        case .collections: collections
        case .indexes: indexes
        case .buffers: buffers
        case .garbage: garbage
        }
    }

    /// The names to open.
    static let names = TableName.allCases.map(\.rawValue)
}
