#if Postgres
extension PostgresSchema {
    /// The tables of content: what is published, and the log of its changes.
    static let contentTables = [
        #"""
        -- The number of the latest change, the changes forgotten, and what tokens are signed with. Its row is locked only at COMMIT.
        CREATE TABLE larder.head (
            only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
            sequence bigint NOT NULL DEFAULT 0,
            removed_through bigint NOT NULL DEFAULT 0,
            epoch bigint NOT NULL DEFAULT 0,
            secret bytea NOT NULL CHECK (octet_length(secret) = 16),
            schema_version bigint NOT NULL DEFAULT 1,
            CHECK (removed_through BETWEEN 0 AND sequence)) WITH (fillfactor = 10)
        """#,
        #"""
        -- The hash leaves no trace of the bits that are the same in every UUID.
        INSERT INTO larder.head (secret)
            VALUES (substr(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 1, 16))
        """#,
        #"""
        -- The rules for naming rows. A group without a row here has the default values.
        CREATE TABLE larder.groups (
            name text COLLATE "C" PRIMARY KEY CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$'),
            default_record_type text COLLATE "C",
            carries_record_type boolean NOT NULL DEFAULT true,
            key_members text[],
            carries_content_id boolean NOT NULL DEFAULT false,
            CHECK (carries_record_type OR default_record_type IS NOT NULL),
            CHECK (cardinality(key_members) > 0 AND array_position(key_members, NULL) IS NULL))
        """#,
        #"""
        -- Names of all groups that ever had a resource: a filter may name them after their last resource is gone.
        CREATE TABLE larder.group_names (name text COLLATE "C" PRIMARY KEY)
        """#,
        #"""
        -- published and published_at are of the RESOURCE_CREATE that made the resource public. COMMIT sets them.
        CREATE TABLE larder.resources (
            resource_group text COLLATE "C" CONSTRAINT resources_group CHECK (resource_group ~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$'),
            resource_id bigint CONSTRAINT resources_id CHECK (resource_id >= 1),
            is_public boolean NOT NULL DEFAULT true,
            reason text,
            published bigint,
            published_at bigint,
            PRIMARY KEY (resource_group, resource_id)) WITH (fillfactor = 50)
        """#,
        #"""
        CREATE UNIQUE INDEX resources_published ON larder.resources (published) WHERE published IS NOT NULL
        """#,
        #"""
        -- json keeps the bytes of a body. number is the value of a key that is a decimal number as such numbers are usually spelled.
        CREATE TABLE larder.rows (
            resource_group text COLLATE "C",
            resource_id bigint,
            record_type text COLLATE "C",
            record_key text COLLATE "C",
            body json NOT NULL,
            number bigint GENERATED ALWAYS AS (
                CASE WHEN record_key ~ '^(0|-?[1-9][0-9]{0,18})$' THEN
                    CASE WHEN record_key::numeric BETWEEN -9223372036854775808 AND 9223372036854775807
                        THEN record_key::bigint END END) STORED,
            position bigint GENERATED ALWAYS AS IDENTITY,
            PRIMARY KEY (resource_group, resource_id, record_type, record_key),
            CONSTRAINT rows_resource FOREIGN KEY (resource_group, resource_id) REFERENCES larder.resources ON DELETE CASCADE)
        """#,
        #"""
        CREATE INDEX rows_position ON larder.rows (resource_group, resource_id, position)
        """#,
        #"""
        CREATE INDEX rows_list ON larder.rows (resource_group, resource_id, number NULLS LAST, record_key, record_type)
        """#,
        #"""
        -- The changes of a transaction have the numbers from first on. A transaction has an open commit, without a number, or none.
        CREATE TABLE larder.commits (
            commit bigint PRIMARY KEY,
            transaction xid8 NOT NULL,
            first bigint UNIQUE,
            count bigint,
            CHECK ((first IS NULL) = (count IS NULL)))
        """#,
        #"""
        CREATE UNIQUE INDEX commits_open ON larder.commits (transaction) WHERE first IS NULL
        """#,
        #"""
        CREATE SEQUENCE larder.commit_ids OWNED BY larder.commits.commit
        """#,
        #"""
        -- kind: 1 ROW_CREATE, 2 ROW_UPDATE, 3 ROW_DELETE, 4 RESOURCE_CREATE, 5 RESOURCE_INVALIDATE, 6 RESOURCE_DELETE, 7 RESOURCE_UPDATE.
        -- The number of a change is first + n.
        CREATE TABLE larder.changes (
            commit bigint,
            n bigint,
            kind smallint NOT NULL CHECK (kind BETWEEN 1 AND 7),
            resource_group text COLLATE "C" NOT NULL,
            resource_id bigint NOT NULL,
            record_type text COLLATE "C",
            record_key text COLLATE "C",
            body json,
            reason text,
            changed_at bigint NOT NULL,
            PRIMARY KEY (commit, n))
        """#,
        #"""
        -- The changes that make clients fetch a snapshot.
        CREATE INDEX changes_snapshot ON larder.changes (commit, resource_group, resource_id, n) WHERE kind IN (4, 5)
        """#,
    ]
}
#endif
