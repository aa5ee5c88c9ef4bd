/// The state of the network at one time.
///
/// Behind a captive portal it is connected and not reachable: there is a route out, but the portal responds.
///
/// ```swift
/// for await state in services.connectivity.states() {  // now, and after every change
///     switch state.level {
///     case .online: print("images are loaded")
///     case .metered, .constrained: print("images are loaded on request")
///     case .offline: print("offline")
///     }
/// }
/// ```
public struct NetworkState: Hashable, Sendable {
    /// Whether a link with a route out is up.
    public var isConnected: Bool

    /// Whether the server responds over it; nil until this was tried.
    public var isReachable: Bool?

    /// Whether the link costs money by the byte.
    public var isMetered: Bool

    /// Whether the user requested low traffic on the link.
    public var isConstrained: Bool

    /// Creates a state of these facts.
    public init(
        isConnected: Bool, isReachable: Bool? = nil, isMetered: Bool = false, isConstrained: Bool = false
    ) {
        self.isConnected = isConnected
        self.isReachable = isReachable
        self.isMetered = isMetered
        self.isConstrained = isConstrained
    }

    /// No link, or none with a route out.
    public static let offline = NetworkState(isConnected: false)

    /// A link without cost and without a request for low traffic; it is unknown whether the server responds.
    public static let online = NetworkState(isConnected: true)

    /// A link that costs money by the byte.
    public static let metered = NetworkState(isConnected: true, isMetered: true)

    /// A link on which the user requested low traffic.
    public static let constrained = NetworkState(isConnected: true, isConstrained: true)

    /// The state reduced to the level that policies use.
    ///
    /// A server known not to respond counts as offline; an untried one does not. A link that is both metered and
    /// constrained is constrained: the user's request is the stricter one.
    public var level: NetworkLevel {
        if !isConnected || isReachable == false { return .offline }
        if isConstrained { return .constrained }
        return isMetered ? .metered : .online
    }
}

/// The permitted use of the network, from most to least.
public enum NetworkLevel: String, Sendable, CaseIterable {
    /// Unrestricted.
    case online
    /// Allowed, but every byte costs money.
    case metered
    /// Allowed, but the user requested low traffic.
    case constrained
    /// None: there is no network, or the server is known not to respond over it.
    case offline
}
