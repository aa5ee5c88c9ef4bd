public import LarderFormat

/// A list that the coordinator keeps in sync page by page.
///
/// Its rows are the server's items. A changed item replaces the payload of its row as a whole. Members that only the
/// device has, such as the app's own `starred`, are erased unless the configuration names them
/// (``ListConfiguration/localMembers``).
public struct PagedList: Sendable {
    /// The resource of its rows. No filter may cover it.
    public var resource: ResourceKey
    /// The type of its rows.
    public var type: String
    /// The source of its pages.
    public var source: any PageSource
    /// The settings for reconciling it.
    public var configuration: ListConfiguration

    /// A list of the given parts.
    public init(
        _ resource: ResourceKey, type: String, source: any PageSource,
        configuration: ListConfiguration = ListConfiguration()
    ) {
        self.resource = resource
        self.type = type
        self.source = source
        self.configuration = configuration
    }

    /// The filter that covers the list's resource and nothing else; traps when no filter can name the resource.
    public var filter: ResourceFilter {
        guard let filter = try? ResourceFilter("\(resource.group):\(resource.id)") else {
            preconditionFailure("no filter can name \(resource)")
        }
        return filter
    }
}
