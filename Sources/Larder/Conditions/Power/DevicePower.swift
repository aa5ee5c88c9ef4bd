#if canImport(Darwin)
private import Foundation
public import LarderTransport
#if os(iOS) || os(visionOS)
private import UIKit
#endif

/// The power of an Apple device: its low power mode, and the battery where the device has one to tell of (iOS, visionOS).
///
/// Following it turns on the battery monitoring of `UIDevice`, and leaves it on. On a Mac, low power mode alone
/// counts: the system turns it on by itself when the user wants that on a battery.
public struct DevicePower: PowerSource {
    /// A source that holds nothing until its states are asked for.
    public init() {}

    /// The state now, then each change; a task for each notification, until the stream is cancelled or let go.
    public func states() -> AsyncStream<PowerState> {
        let (stream, relay) = StateRelay<PowerState>.makeStream()
        let watching = Task {
            await withTaskGroup(of: Void.self) { group in
                for name in await Self.notifications() {
                    group.addTask {
                        // It listens from here on, so a change during the first reading is told again.
                        var changes = NotificationCenter.default.notifications(named: name).makeAsyncIterator()
                        repeat { relay.tell(await Self.reading().state()) } while await changes.next() != nil
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
