private import Foundation
package import LarderTransport

/// The power supplies of a Linux machine, read from a folder of folders of small files (sysfs, `power_supply`).
package struct PowerSupplies: Sendable {
    private let root: String

    /// Creates a reader of the supplies below the folder at `root`.
    package init(root: String) {
        self.root = root
    }

    /// Returns the current reading; a supply with invalid values counts as absent. Blocks for some reads of files.
    ///
    /// The charge of several batteries is their mean. The batteries' own status decides whether the machine charges: it
    /// does not while any of them is discharging, even with a weak supply plugged in. A supply that is plugged in
    /// counts only where no battery reports it. Batteries of attached devices, such as a mouse, do not count; a UPS
    /// does.
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

    /// Returns the charge of a battery, 0 to 1: its own figure, else its content divided by its capacity.
    private func charge(_ supply: String) -> Double? {
        if let capacity = number(supply, "capacity"), (0...100).contains(capacity) { return capacity / 100 }
        for quantity in ["energy", "charge"] {
            guard let now = number(supply, "\(quantity)_now"), let full = number(supply, "\(quantity)_full"),
                now >= 0, full > 0
            else { continue }
            // A battery may hold a little more than its nominal capacity.
            return min(now / full, 1)
        }
        return nil
    }

    private func number(_ supply: String, _ name: String) -> Double? {
        text(supply, name).flatMap { Int64($0) }.map { Double($0) }
    }

    /// Returns the one line of a file; nil when it cannot be read.
    private func text(_ supply: String, _ name: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: "\(supply)/\(name)") else { return nil }
        defer { try? file.close() }
        // A file of sysfs has at most one page.
        guard let bytes = try? file.read(upToCount: 4096) else { return nil }
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
