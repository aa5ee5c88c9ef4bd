/// The power that is available.
///
/// ```swift
/// for await power in services.power.states() {  // now, and after every change
///     print(power == .critical ? "syncs on request only" : "syncs in the background")
/// }
/// ```
public enum PowerState: String, Sendable, CaseIterable {
    /// Enough: the device charges, has no battery, or has enough charge left.
    case normal
    /// Little, or the user or the system requested to save it.
    case saver
    /// Nearly none.
    case critical
}

/// The power facts of a device at one time.
public struct PowerReading: Hashable, Sendable {
    /// The charge left, 0 to 1; nil without a battery or where it is not known.
    public let battery: Double?

    /// Whether the device draws power from outside.
    public let isCharging: Bool

    /// Whether the user, or the system for the user, requested to save power.
    public let isLowPowerMode: Bool

    /// Creates a reading of these facts.
    ///
    /// - Parameter battery: A value outside 0 to 1, which some systems report for an unknown charge, becomes nil.
    public init(battery: Double?, isCharging: Bool = false, isLowPowerMode: Bool = false) {
        // The comparison is also false for NaN.
        self.battery = battery.flatMap { (0...1).contains($0) ? $0 : nil }
        self.isCharging = isCharging
        self.isLowPowerMode = isLowPowerMode
    }

    /// The charge below which a device that does not charge saves power.
    public static let saverThreshold = 0.15

    /// The charge below which a device that does not charge does only urgent work.
    public static let criticalThreshold = 0.05

    /// Returns the state that follows from the reading.
    ///
    /// The charge counts only while the device does not charge, because otherwise it cannot run out. Low power mode
    /// always counts, because it was requested. So a charging device is normal, or saver in low power mode, and never
    /// critical. An unknown charge counts as enough.
    ///
    /// - Parameters:
    ///   - saverThreshold: The charge below which the state is at best saver.
    ///   - criticalThreshold: The charge below which it is critical; at most `saverThreshold`.
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
