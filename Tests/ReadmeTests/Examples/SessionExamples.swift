// Proves that the examples in the doc comments of sessions, their values and their secrets compile.

import Larder
import LarderOutbox
import LarderStore

private struct LoginServer {
    func token(for refreshToken: [UInt8], in workspace: [UInt8] = []) async throws -> String {
        String(decoding: refreshToken + workspace, as: UTF8.self)
    }
}

private struct KeychainItems {
    func content(service: String, account: String) throws -> [UInt8]? { nil }
    func setContent(_ content: [UInt8]?, service: String, account: String) throws {}
}

private func authenticatorExample(server: LoginServer) async throws {
    // Example of Authenticator
    struct Renewal: Authenticator {
        let server: LoginServer  // the app's own

        func signInAgain(_ account: String, values: SessionValues) async throws -> [SessionValue] {
            let refreshToken = try await values.secret(named: "refresh") ?? []
            return [.secret("token", try await server.token(for: refreshToken))]  // replaces the expired one
        }
    }
    // End of example
    _ = Renewal(server: server)
}

private struct WorkspaceRenewal: Authenticator {
    let server: LoginServer

    // Example of SessionValues
    func signInAgain(_ account: String, values: SessionValues) async throws -> [SessionValue] {
        let workspace = values.value(named: "workspace") ?? []  // a plain value, from the store
        let refreshToken = try await values.secret(named: "refresh") ?? []  // from the secret store
        return [.secret("token", try await server.token(for: refreshToken, in: workspace))]
    }
    // End of example
}

private func sessionValueExample(session: Session, token: String) async throws {
    // Example of SessionValue
    let values: [SessionValue] = [.plain("workspace", "7"), .secret("token", token)]
    try await session.signIn(as: "jane", values: values)  // the token is in the secret store only
    let workspace = await session.value(named: "workspace")  // the bytes of "7"
    let secret = try await session.secret(named: "token")
    print(workspace?.count ?? 0, secret?.count ?? 0)
    // End of example
}

private func secretStoreExample(items: KeychainItems) {
    // Example of SecretStore
    struct Keychain: SecretStore {
        let items: KeychainItems  // the app's calls of the system's keychain

        func secret(_ name: SecretName) async throws -> [UInt8]? {
            try items.content(service: name.name, account: name.account)
        }
        func setSecret(_ content: [UInt8]?, _ name: SecretName) async throws {
            try items.setContent(content, service: name.name, account: name.account)  // nil removes it
        }
    }
    // End of example
    _ = Keychain(items: items)
}

private func secretNameExample(keychain: any SecretStore) async throws {
    // Example of SecretName
    let name = SecretName(account: "jane", name: "token")
    let secret = try await keychain.secret(name)  // what `Session.signIn(as:values:)` stored
    print(secret?.count ?? 0, "bytes")
    // End of example
}

private func sessionStatusExample(session: Session) async {
    // Example of SessionStatus
    for await status in session.statuses() {  // now, and after every change
        print(status.account ?? "nobody", status.pending, "not sent")
        if let banner = status.banner { print(banner.title) }  // such as: Offline
    }
    // End of example
}

private func signOutPolicyExample(session: Session, keepsWrites: Bool) async throws {
    // Example of SignOutPolicy
    do {
        try await session.signOut()  // `.refuse`: with unsent writes the account stays signed in
    } catch SessionError.unsent {
        // The user decides: the writes are kept until jane signs in again, or they are lost.
        try await session.signOut(keepsWrites ? .seal : .discard(named: "jane"))
    }
    // End of example
}

private func unsentContentExample(session: Session) async throws {
    // Example of UnsentContent
    let unsent = try await session.status.unsent
    if unsent.isEmpty { print("nothing is left to send") }
    print(unsent.pending + unsent.failed, "writes to send,", unsent.rejected, "refused by the server")
    // End of example
}

private func pauseReasonExample(outbox: Outbox) {
    // Example of PauseReason
    for reason in outbox.status.pauses {
        switch reason {
        case .offline: break  // the writes are sent when the network is back
        case .signInExpired(let account): print("sign in again as", account ?? "the same user")
        default: print(reason)  // one line for the user
        }
    }
    // End of example
}
