internal import LarderFormat
internal import LarderStore

// The secrets of a session, and the names of them in the store.
extension Session {
    /// Stores the secret values, their names first, so that an unreferenced secret can still be found and removed.
    func storeSecrets(_ values: [SessionValue], of account: String) async throws {
        let secretValues = values.filter(\.isSecret)
        if secretValues.isEmpty { return }
        guard secrets != nil else { throw SessionError.noSecretStore(secrets: secretValues.count) }
        if !secretValues.allSatisfy({ stored?.hasSecret(named: $0.name) == true }) {
            let now = store.host.now()
            try await commit { stored, _ in
                var session = stored ?? StoredSession(state: .signedOut, account: nil, changedAt: now, signedInAt: now)
                if session.account == nil { session.account = account }
                for value in secretValues { session.addSecretName(value.name) }
                stored = session
            }
        }
        for value in secretValues {
            try await setSecret(value.content, SecretName(account: account, name: value.name))
        }
    }

    func removeLeftoverSecrets() async {
        _ = try? await serialized { session in
            if session.state == .signedOut { try await session.removeSecrets() }
        }
    }

    /// Removes the secrets of the account that has signed out.
    func removeSecrets() async throws {
        guard let stored, stored.state == .signedOut, let account = stored.account else { return }
        // Without a secret store to remove them from, the host has removed it and the secrets with it.
        for name in stored.secretNames where secrets != nil {
            try await setSecret(nil, SecretName(account: account, name: name))
        }
        try await commit { session, _ in
            guard session?.state == .signedOut else { return }
            for name in stored.secretNames { session?.removeSecretName(name) }
            session?.account = nil
        }
    }

    func setSecret(_ content: [UInt8]?, _ name: SecretName) async throws {
        guard let secrets else { return }
        try await Self.mappingErrors { try await secrets.setSecret(content, name) }
    }

    static func mappingErrors<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch {
            throw SessionError.secretStoreFailed(reason: "\(type(of: error))")
        }
    }
}
