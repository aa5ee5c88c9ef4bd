public import LarderFormat

/// A list that the coordinator keeps in step page by page.
///
/// Its rows are the server's items. An item that changed replaces the payload of its row as a whole; members that only the
/// device has, such as a `starred` of the app's own, are erased unless the configuration names them
/// (``ListConfiguration/keptMembers``).
public struct PagedList: Sendable {
    /// Where its rows are. No filter may cover it.
    public var resource: ResourceKey
    /// The type of its rows.
    public var type: String
    /// Answers requests for its pages.
    public var source: any PageSource
    /// How it is walked.
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

    /// The filter that covers the list's resource and nothing else; traps when the resource is none a filter can name.
    public var filter: ResourceFilter {
        guard let filter = try? ResourceFilter("\(resource.group):\(resource.id)") else {
            preconditionFailure("no filter can name \(resource)")
        }
        return filter
    }
}
