// ModelMutation: one thing that happens to a model server's content.

/// One thing that happens to a model server's content.
package enum ModelMutation: Hashable, Sendable {
    /// A resource comes to be, public, with these rows: `RESOURCE_CREATE`.
    case create(ModelServer.ResourceID, [ModelServer.RowID])
    /// A public resource is hidden, rows kept: `RESOURCE_DELETE`.
    case hide(ModelServer.ResourceID)
    /// A hidden resource is public again, with the rows it has by now: `RESOURCE_CREATE`.
    case publish(ModelServer.ResourceID)
    /// A resource is gone for good, though one of its name may come to be later: `RESOURCE_DELETE` if it was public.
    case delete(ModelServer.ResourceID)
    /// A row gets a new payload: `ROW_CREATE` or `ROW_UPDATE`; nothing, where the resource is hidden.
    case put(ModelServer.ResourceID, ModelServer.RowID)
    /// A row is gone: `ROW_DELETE`; nothing, where the resource is hidden.
    case deleteRow(ModelServer.ResourceID, ModelServer.RowID)
    /// All rows are replaced by others, or by none: `RESOURCE_INVALIDATE`.
    case replace(ModelServer.ResourceID, [ModelServer.RowID])
    /// A public resource is confirmed: `RESOURCE_UPDATE`.
    case touch(ModelServer.ResourceID)
    /// All rows get another form: `RESOURCE_INVALIDATE` with the next schema version.
    case changeSchema(ModelServer.ResourceID)
    /// The changes below a number are forgotten: runs that need one are answered with 410.
    case forgetLog(before: Int64)
    /// The server is restored from a backup: its numbers go back, and what was done since is undone.
    case restore(toSequence: Int64)
}

extension ModelMutation: CustomStringConvertible {
    /// One line for a trace.
    package var description: String {
        switch self {
        case .create(let resource, let rows): "create \(resource) with \(rows.count) rows"
        case .hide(let resource): "hide \(resource)"
        case .publish(let resource): "publish \(resource)"
        case .delete(let resource): "delete \(resource)"
        case .put(let resource, let row): "put \(resource) \(row)"
        case .deleteRow(let resource, let row): "delete \(resource) \(row)"
        case .replace(let resource, let rows): "replace \(resource) by \(rows.count) rows"
        case .touch(let resource): "touch \(resource)"
        case .changeSchema(let resource): "change the schema of \(resource)"
        case .forgetLog(let sequence): "forget changes before \(sequence)"
        case .restore(let sequence): "restore to \(sequence)"
        }
    }
}
