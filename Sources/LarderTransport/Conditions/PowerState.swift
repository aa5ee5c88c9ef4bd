/// How much power there is to spend.
public enum PowerState: String, Sendable, CaseIterable {
    /// Enough: the device charges, has no battery, or has a good part of it left.
    case normal
    /// Little, or the user asked to save it.
    case saver
    /// Nearly none.
    case critical
}

/// What a device says about its battery at one moment.
public struct PowerReading: Hashable, Sendable {
    /// The charge left, 0 to 1; nil without a battery or where it is not known.
    public let battery: Double?

    /// Whether the device draws power from outside.
    public let isCharging: Bool

    /// Whether the user, or the system in the user's name, asked to save power.
    public let isLowPowerMode: Bool

    /// A reading of these facts.
    ///
    /// - Parameter battery: a value outside 0 to 1, as some systems use to say that they do not know, is taken for nil.
    public init(battery: Double?, isCharging: Bool = false, isLowPowerMode: Bool = false) {
        // The comparison is false for what is not a number, too.
        self.battery = battery.flatMap { (0...1).contains($0) ? $0 : nil }
        self.isCharging = isCharging
        self.isLowPowerMode = isLowPowerMode
    }

    /// The charge below which a device that does not charge saves power.
    public static let saverThreshold = 0.15

    /// The charge below which a device that does not charge does only what cannot wait.
    public static let criticalThreshold = 0.05

    /// The state that the reading amounts to.
    ///
    /// The charge counts only while the device does not charge, for it will not run out then; low power mode counts always,
    /// because it is somebody's wish. So a charging device is normal, or saver in low power mode, and never
    /// critical. A charge that is not known counts as enough.
    ///
    /// - Parameters:
    ///   - saverThreshold: the charge below which the state is at best saver.
    ///   - criticalThreshold: the charge below which it is critical; at most `saverThreshold`.
    public func state(
        saverBelow saverThreshold: Double = Self.saverThreshold,
        criticalBelow criticalThreshold: Double = Self.criticalThreshold
    ) -> PowerState {
        precondition(
            0 <= criticalThreshold && criticalThreshold <= saverThreshold && saverThreshold <= 1,
            "thresholds of \(criticalThreshold) and \(saverThreshold)")
        if let battery, !isCharging {
            if battery < criticalThreshold { return .critical }
            if battery < saverThreshold { return .saver }
        }
        return isLowPowerMode ? .saver : .normal
    }
}
