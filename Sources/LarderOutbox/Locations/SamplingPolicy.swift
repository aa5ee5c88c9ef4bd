public import LarderTransport

/// The intervals at which the device is located: longer where that costs more than it is worth.
public struct SamplingPolicy: Hashable, Sendable {
    /// The interval in the foreground, with enough power.
    public var foreground: Duration?
    /// The interval in the background, with enough power.
    public var background: Duration?
    /// The interval with little power (`PowerState.saver`: a charge below 15 %, or the user's wish), in the
    /// foreground and the background.
    public var saver: Duration?
    /// The interval in the foreground with nearly no power (`PowerState.critical`: a charge below 5 %). The device is
    /// not located in the background then.
    public var criticalForeground: Duration?

    /// Every 5 minutes in the foreground, 15 in the background, 30 with little power, and not at all with nearly none.
    /// Nil is not at all.
    public init(
        foreground: Duration? = .seconds(300), background: Duration? = .seconds(900), saver: Duration? = .seconds(1800),
        criticalForeground: Duration? = nil
    ) {
        self.foreground = foreground
        self.background = background
        self.saver = saver
        self.criticalForeground = criticalForeground
    }

    /// Returns the time to wait between two points; nil: do not locate the device.
    public func interval(_ power: PowerState, isForeground: Bool) -> Duration? {
        switch power {
        case .normal: isForeground ? foreground : background
        case .saver: saver
        case .critical: isForeground ? criticalForeground : nil
        }
    }

    /// As ``interval(_:isForeground:)``, for a battery reading of the device.
    public func interval(_ reading: PowerReading, isForeground: Bool) -> Duration? {
        interval(reading.state(), isForeground: isForeground)
    }
}

/// A change of the power state, for hosts to report to their users.
public enum PowerTransition: Hashable, Sendable {
    /// There is little power from now on.
    case enteredSaver
    /// There is nearly no power from now on.
    case enteredCritical
    /// There is enough power again.
    case recovered

    /// Returns the transition from one state to another; nil when the state is the same.
    public static func between(_ old: PowerState, _ new: PowerState) -> PowerTransition? {
        if old == new { return nil }
        return switch new {
        case .normal: .recovered
        case .saver: .enteredSaver
        case .critical: .enteredCritical
        }
    }
}

extension PowerSource {
    /// Returns each change from now on, until the task that reads it is cancelled; an initial state that is not normal
    /// counts as a change.
    public func transitions() -> AsyncStream<PowerTransition> {
        let states = states()
        return AsyncStream { continuation in
            let following = Task {
                var last = PowerState.normal
                for await state in states {
                    if let transition = PowerTransition.between(last, state) { continuation.yield(transition) }
                    last = state
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in following.cancel() }
        }
    }
}
