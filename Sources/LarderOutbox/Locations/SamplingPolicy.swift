public import LarderTransport

/// How often the device is to be asked where it is: less often where that costs more than it is worth.
public struct SamplingPolicy: Hashable, Sendable {
    /// In the foreground, with power enough.
    public var foreground: Duration?
    /// In the background, with power enough.
    public var background: Duration?
    /// With little power (``PowerState/saver``: a charge below 15 %, or the user's wish), wherever the host is.
    public var saver: Duration?
    /// With nearly none (``PowerState/critical``: a charge below 5 %), in the foreground. In the background there is
    /// none then.
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

    /// How long to wait between two places; nil: do not ask.
    public func interval(_ power: PowerState, isForeground: Bool) -> Duration? {
        switch power {
        case .normal: isForeground ? foreground : background
        case .saver: saver
        case .critical: isForeground ? criticalForeground : nil
        }
    }

    /// As ``interval(_:isForeground:)``, for what a device says about its battery.
    public func interval(_ reading: PowerReading, isForeground: Bool) -> Duration? {
        interval(reading.state(), isForeground: isForeground)
    }
}

/// A change of how much power there is, which hosts tell their users of.
public enum PowerTransition: Hashable, Sendable {
    /// There is little from now on.
    case enteredSaver
    /// There is nearly none from now on.
    case enteredCritical
    /// There is enough again.
    case recovered

    /// What a change from one state to another is; nil when nothing changed.
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
    /// Each change from now on, until the task that reads it is cancelled; a state that is not normal at the beginning
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
