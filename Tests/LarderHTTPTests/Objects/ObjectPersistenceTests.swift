// Proves that objects are stored in memory or in the store as the host, the class and the request say.

import LarderFormat
import LarderHTTP
import LarderStore
import LarderTesting
import Testing

@Suite struct `Where objects are stored` {
    /// §5.2.3.
    @Test func `is memory unless the host says otherwise, and is lost with the program`() async throws {
        let world = try ObjectWorld()
        _ = try await world.cache.collection(allUsers)
        #expect(try world.storedObjects() == [])
        world.goOffline()
        #expect(try await world.cache.collection(allUsers).value.isComplete)
        await #expect(throws: HTTPCacheError.self) { try await world.restarted().collection(allUsers) }
    }

    /// §5.2.4, §5.2.5.
    @Test func `is the store for a class that is persistent, and outlives the program`() async throws {
        let world = try ObjectWorld(persistent: ["User"])
        _ = try await world.cache.collection(allUsers)
        _ = try await world.cache.object(ObjectName(class: "User", id: "3"))
        #expect(try world.storedObjects() == ["User/1", "User/2", "User/3", "User/4"])
        world.goOffline()
        let cache = world.restarted(persistent: ["User"])
        #expect(try await cache.collection(allUsers).numbers == ["1", "2", "3", "4"])
        #expect(try await cache.object(user(3)).number == "3")
        #expect(try world.findings() == [])
    }

    /// §5.2.4, §5.2.5.
    @Test func `is what a request says, over what its class says`() async throws {
        let world = try ObjectWorld(persistent: ["Note"])
        world.server.put("Note", "1", "7")
        _ = try await world.cache.collection(allUsers, persistence: .persistent)
        _ = try await world.cache.collection(CollectionName(class: "Note"), persistence: .memory)
        #expect(try world.storedObjects() == ["User/1", "User/2", "User/3", "User/4"])
        world.goOffline()
        // Found without saying it again.
        #expect(try await world.cache.collection(allUsers).value.isComplete)
        #expect(try await world.cache.collection(CollectionName(class: "Note")).numbers == ["7"])
        #expect(try await world.restarted().collection(allUsers).value.isComplete)
    }

    /// §5.2.4.
    @Test func `with an explicit no is not the store, whatever it holds already`() async throws {
        let world = try ObjectWorld(persistent: ["User"])
        _ = try await world.cache.collection(allUsers)
        world.server.put("User", "1", "100")
        _ = try await world.cache.collection(allUsers, persistence: .memory)
        world.goOffline()
        // The newer one is seen here, and was not written there.
        #expect(try await world.cache.collection(allUsers).numbers.first == "100")
        #expect(try await world.cache.object(user(1)).number == "100")
        #expect(try await world.restarted().collection(allUsers).numbers.first == "1")
    }

    @Test func `can change for what is stored in memory already, also by a 304`() async throws {
        let world = try ObjectWorld()
        _ = try await world.cache.collection(allUsers)
        let confirmed = try await world.cache.collection(allUsers, persistence: .persistent)
        #expect(confirmed.origin == .revalidated)
        world.goOffline()
        #expect(try await world.restarted().collection(allUsers).numbers == ["1", "2", "3", "4"])
    }

    /// §5.2.6.
    @Test func `is an error while the host has not said where, before anything is sent`() async throws {
        let world = try ObjectWorld(persistent: ["User"], isConfigured: false)
        func isRefused(_ body: () async throws -> Void) async -> Bool {
            do {
                try await body()
                return false
            } catch HTTPCacheError.notConfigured {
                return true
            } catch {
                return false
            }
        }
        #expect(await isRefused { _ = try await world.cache.collection(allUsers) })
        #expect(await isRefused { _ = try await world.cache.object(user(1)) })
        #expect(await isRefused { _ = try world.cache.objectAnswers(user(1)) })
        #expect(await isRefused { try await world.cache.save(user(1), payload: [1]) })
        #expect(await isRefused { _ = try await world.cache.file(ObjectFile(of: user(1), attribute: "image")) })
        let note = ObjectName(class: "Note", id: "1")
        #expect(await isRefused { _ = try await world.cache.object(note, persistence: .persistent) })
        #expect(world.network.recorded.isEmpty)
        // An explicit no needs no store, and once there is one, all is well.
        #expect(try await world.cache.collection(allUsers, persistence: .memory).value.isComplete)
        world.cache.configure(persistent: .store(world.store))
        #expect(try await world.cache.collection(allUsers).value.isComplete)
        #expect(try world.storedObjects().count == 4)
    }

    /// §5.3.5.
    @Test func `for what a reference leads to is up to the class it leads to`() async throws {
        let world = try ObjectWorld(persistent: ["Schedule"])
        world.server.set { $0.pages["/Student/1/schedules"] = "a\tmonday" }
        let student = ObjectName(class: "Student", id: "1")
        world.server.put("Student", "1", "5")
        _ = try await world.cache.object(student)
        #expect(try world.storedObjects() == [])
        _ = try await world.cache.collection(student.references(by: "schedules", toClass: "Schedule"))
        #expect(try world.storedObjects() == ["Schedule/a"])
    }

    /// §5.3.5.
    @Test func `for references that come along is up to their class, too`() async throws {
        let world = try ObjectWorld(persistent: ["Schedule"])
        world.server.set { $0.pages["/Student/1"] = "1\t5\tschedules\tSchedule\ta\tmonday" }
        let student = ObjectName(class: "Student", id: "1")
        _ = try await world.cache.object(student)
        #expect(try world.storedObjects() == ["Schedule/a"])
        world.goOffline()
        let schedules = student.references(by: "schedules", toClass: "Schedule")
        #expect(try await world.restarted().collection(schedules).numbers == ["monday"])
    }

    @Test func `in both leaves nothing to a 304 that was changed in one`() async throws {
        let world = try ObjectWorld()
        _ = try await world.cache.collection(allUsers, persistence: .persistent)
        world.server.put("User", "1", "100")
        _ = try await world.cache.object(user(1))
        world.server.put("User", "1", "1")
        // The tag in the store speaks of 1, and what is shown is 100.
        let answer = try await world.cache.collection(allUsers, persistence: .persistent)
        #expect(answer.origin == .network)
        #expect(answer.numbers.first == "1")
        world.server.put("User", "2", "200")
        _ = try await world.cache.collection(allUsers)
        world.server.put("User", "2", "2")
        _ = try await world.cache.object(user(2), persistence: .persistent)
        world.server.put("User", "2", "200")
        #expect(try await world.cache.collection(allUsers).numbers[1] == "200")
    }

    @Test func `is no resource that syncing could name`() throws {
        // Filters separate groups from ids at the first colon: no group has one.
        #expect(ObjectName.resource(ofClass: "User").group.contains(":"))
        #expect(ObjectName(row: user(1).row) == user(1))
        #expect(ObjectName(row: RowKey(resource: ResourceKey("User", 0), type: "User", key: "1")) == nil)
    }
}
