public import LarderTransport

/// The rules for keeping and uploading the points of a buffer.
public struct BufferPolicy: Hashable, Sendable {
    /// The endpoint of the uploads, relative to the server.
    public var endpoint: String
    /// The member of the request's JSON object that holds the points, as an array.
    public var member: String
    /// The most points of one request; 1 or more.
    public var mostPoints = 50
    /// The most points kept; the oldest are dropped for new ones, and counted. 1 or more.
    public var limit = 1000
    /// The waits between tries: 1, 2, 4, 8, 16, 32, 60 seconds, less jitter.
    public var retry = RetryPolicy(first: .seconds(1), limit: .seconds(60), jitter: 0.2)
    /// The longest wait that is granted to a server's Retry-After; the jitter of ``retry`` lengthens it.
    public var longestRetryAfter = Duration.seconds(24 * 3600)
    /// The meaning of responses. A refused request discards its points only where their content is refused
    /// (by 400, 413 or 422); otherwise it is tried again.
    public var outcomes = OutcomeTable.standard

    /// A policy with defaults.
    public init(endpoint: String, member: String) {
        self.endpoint = endpoint
        self.member = member
    }

    /// Locations of the device: `{"locations": […]}` to `/app/v1/locations/batch`, at most 50 of 1000.
    public static let locations = BufferPolicy(endpoint: "/app/v1/locations/batch", member: "locations")

    /// Whether a status refuses the content of the points, not the request for its endpoint or its credentials.
    package static func refusesContent(_ status: Int) -> Bool { status == 400 || status == 413 || status == 422 }

    var isValid: Bool { mostPoints > 0 && limit > 0 && longestRetryAfter >= .zero }
}
