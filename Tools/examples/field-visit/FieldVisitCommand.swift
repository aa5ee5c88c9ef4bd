import ArgumentParser
import Foundation
import Larder
import LarderURLSession

/// The command line of the field visits.
@main
struct FieldVisitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "field-visit",
        abstract: "Records visits to outlets without a network, and sends them later.",
        discussion: """
            Start the server of the example first, in another terminal, and fetch the outlets once.

            EXAMPLE: field-visit serve
            EXAMPLE: field-visit download
            EXAMPLE: field-visit visit 7 "stock is low" --at 50.01,10.02
            """,
        subcommands: [Serve.self, Download.self, Outlets.self, Record.self, Status.self, Send.self])
}

/// The options of every verb but `serve`.
struct VisitOptions: ParsableArguments {
    @Option(help: "The address of the server.")
    var server = "http://127.0.0.1:8097"

    @Option(help: "The directory of what is stored.", completion: .directory)
    var directory = CacheLocation.applicationSupport("larder-field-visit").path

    @Option(help: "The account; another one has to have sent its visits first.")
    var account = "user-1"

    @Flag(help: "Open the directory without writing to it; another process may use it at the same time.")
    var readOnly = false

    /// Runs `body` with the model of the account, and closes it.
    func using(_ body: (FieldModel) async throws -> Void) async throws {
        guard let address = BaseURL(server), let content = BaseURL(server + "/content") else {
            throw ValidationError("\(server) is no plain http address")
        }
        let model = try await FieldModel(
            in: .directory(directory), server: address, content: content, services: .system(URLSessionTransport()),
            isReadOnly: readOnly)
        let outcome: Result<Void, any Error>
        do {
            if !readOnly { try await model.signIn(as: account) }
            outcome = .success(try await body(model))
        } catch let error as SessionError {
            print(error)
            outcome = .failure(ExitCode.failure)
        } catch {
            outcome = .failure(error)
        }
        try await model.close()
        try outcome.get()
    }
}

extension FieldVisitCommand {
    struct Serve: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Serve outlets and visits on 127.0.0.1, until SIGINT.",
            discussion: "EXAMPLE: field-visit serve --port 9097")

        @Option(help: "The port; 0 for any that is free.")
        var port: UInt16 = 8097

        func run() async throws {
            #if Server
            try await FieldServer().run(port: Int(port))
            #else
            throw ValidationError("Build it with --traits Server.")
            #endif
        }
    }

    struct Download: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Fetch outlets and visits, for use without a network.",
            discussion: "It tries for a minute; the next one goes on from there. EXAMPLE: field-visit download")

        @OptionGroup var options: VisitOptions

        func run() async throws {
            try await options.using { model in
                let progress = model.download()
                let printing = Task { for await step in progress { print(step) } }
                let problems = await model.fetch()
                for problem in problems { print("not up to date: \(problem)") }
                if !problems.isEmpty { printing.cancel() }
                await printing.value
                if !problems.isEmpty { throw ExitCode.failure }
            }
        }
    }

    struct Outlets: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Find outlets.", subcommands: [Near.self])
    }

    struct Near: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the nearest outlets.",
            discussion: "Write -- before a negative number. EXAMPLE: field-visit outlets near 50.01 10.02")

        @Argument(help: "The latitude in degrees, -90 to 90.")
        var latitude: Double

        @Argument(help: "The longitude in degrees, -180 to 180.")
        var longitude: Double

        @OptionGroup var options: VisitOptions

        func validate() throws {
            guard (-90...90).contains(latitude), (-180...180).contains(longitude) else {
                throw ValidationError("There is no such place.")
            }
        }

        func run() async throws {
            try await options.using { model in
                let near = try model.outlets(near: Place(latitude: latitude, longitude: longitude))
                for (outlet, metres) in near { print("\(outlet.id)  \(outlet.name), \(Int(metres)) m") }
                if near.isEmpty { print("No outlets are stored: run `field-visit download`.") }
            }
        }
    }

    struct Record: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "visit", abstract: "Record a visit; it is sent by `send`.",
            discussion: "EXAMPLE: field-visit visit 7 \"stock is low\" --at=50.01,10.02 --photo stock.jpg")

        @Argument(help: "The number of the outlet.")
        var outlet: Int

        @Argument(help: "The note.")
        var note: String

        @Option(help: "The place, as LATITUDE,LONGITUDE.", transform: place(from:))
        var at: Place?

        @Option(help: "The file of a photo.", completion: .file())
        var photo: String?

        @OptionGroup var options: VisitOptions

        func run() async throws {
            let bytes = try photo.map(Self.bytes(ofPhoto:))
            try await options.using { model in
                try await model.record(outlet, note: note, at: at, photo: bytes)
                print("stored; \(model.cache.outbox?.status.unsent ?? 0) not sent yet")
            }
        }

        private static func bytes(ofPhoto path: String) throws -> [UInt8] {
            do { return [UInt8](try Data(contentsOf: URL(filePath: path))) } catch {
                throw ValidationError(
                    "The photo \(path) cannot be read: \(error.localizedDescription) Nothing was stored.")
            }
        }

        private static func place(from text: String) throws -> Place {
            let parts = text.split(separator: ",").compactMap { Double($0) }
            guard parts.count == 2, (-90...90).contains(parts[0]), (-180...180).contains(parts[1]) else {
                throw ValidationError("\(text) is not a place such as 50.01,10.02")
            }
            return Place(latitude: parts[0], longitude: parts[1])
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show all visits: ↑ is not sent yet, ✓ is on the server.",
            discussion: "EXAMPLE: field-visit status --read-only")

        @OptionGroup var options: VisitOptions

        func run() async throws {
            try await options.using { model in
                print("signed in:", await model.cache.session.account ?? "nobody")
                for shown in try model.visits() {
                    let (visit, mark) = (shown.visit, shown.isPending ? "↑" : "✓")
                    let photo = visit.photo.map { ", photo of \($0) bytes" } ?? ""
                    print("\(mark) outlet \(visit.outlet), \(visit.account): \(visit.note)\(photo)")
                }
                for refusal in try model.refusals() { print("refused: \(refusal.endpoint): \(refusal.reason)") }
            }
        }
    }

    struct Send: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send the visits that the server lacks; fails while some are not sent.",
            discussion: "EXAMPLE: field-visit send --within 5")

        @Option(help: "The most seconds that it takes.")
        var within = 30

        @OptionGroup var options: VisitOptions

        func validate() throws {
            guard (1...3_600).contains(within) else { throw ValidationError("--within is 1 to 3600.") }
        }

        func run() async throws {
            try await options.using { model in
                let status = await model.send(within: .seconds(within))
                if status.unsent == 0 { return print(status) }
                print("\(status.unsent) not sent yet; kept for the next send")
                throw ExitCode.failure
            }
        }
    }
}
