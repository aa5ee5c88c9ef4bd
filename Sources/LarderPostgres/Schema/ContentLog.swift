#if Postgres
extension PostgresSchema {
    /// The triggers that log changes of rows, and number them at the commit.
    static let contentLog = [
        #"""
        -- Logs a change. It gets its number at COMMIT: other transactions need not wait, and readers see numbers in order without a gap.
        -- All state is in tables, so savepoints undo it and nothing is left in a session.
        CREATE FUNCTION larder.log(
            kind integer, changed_group text, changed_id bigint, type text, key text, body json, reason text
        ) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE
            open bigint;
            now bigint := extract(epoch FROM clock_timestamp()) * 1000;
        BEGIN
            SELECT c.commit INTO open FROM larder.commits c WHERE c.transaction = pg_current_xact_id() AND c.first IS NULL;
            IF FOUND THEN
                -- Clients will fetch a snapshot made after this transaction, so it has these rows already.
                IF kind <= 3 AND EXISTS (
                    SELECT FROM larder.changes c
                    WHERE c.commit = open AND c.resource_group = changed_group AND c.resource_id = changed_id AND c.kind IN (4, 5))
                THEN RETURN;
                END IF;
                INSERT INTO larder.changes VALUES (
                    open, (SELECT c.n + 1 FROM larder.changes c WHERE c.commit = open ORDER BY c.n DESC LIMIT 1),
                    kind, changed_group, changed_id, type, key, body, reason, now);
            ELSE
                -- The change first: with SET CONSTRAINTS ALL IMMEDIATE the commit is numbered as soon as it is there.
                open := nextval('larder.commit_ids');
                INSERT INTO larder.changes VALUES (open, 0, kind, changed_group, changed_id, type, key, body, reason, now);
                INSERT INTO larder.commits (commit, transaction) VALUES (open, pg_current_xact_id());
            END IF;
        END $$
        """#,
        #"""
        -- Numbers the changes of a commit. The row of head is locked from here to the end of the transaction.
        CREATE FUNCTION larder.number_commit() RETURNS trigger LANGUAGE plpgsql
        SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
            total bigint := (SELECT c.n + 1 FROM larder.changes c WHERE c.commit = NEW.commit ORDER BY c.n DESC LIMIT 1);
            last bigint;
        BEGIN
            -- A crash must not take back a number that a client has seen.
            IF current_setting('synchronous_commit') = 'off' THEN PERFORM set_config('synchronous_commit', 'on', true); END IF;
            UPDATE larder.head SET sequence = sequence + total RETURNING sequence INTO last;
            UPDATE larder.commits SET first = last - total + 1, count = total WHERE commit = NEW.commit;
            UPDATE larder.resources r SET published = last - total + 1 + c.n, published_at = c.changed_at
                FROM (
                    SELECT DISTINCT ON (x.resource_group, x.resource_id) x.* FROM larder.changes x
                    WHERE x.commit = NEW.commit AND x.kind = 4
                    ORDER BY x.resource_group, x.resource_id, x.n DESC) c
                WHERE r.resource_group = c.resource_group AND r.resource_id = c.resource_id AND r.is_public;
            RETURN NULL;
        END $$
        """#,
        #"""
        CREATE CONSTRAINT TRIGGER number_commit AFTER INSERT ON larder.commits DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW WHEN (NEW.first IS NULL) EXECUTE FUNCTION larder.number_commit()
        """#,
        #"""
        -- Numbers the changes of the current transaction now, and returns the number of the latest change. Others that change
        -- content wait from then on, so this is the last step before COMMIT; changes that follow are numbered at COMMIT.
        CREATE FUNCTION larder.number_changes() RETURNS bigint LANGUAGE plpgsql
        SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
            SET CONSTRAINTS larder.number_commit IMMEDIATE;
            SET CONSTRAINTS larder.number_commit DEFERRED;
            RETURN (SELECT h.sequence FROM larder.head h);
        END $$
        """#,
        #"""
        -- The lock makes a change of a row wait for a command that hides or publishes its resource, and the other way round.
        -- Otherwise it could be numbered after the RESOURCE_DELETE, or be in no snapshot and not in the log either.
        CREATE FUNCTION larder.log_row() RETURNS trigger LANGUAGE plpgsql
        SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
            kind integer := CASE TG_OP WHEN 'INSERT' THEN 1 WHEN 'UPDATE' THEN 2 ELSE 3 END;
            is_public boolean;
        BEGIN
            IF TG_OP = 'UPDATE' THEN
                IF (NEW.resource_group, NEW.resource_id, NEW.record_type, NEW.record_key)
                    <> (OLD.resource_group, OLD.resource_id, OLD.record_type, OLD.record_key)
                THEN kind := 1;
                END IF;
            END IF;
            IF TG_OP = 'DELETE' OR TG_OP = 'UPDATE' AND kind = 1 THEN
                SELECT r.is_public INTO is_public FROM larder.resources r
                    WHERE r.resource_group = OLD.resource_group AND r.resource_id = OLD.resource_id FOR SHARE;
                -- Without a resource, the row is deleted because that is, and the log has its RESOURCE_DELETE.
                IF is_public THEN
                    PERFORM larder.log(3, OLD.resource_group, OLD.resource_id, OLD.record_type, OLD.record_key, NULL, NULL);
                END IF;
            END IF;
            IF TG_OP <> 'DELETE' THEN
                SELECT r.is_public INTO is_public FROM larder.resources r
                    WHERE r.resource_group = NEW.resource_group AND r.resource_id = NEW.resource_id FOR SHARE;
                IF is_public THEN
                    PERFORM larder.log(
                        kind, NEW.resource_group, NEW.resource_id, NEW.record_type, NEW.record_key, NEW.body, NULL);
                END IF;
            END IF;
            RETURN NULL;
        END $$
        """#,
        #"""
        CREATE TRIGGER log_row AFTER INSERT OR UPDATE OR DELETE ON larder.rows
            FOR EACH ROW EXECUTE FUNCTION larder.log_row()
        """#,
    ]
}
#endif
