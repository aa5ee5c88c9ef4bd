public import LarderJSON

/// The reason a command that changes content was refused. A refused command changes nothing.
public enum OriginError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The group's name is invalid: 1 to 64 ASCII letters, digits, `_`, `-` or `.`, the first a letter or digit.
    case invalidGroup
    /// The resource's id is below 1.
    case invalidResourceID(Int64)
    /// No resource of that name was ever created.
    case unknownResource(Origin.ResourceID)
    /// A resource of that name exists already.
    case resourceExists(Origin.ResourceID)
    /// The resource is public, so it cannot be published.
    case alreadyPublic(Origin.ResourceID)
    /// The resource is hidden, so it cannot be hidden or touched.
    case hidden(Origin.ResourceID)
    /// The row's body is no JSON object, is nested more than 120 deep, or has a name above 64 KiB.
    case invalidBody(JSONError)
    /// The row's type or key is empty, or has U+0000, which databases cannot store.
    case invalidName
    /// A client could not store the row: its type is above 100 bytes, its key above 255, or its body above 8 MiB.
    case tooLarge(Origin.RowKey)
    /// The body holds a `record_type` or `record_key` that is not the row's.
    case bodyContradictsName(Origin.RowKey)
    /// Snapshots of this group carry no `record_type`, and the row's type is not the group's default.
    case typeNotDerivable(Origin.RowKey)
    /// Snapshots of this group carry no `record_key`, and the group's rule gives another key, or none, for the body.
    case keyNotDerivable(Origin.RowKey)

    /// One line that names resources and rows, never their content.
    public var description: String {
        switch self {
        case .invalidGroup: "not a group's name"
        case .invalidResourceID(let id): "\(id) is no resource id: ids start at 1"
        case .unknownResource(let resource): "there is no resource \(resource)"
        case .resourceExists(let resource): "there is a resource \(resource) already"
        case .alreadyPublic(let resource): "\(resource) is public already"
        case .hidden(let resource): "\(resource) is hidden"
        case .invalidBody(let problem): "the row's body is no JSON object: \(problem)"
        case .invalidName: "a row needs a type and a key, both without U+0000"
        case .tooLarge(let row): "\(row): a type above 100 bytes, a key above 255, or a body above 8 MiB"
        case .bodyContradictsName(let row): "the body of \(row) names another type or key"
        case .typeNotDerivable(let row): "\(row): snapshots of this group would not contain the row's type"
        case .keyNotDerivable(let row): "\(row): snapshots of this group would not contain the row's key"
        }
    }
}
