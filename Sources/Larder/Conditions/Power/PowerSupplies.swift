private import Foundation
package import LarderTransport

/// The power supplies of a Linux machine, as a folder of folders of small files tells them (sysfs, `power_supply`).
package struct PowerSupplies: Sendable {
    private let root: String

    /// The supplies told of below the folder at `root`.
    package init(root: String) {
        self.root = root
    }

    /// What they say now; a supply that says nothing sensible counts as absent. Blocks for some reads of files.
    ///
    /// The charge of several batteries is their mean. The batteries' own word tells whether the machine charges: not
    /// while any of them is discharging, a weak supply notwithstanding. Only where none of them knows, a supply that
    /// is plugged in does. Batteries of devices attached, such as a mouse, do not count; a UPS does.
    package func reading() -> PowerReading {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let supplies = names.sorted().map { "\(root)/\($0)" }.filter { text($0, "scope") != "Device" }
        let batteries = supplies.filter { isBattery($0) && text($0, "present") != "0" }
        let charges = batteries.compactMap(charge)
        let words = Set(batteries.compactMap { text($0, "status") })
        let isPluggedIn = supplies.contains { !isBattery($0) && text($0, "online").map { $0 != "0" } ?? false }
        let isCharging =
            if words.contains("Discharging") {
                false
            } else {
                !words.isDisjoint(with: ["Charging", "Full", "Not charging"]) || isPluggedIn
            }
        return PowerReading(
            battery: charges.isEmpty ? nil : charges.reduce(0, +) / Double(charges.count), isCharging: isCharging)
    }

    private func isBattery(_ supply: String) -> Bool {
        ["Battery", "UPS"].contains(text(supply, "type"))
    }

    /// The charge of a battery, 0 to 1: as it says itself, else from what it holds of what it could hold.
    private func charge(_ supply: String) -> Double? {
        if let capacity = number(supply, "capacity"), (0...100).contains(capacity) { return capacity / 100 }
        for quantity in ["energy", "charge"] {
            guard let now = number(supply, "\(quantity)_now"), let full = number(supply, "\(quantity)_full"),
                now >= 0, full > 0
            else { continue }
            // A battery may hold a little more than it reckons it can.
            return min(now / full, 1)
        }
        return nil
    }

    private func number(_ supply: String, _ name: String) -> Double? {
        text(supply, name).flatMap { Int64($0) }.map { Double($0) }
    }

    /// The one line of a file; nil when it cannot be read.
    private func text(_ supply: String, _ name: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: "\(supply)/\(name)") else { return nil }
        defer { try? file.close() }
        // A page is the most that a file of sysfs holds.
        guard let bytes = try? file.read(upToCount: 4096) else { return nil }
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
