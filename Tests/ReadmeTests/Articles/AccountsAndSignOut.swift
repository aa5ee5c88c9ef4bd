// AccountsAndSignOut: proves what the article says about sign-in, renewal of a login, and what a sign-out does with writes.

import Larder
import LarderOutbox
import LarderTesting
import Testing

struct Accounts {
    // block begins
    actor Login: Credentials, Authenticator {
        private var token: String
        private let renew: @Sendable () async throws -> String  // the app's request for another token

        init(token: String, renew: @escaping @Sendable () async throws -> String) {
            self.token = token
            self.renew = renew
        }

        /// Returns the fields of each sync and write; a sync that the server refuses asks for other ones.
        func fields(for account: String?, isRefused: Bool) async throws -> HTTPFields {
            if isRefused { token = try await renew() }
            return [.authorization: "Bearer \(token)"]
        }

        /// Renews the login when the server refuses a write.
        func signInAgain(_ account: String, values: SessionValues) async throws -> [SessionValue] {
            token = try await renew()
            return []
        }
    }
    // block ends

    func open(_ login: Login, in location: CacheLocation, services: CacheServices) async throws -> ContentCache {
        // block begins
        var options = CacheOptions()
        options.credentials = login
        options.authenticator = login
        let words = try await ContentCache.open(
            location, content: "https://api.example.org/content", writes: "https://api.example.org",
            rows: [Verse.self, Note.self], services: services, options: options)
        // block ends
        return words
    }

    private typealias Verse = GettingStarted.Verse
    private typealias Note = GettingStarted.Note
}

@Suite(.timeLimit(.minutes(2))) struct `Accounts of a cache` {
    private typealias Verse = GettingStarted.Verse
    private typealias Note = GettingStarted.Note

    private let server: ArticleServer
    private let note = Note(id: "9", text: "buy bread")

    init() throws { server = try ArticleServer() }

    private func signIn(_ words: ContentCache, refreshToken: String) async throws {
        // block begins
        try await words.session.signIn(
            as: "user-1", values: [.plain("workspace", "7"), .secret("refresh", refreshToken)])
        // block ends
    }

    @Test func `are needed for a write, and have values of their own`() async throws {
        server.network.set(.offline)
        let words = try await server.open(hasAccounts: true)
        await #expect(throws: OutboxError.self) { try await words.put(note, to: "/notes/9") }
        try await signIn(words, refreshToken: "r1")
        try await words.put(note, to: "/notes/9")
        #expect(await words.session.value(named: "workspace") == Array("7".utf8))
        #expect(server.secrets.secrets == [SecretName(account: "user-1", name: "refresh"): Array("r1".utf8)])
        await #expect(throws: SessionError.otherAccount) { try await words.session.signIn(as: "user-2") }
        try await server.close(words)
    }

    @Test func `have an expired login renewed, and their write sent again under its key`() async throws {
        server.transport.on(.put, "/notes/*").answer(401).then(200)
        let login = Accounts.Login(token: "old") { "new" }
        let words = try await Accounts().open(login, in: server.location, services: server.services)
        try await signIn(words, refreshToken: "r1")
        try await server.running(words) {
            let sent = try await words.put(note, to: "/notes/9")
            #expect(try await sent.outcome == .accepted)
            let fields = server.transport.recorded.map { $0.request.headerFields }
            #expect(fields.map { $0[.authorization] } == ["Bearer old", "Bearer new"])
            #expect(Set(fields.map { $0[OutboxConfiguration.sourceKeyField] }).count == 1)
        }
    }

    @Test func `renew the login of a sync that the server refuses`() async throws {
        server.transport.plan(.status(.unauthorized)) { $0.path?.contains("/sync?") == true }
        let login = Accounts.Login(token: "old") { "new" }
        let words = try await Accounts().open(login, in: server.location, services: server.services)
        try await signIn(words, refreshToken: "r1")
        try await server.running(words) {
            for await _ in words.keep("translations:*") {}
            let verses = try words.rows(Verse.self, in: "translations/10")
            #expect(verses.count == 10)
            let tokens = server.transport.recorded.map { $0.request.headerFields[.authorization] }
            #expect(tokens.first == "Bearer old" && tokens.dropFirst().allSatisfy { $0 == "Bearer new" })
        }
    }

    private func follow(_ words: ContentCache, _ show: (String?, Int) -> Void) async {
        // block begins
        for await status in words.session.statuses() {  // now, and after every change
            show(status.banner?.title, status.pending)  // Offline, with the number of writes that wait
        }
        // block ends
    }

    @Test func `have a banner for the user`() async throws {
        server.network.set(.offline)
        let words = try await server.open(hasAccounts: true)
        try await signIn(words, refreshToken: "r1")
        try await server.running(words) {
            try await words.put(note, to: "/notes/9")
            let (banners, shown) = AsyncStream<String>.makeStream()
            let following = Task { await follow(words) { title, count in shown.yield("\(title ?? ""): \(count)") } }
            for await banner in banners where banner == "Offline: 1" { break }
            following.cancel()
            await following.value
        }
    }

    private func signOut(_ words: ContentCache, _ ask: (Int) -> SignOutPolicy) async throws {
        // block begins
        do {
            try await words.session.signOut()
        } catch SessionError.unsent(let left) {
            let policy = ask(left.pending + left.failed)  // .seal, or .discard(named: "user-1")
            try await words.session.signOut(policy)
        }
        // block ends
    }

    @Test func `sign out with their writes sealed, and the writes are sent when they return`() async throws {
        server.network.set(.offline)
        server.transport.on(.put, "/notes/*").answer(200)
        let words = try await server.open(hasAccounts: true)
        try await signIn(words, refreshToken: "r1")
        try await server.running(words) {
            let sent = try await words.put(note, to: "/notes/9")
            var asked: [Int] = []
            try await signOut(words) { count in
                asked.append(count)
                return .seal
            }
            #expect(asked == [1] && server.secrets.secrets.isEmpty)
            #expect(await words.session.account == nil)
            server.network.set(.online)
            try await words.session.signIn(as: "user-1")
            #expect(try await sent.outcome == .accepted)
        }
    }

    @Test func `sign out with their writes discarded, and the rows are shown as before`() async throws {
        server.network.set(.offline)
        let words = try await server.open(hasAccounts: true)
        try await signIn(words, refreshToken: "r1")
        try await words.put(note, to: "/notes/9")
        await #expect(throws: SessionError.wrongAccountName) {
            try await words.session.signOut(.discard(named: "User-1"))
        }
        try await signOut(words) { _ in .discard(named: "user-1") }
        #expect(try words.rows(Note.self).isEmpty)
        try await server.close(words)
    }

    @Test func `do not sign in while another account has sealed writes`() async throws {
        server.network.set(.offline)
        let words = try await server.open(hasAccounts: true)
        try await signIn(words, refreshToken: "r1")
        try await words.put(note, to: "/notes/9")
        try await words.session.signOut(.seal)
        // block begins
        do {
            try await words.session.signIn(as: "user-2")
        } catch SessionError.sealedWrites(let accounts, _) {
            // Once the user has agreed: the writes are lost.
            for account in accounts { try await words.session.discardSealed(of: account) }
            try await words.session.signIn(as: "user-2")
        }
        // block ends
        #expect(await words.session.account == "user-2")
        #expect(try words.rows(Note.self).isEmpty)
        try await server.close(words)
    }
}
