/// How the network is at one moment.
///
/// A captive portal is connected and not reachable: there is a route out, and somebody else answers.
public struct NetworkState: Hashable, Sendable {
    /// Whether a link with a route out is up.
    public var isConnected: Bool

    /// Whether the server answers over it; nil while nobody has tried.
    public var isReachable: Bool?

    /// Whether the link costs money by the byte.
    public var isMetered: Bool

    /// Whether the user asked for little traffic on the link.
    public var isConstrained: Bool

    /// A state of these facts.
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

    /// A link that costs nothing and on which nobody asked for restraint; whether the server answers is not known.
    public static let online = NetworkState(isConnected: true)

    /// A link that costs money by the byte.
    public static let metered = NetworkState(isConnected: true, isMetered: true)

    /// A link on which the user asked for little traffic.
    public static let constrained = NetworkState(isConnected: true, isConstrained: true)

    /// The one word for the state that policies are written in.
    ///
    /// A server known not to answer counts as offline; one that nobody has tried does not. A link that is both
    /// metered and constrained is constrained: the user's wish is the narrower one.
    public var level: NetworkLevel {
        if !isConnected || isReachable == false { return .offline }
        if isConstrained { return .constrained }
        return isMetered ? .metered : .online
    }
}

/// How much the network may be used, from most to least.
public enum NetworkLevel: String, Sendable, CaseIterable {
    /// Without restraint.
    case online
    /// It costs money by the byte.
    case metered
    /// The user asked for little traffic.
    case constrained
    /// Not at all: there is none, or the server is known not to answer over it.
    case offline
}
