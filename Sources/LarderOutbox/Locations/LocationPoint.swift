public import LarderFormat
internal import LarderJSON
internal import LarderStore

/// The location of the device at one point in time.
public struct LocationPoint: Hashable, Sendable {
    /// The quality of the signal that the location was determined from.
    public enum SignalQuality: String, Hashable, Sendable, CaseIterable {
        /// Good.
        case good
        /// Fair.
        case fair
        /// Poor.
        case poor
    }

    /// The origin of the location.
    public enum Source: String, Hashable, Sendable, CaseIterable {
        /// Satellites.
        case gps
        /// Cells and wireless networks.
        case network
        /// A request by something else.
        case passive
    }

    /// The identity of the point.
    public let id: UUIDBytes
    /// In degrees, -90 to 90.
    public let latitude: Double
    /// In degrees, -180 to 180.
    public let longitude: Double
    /// The possible error of the location, in metres, 0 or more.
    public let accuracy: Double
    /// When the device was there, in milliseconds since 1970-01-01 UTC, up to the year 9999.
    public let timestamp: Int64
    /// The charge of the battery, 0 to 1, where it is known.
    public var batteryLevel: Double? { didSet { batteryLevel = batteryLevel.flatMap(Self.validFraction) } }
    /// The quality of the signal.
    public var signalQuality: SignalQuality?
    /// The identifier of the visit that the device was there for.
    public var visitID: String?
    /// The speed of the device, in metres per second, 0 or more, where it is known.
    public var speed: Double? { didSet { speed = speed.flatMap(Self.validMagnitude) } }
    /// The origin of the location.
    public var source: Source?
    /// Whether another program made the location up.
    public var isMock: Bool?

    /// A point; nil when a number is outside its range, as sensors report when they know nothing.
    public init?(id: UUIDBytes, latitude: Double, longitude: Double, accuracy: Double, timestamp: Int64) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude), Self.validMagnitude(accuracy) != nil,
            UTCTime.range.contains(timestamp)
        else { return nil }
        self.id = id
        self.latitude = latitude
        self.longitude = longitude
        self.accuracy = accuracy
        self.timestamp = timestamp
    }

    /// The comparison is false for NaN, too.
    private static func validFraction(_ value: Double) -> Double? { (0...1).contains(value) ? value : nil }
    private static func validMagnitude(_ value: Double) -> Double? { value >= 0 && value.isFinite ? value : nil }

    /// The point as JSON for the server: names in snake case, the time by RFC 3339 with milliseconds, numbers in the
    /// shortest form that reads back as the same double. Unknown values are left out.
    public var json: [UInt8] {
        // The shortest form of a finite number that reads back is valid JSON (RFC 8259 §6).
        let members: [(name: String, value: String?)] = [
            ("id", quoted(id.description)),
            ("latitude", latitude.description),
            ("longitude", longitude.description),
            ("accuracy", accuracy.description),
            ("timestamp", quoted(UTCTime.text(timestamp))),
            ("battery_level", batteryLevel?.description),
            ("signal_quality", quoted(signalQuality?.rawValue)),
            ("visit_id", quoted(visitID)),
            ("speed_mps", speed?.description),
            ("source", quoted(source?.rawValue)),
            ("is_mock", isMock?.description),
        ]
        let spelled = members.compactMap { member in member.value.map { "\"\(member.name)\":\($0)" } }
        return Array("{\(spelled.joined(separator: ","))}".utf8)
    }

    private func quoted(_ text: String?) -> String? {
        guard let text else { return nil }
        var writer = JSONWriter()
        writer.string(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
