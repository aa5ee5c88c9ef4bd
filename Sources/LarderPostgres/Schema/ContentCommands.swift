#if Postgres
extension PostgresSchema {
    /// The triggers that log changes of resources, and the functions for whole resources and for the log.
    static let contentCommands = [
        #"""
        CREATE FUNCTION larder.check_resource() RETURNS trigger LANGUAGE plpgsql
        SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
            IF TG_OP = 'INSERT' THEN
                NEW.published := NULL;
                NEW.published_at := NULL;
            ELSE
                IF NEW.resource_group <> OLD.resource_group OR NEW.resource_id <> OLD.resource_id THEN
                    RAISE EXCEPTION '%/% cannot be renamed', OLD.resource_group, OLD.resource_id
                        USING ERRCODE = 'LR012', HINT = 'Insert a resource of the new name and delete this one.';
                END IF;
                IF NEW.is_public <> OLD.is_public THEN
                    NEW.published := NULL;
                    NEW.published_at := NULL;
                END IF;
            END IF;
            IF NEW.is_public THEN NEW.reason := NULL; END IF;
            RETURN NEW;
        END $$
        """#,
        #"""
        CREATE TRIGGER check_resource BEFORE INSERT OR UPDATE ON larder.resources
            FOR EACH ROW EXECUTE FUNCTION larder.check_resource()
        """#,
        #"""
        CREATE FUNCTION larder.refuse_published() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION '%/%: published is set at COMMIT only', OLD.resource_group, OLD.resource_id
                USING ERRCODE = 'LR014', HINT = 'Change is_public.';
        END $$
        """#,
        #"""
        -- Depth 0 is a program's own statement; the numbering is a trigger itself.
        CREATE TRIGGER check_published BEFORE UPDATE ON larder.resources FOR EACH ROW
            WHEN (pg_trigger_depth() = 0 AND (NEW.published IS DISTINCT FROM OLD.published
                OR NEW.published_at IS DISTINCT FROM OLD.published_at))
            EXECUTE FUNCTION larder.refuse_published()
        """#,
        #"""
        CREATE FUNCTION larder.log_resource() RETURNS trigger LANGUAGE plpgsql
        SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
            IF TG_OP = 'INSERT' THEN
                IF NOT EXISTS (SELECT FROM larder.group_names g WHERE g.name = NEW.resource_group) THEN
                    INSERT INTO larder.group_names VALUES (NEW.resource_group) ON CONFLICT DO NOTHING;
                END IF;
                IF NEW.is_public THEN
                    PERFORM larder.log(4, NEW.resource_group, NEW.resource_id, NULL, NULL, NULL, NULL);
                END IF;
            ELSIF TG_OP = 'DELETE' THEN
                IF OLD.is_public THEN
                    PERFORM larder.log(6, OLD.resource_group, OLD.resource_id, NULL, NULL, NULL, NULL);
                END IF;
            ELSIF NEW.is_public AND NOT OLD.is_public THEN
                PERFORM larder.log(4, NEW.resource_group, NEW.resource_id, NULL, NULL, NULL, NULL);
            ELSIF OLD.is_public AND NOT NEW.is_public THEN
                PERFORM larder.log(6, NEW.resource_group, NEW.resource_id, NULL, NULL, NULL, NEW.reason);
            END IF;
            RETURN NULL;
        END $$
        """#,
        #"""
        CREATE TRIGGER log_resource AFTER INSERT OR UPDATE OR DELETE ON larder.resources
            FOR EACH ROW EXECUTE FUNCTION larder.log_resource()
        """#,
        #"""
        -- Deletes all rows of a resource; the transaction then inserts the new ones. A public resource gets one RESOURCE_INVALIDATE,
        -- and nothing is logged of rows up to COMMIT: clients fetch a snapshot, which they get no sooner than that.
        -- Returns whether it is public.
        CREATE FUNCTION larder.replace_rows(replaced_group text, replaced_id bigint) RETURNS boolean LANGUAGE plpgsql
        SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
            is_public boolean;
        BEGIN
            SELECT r.is_public INTO is_public FROM larder.resources r
                WHERE r.resource_group = replaced_group AND r.resource_id = replaced_id FOR NO KEY UPDATE;
            IF NOT FOUND THEN
                RAISE EXCEPTION 'there is no resource %/%', replaced_group, replaced_id USING ERRCODE = 'LR010';
            END IF;
            IF is_public THEN PERFORM larder.log(5, replaced_group, replaced_id, NULL, NULL, NULL, NULL); END IF;
            DELETE FROM larder.rows r WHERE r.resource_group = replaced_group AND r.resource_id = replaced_id;
            RETURN is_public;
        END $$
        """#,
        #"""
        -- Confirms a public resource: RESOURCE_UPDATE.
        CREATE FUNCTION larder.touch(touched_group text, touched_id bigint) RETURNS void LANGUAGE plpgsql
        SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
            is_public boolean;
        BEGIN
            SELECT r.is_public INTO is_public FROM larder.resources r
                WHERE r.resource_group = touched_group AND r.resource_id = touched_id FOR SHARE;
            IF NOT FOUND THEN
                RAISE EXCEPTION 'there is no resource %/%', touched_group, touched_id USING ERRCODE = 'LR010';
            END IF;
            IF NOT is_public THEN
                RAISE EXCEPTION '%/% is hidden', touched_group, touched_id USING ERRCODE = 'LR011', HINT = 'Publish it first.';
            END IF;
            PERFORM larder.log(7, touched_group, touched_id, NULL, NULL, NULL, NULL);
        END $$
        """#,
        #"""
        -- Forgets the changes below a number. Deletes at most so many of those that earlier calls forgot, whole commits in the end.
        -- Returns whether some are left: then repeat, in a transaction of its own.
        CREATE FUNCTION larder.remove_changes(before bigint, most bigint DEFAULT 10000) RETURNS boolean LANGUAGE plpgsql
        SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
            old larder.commits;
            forgotten bigint := (SELECT h.removed_through FROM larder.head h);
            removed bigint := 0;
            step bigint;
        BEGIN
            FOR old IN
                SELECT * FROM larder.commits c WHERE c.first <= forgotten AND c.first + c.count - 1 <= forgotten
                ORDER BY c.first LIMIT most FOR UPDATE SKIP LOCKED
            LOOP
                EXIT WHEN removed >= most;
                DELETE FROM larder.changes c WHERE c.commit = old.commit AND c.n IN (
                    SELECT x.n FROM larder.changes x WHERE x.commit = old.commit ORDER BY x.n LIMIT most - removed);
                GET DIAGNOSTICS step = ROW_COUNT;
                removed := removed + step;
                IF NOT EXISTS (SELECT FROM larder.changes c WHERE c.commit = old.commit) THEN
                    DELETE FROM larder.commits c WHERE c.commit = old.commit;
                END IF;
            END LOOP;
            -- Last, so that commits do not wait for the deletion.
            UPDATE larder.head SET removed_through = least(greatest(before, 1) - 1, sequence)
                WHERE least(greatest(before, 1) - 1, sequence) > removed_through;
            RETURN EXISTS (
                SELECT FROM larder.commits c, larder.head h
                WHERE c.first <= h.removed_through AND c.first + c.count - 1 <= h.removed_through);
        END $$
        """#,
        #"""
        -- Makes every token and cursor invalid. Needed also when numbers may be given a second time: after a restore of an older
        -- database, or a failover that lost commits.
        CREATE FUNCTION larder.invalidate_tokens() RETURNS void LANGUAGE sql
        SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
            UPDATE larder.head SET epoch = epoch + 1
        $$
        """#,
        #"""
        -- Else anyone who may use the schema could put these triggers on a table of his own, and forge the log.
        REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA larder FROM PUBLIC
        """#,
        #"""
        GRANT EXECUTE ON FUNCTION larder.number_changes TO PUBLIC
        """#,
    ]
}
#endif
