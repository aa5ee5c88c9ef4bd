// Proves that the power state is read from the Linux power supplies and their thresholds.

import Foundation
import Larder
import LarderTesting
import LarderTransport
import Testing

/// A folder that looks like `/sys/class/power_supply`.
private final class SupplyFolder: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "supplies-\(UUID())").path

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func set(_ supply: String, _ files: [String: String]) throws {
        try FileManager.default.createDirectory(atPath: "\(path)/\(supply)", withIntermediateDirectories: true)
        for (name, text) in files { try Data("\(text)\n".utf8).write(to: URL(filePath: "\(path)/\(supply)/\(name)")) }
    }

    var reading: PowerReading { PowerSupplies(root: path).reading() }
}

@Suite struct `The power supplies of Linux` {
    private let folder: SupplyFolder

    init() throws {
        folder = try SupplyFolder()
    }

    @Test func `without a battery, or without their folder, are normal`() throws {
        #expect(folder.reading.state() == .normal)
        try folder.set("AC", ["type": "Mains", "online": "0"])
        #expect(folder.reading == PowerReading(battery: nil))
        #expect(PowerSupplies(root: "/nowhere").reading() == PowerReading(battery: nil))
    }

    @Test(arguments: [("Discharging", false), ("Charging", true), ("Full", true), ("Not charging", true)])
    func `say what the battery says`(status: String, isCharging: Bool) throws {
        try folder.set("BAT0", ["type": "Battery", "present": "1", "capacity": "12", "status": status])
        #expect(folder.reading == PowerReading(battery: 0.12, isCharging: isCharging))
    }

    @Test(arguments: [("1", true), ("0", false)])
    func `use the mains where the battery state is unknown`(online: String, isCharging: Bool) throws {
        try folder.set("BAT0", ["type": "Battery", "capacity": "3", "status": "Unknown"])
        try folder.set("AC", ["type": "Mains", "online": online])
        #expect(folder.reading == PowerReading(battery: 0.03, isCharging: isCharging))
    }

    @Test func `do not count a supply that cannot hold the charge as enough`() throws {
        try folder.set("BAT0", ["type": "Battery", "capacity": "4", "status": "Discharging"])
        try folder.set("usb", ["type": "USB", "online": "1"])
        #expect(folder.reading.state() == .critical)
    }

    @Test(arguments: ["energy", "charge"])
    func `compute the charge where it is not given`(quantity: String) throws {
        try folder.set("BAT0", ["type": "Battery", "\(quantity)_now": "30", "\(quantity)_full": "120"])
        #expect(folder.reading.battery == 0.25)
        try folder.set("BAT0", ["\(quantity)_now": "130"])
        #expect(folder.reading.battery == 1)
    }

    @Test func `share the load between two batteries`() throws {
        try folder.set("BAT0", ["type": "Battery", "capacity": "0", "status": "Not charging"])
        try folder.set("BAT1", ["type": "Battery", "capacity": "20", "status": "Discharging"])
        #expect(folder.reading == PowerReading(battery: 0.1))
    }

    @Test func `do not count the battery of a mouse`() throws {
        try folder.set("mouse", ["type": "Battery", "scope": "Device", "capacity": "2", "status": "Discharging"])
        #expect(folder.reading == PowerReading(battery: nil))
    }

    @Test func `do not count a battery that is not there`() throws {
        try folder.set("BAT0", ["type": "Battery", "present": "0", "capacity": "0", "status": "Discharging"])
        #expect(folder.reading == PowerReading(battery: nil))
    }

    @Test(arguments: ["", "many", "-1", "101", "99999999999999999999999", "0x10", "\0", "12 13"])
    func `with an invalid charge report none`(capacity: String) throws {
        try folder.set("BAT0", ["type": "Battery", "capacity": capacity, "energy_now": "5", "energy_full": "0"])
        #expect(folder.reading.battery == nil)
    }

    @Test func `with bytes that are no text report nothing`() throws {
        try folder.set("BAT0", ["type": "Battery"])
        try Data((0...255).map { UInt8($0) }).write(to: URL(filePath: "\(folder.path)/BAT0/capacity"))
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/BAT0/status", withIntermediateDirectories: true)
        #expect(folder.reading == PowerReading(battery: nil))
    }
}

#if os(Linux)
@Suite(.timeLimit(.minutes(5))) struct `The power of a Linux machine` {
    @Test func `is read again after each interval`() async throws {
        let folder = try SupplyFolder()
        try folder.set("BAT0", ["type": "Battery", "capacity": "50", "status": "Discharging"])
        let clock = VirtualClock()
        let source = PowerSupplyPower(root: folder.path, every: .seconds(30), clock: clock)
        var states = source.states().makeAsyncIterator()
        #expect(await states.next() == .normal)
        try folder.set("BAT0", ["capacity": "14"])
        await clock.sleepers(atLeast: 1)
        #expect(clock.nextDeadline == .init(offset: .seconds(30)))
        clock.advance(by: .seconds(30))
        #expect(await states.next() == .saver)
        // An unchanged state is not reported.
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(30))
        await clock.sleepers(atLeast: 1)
        try folder.set("BAT0", ["capacity": "4"])
        clock.advance(by: .seconds(30))
        #expect(await states.next() == .critical)
    }

    @Test func `respects its thresholds`() async throws {
        let folder = try SupplyFolder()
        try folder.set("BAT0", ["type": "Battery", "capacity": "50", "status": "Discharging"])
        let source = PowerSupplyPower(root: folder.path, clock: VirtualClock(), saverBelow: 0.6, criticalBelow: 0.55)
        var states = source.states().makeAsyncIterator()
        #expect(await states.next() == .critical)
    }

    @Test func `is not read any more without observers`() async throws {
        let clock = VirtualClock()
        let source = PowerSupplyPower(root: "/nowhere", clock: clock)
        let reader = Task { for await _ in source.states() {} }
        await clock.sleepers(atLeast: 1)
        reader.cancel()
        await reader.value
        while clock.sleeperCount > 0 { await Task.yield() }
    }

    @Test func `of this machine is known`() async {
        var states = SystemPower.source().states().makeAsyncIterator()
        #expect(await states.next() != nil)
    }
}
#endif
