#if canImport(Darwin)
private import Foundation
public import LarderTransport
#if os(iOS) || os(visionOS)
private import UIKit
#endif

/// The power of an Apple device: its low power mode, and the battery where the system reports one (iOS, visionOS).
///
/// Following it enables the battery monitoring of `UIDevice`, and leaves it enabled. On a Mac only low power mode
/// counts: the system enables it automatically on battery power when the user wants that.
public struct DevicePower: PowerSource {
    /// Creates a source that uses no resources until ``states()`` is called.
    public init() {}

    /// Returns a stream of the current state and each change. It holds a task for each notification until it is
    /// cancelled or released.
    public func states() -> AsyncStream<PowerState> {
        let (stream, relay) = StateRelay<PowerState>.makeStream()
        let watching = Task {
            await withTaskGroup(of: Void.self) { group in
                for name in await Self.notifications() {
                    group.addTask {
                        // The task listens from here on, so a change during the first reading is reported again.
                        var changes = NotificationCenter.default.notifications(named: name).makeAsyncIterator()
                        repeat { relay.send(await Self.reading().state()) } while await changes.next() != nil
                    }
                }
            }
        }
        relay.onEnd { watching.cancel() }
        return stream
    }

    #if os(iOS) || os(visionOS)
    @MainActor private static func notifications() -> [Notification.Name] {
        UIDevice.current.isBatteryMonitoringEnabled = true
        return [
            .NSProcessInfoPowerStateDidChange, UIDevice.batteryLevelDidChangeNotification,
            UIDevice.batteryStateDidChangeNotification,
        ]
    }

    @MainActor private static func reading() -> PowerReading {
        let device = UIDevice.current
        return PowerReading(
            battery: Double(device.batteryLevel),
            isCharging: device.batteryState == .charging || device.batteryState == .full,
            isLowPowerMode: ProcessInfo.processInfo.isLowPowerModeEnabled)
    }
    #else
    private static func notifications() async -> [Notification.Name] {
        [.NSProcessInfoPowerStateDidChange]
    }

    private static func reading() async -> PowerReading {
        PowerReading(battery: nil, isLowPowerMode: ProcessInfo.processInfo.isLowPowerModeEnabled)
    }
    #endif
}
#endif
