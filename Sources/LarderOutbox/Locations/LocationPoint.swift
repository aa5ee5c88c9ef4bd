public import LarderFormat
internal import LarderJSON
internal import LarderStore

/// A place of the device at one moment.
public struct LocationPoint: Hashable, Sendable {
    /// How well the place could be told.
    public enum SignalQuality: String, Hashable, Sendable, CaseIterable {
        /// Well.
        case good
        /// Not so well.
        case fair
        /// Hardly.
        case poor
    }

    /// Where the place comes from.
    public enum Source: String, Hashable, Sendable, CaseIterable {
        /// Satellites.
        case gps
        /// Cells and wireless networks.
        case network
        /// Whatever else asked for it.
        case passive
    }

    /// Its identity.
    public let id: UUIDBytes
    /// In degrees, -90 to 90.
    public let latitude: Double
    /// In degrees, -180 to 180.
    public let longitude: Double
    /// How far off it may be, in metres, 0 or more.
    public let accuracy: Double
    /// When, in milliseconds since 1970-01-01 UTC, up to the year 9999.
    public let timestamp: Int64
    /// The charge of the battery, 0 to 1, where it is known.
    public var batteryLevel: Double? { didSet { batteryLevel = batteryLevel.flatMap(Self.share) } }
    /// How well the place could be told.
    public var signalQuality: SignalQuality?
    /// What the device was there for.
    public var visitID: String?
    /// How fast it moved, in metres a second, 0 or more, where that is known.
    public var speed: Double? { didSet { speed = speed.flatMap(Self.length) } }
    /// Where the place comes from.
    public var source: Source?
    /// Whether another program made the place up.
    public var isMock: Bool?

    /// A place; nil when a number is outside its range, as sensors give that know nothing.
    public init?(id: UUIDBytes, latitude: Double, longitude: Double, accuracy: Double, timestamp: Int64) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude), Self.length(accuracy) != nil,
            UTCTime.range.contains(timestamp)
        else { return nil }
        self.id = id
        self.latitude = latitude
        self.longitude = longitude
        self.accuracy = accuracy
        self.timestamp = timestamp
    }

    /// False for what is no number, too.
    private static func share(_ value: Double) -> Double? { (0...1).contains(value) ? value : nil }
    private static func length(_ value: Double) -> Double? { value >= 0 && value.isFinite ? value : nil }

    /// The point as the server takes it: names in snake case, the time by RFC 3339 with thousandths of a second,
    /// numbers in the shortest form that reads back as the same double, and nothing for what is not known.
    public var json: [UInt8] {
        // Of finite numbers, the shortest that reads back is JSON (RFC 8259 §6).
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
