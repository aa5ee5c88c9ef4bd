#if Postgres
extension PostgresSchema {
    /// The trigger that checks rows, and names them in their bodies: the rules of `GroupRules` for every program.
    static let contentChecks = [
        #"""
        -- Returns how deep arrays and objects are nested in a JSON text.
        CREATE FUNCTION larder.depth(body text) RETURNS bigint LANGUAGE sql IMMUTABLE
        SET search_path = pg_catalog, pg_temp AS $$
            SELECT max(d) FROM (
                SELECT sum(CASE WHEN b IN ('{', '[') THEN 1 ELSE -1 END) OVER (ORDER BY i) AS d
                FROM string_to_table(regexp_replace(regexp_replace(body, '"([^"\\]|\\.)*"', '', 'g'), '[^][{}]', '', 'g'), NULL)
                    WITH ORDINALITY AS t (b, i)) AS x
        $$
        """#,
        #"""
        -- Checks that clients find a row's name in its body, and inserts the name in front where the group's rows carry it.
        -- Locks the resource before the row, as commands for whole resources do.
        CREATE FUNCTION larder.check_row() RETURNS trigger LANGUAGE plpgsql
        SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
            resource text := NEW.resource_group || '/' || NEW.resource_id;
            row_name text := NEW.record_type || ' ' || NEW.record_key;
            rules larder.groups;
            body text := NEW.body;
            parsed json := NEW.body;
            names text[];
            vals text[];
            distinct_names bigint;
            longest bigint;
            value text;
            part text;
            derived text;
            states_type boolean;
            states_key boolean;
        BEGIN
            PERFORM FROM larder.resources r
                WHERE r.resource_group = NEW.resource_group AND r.resource_id = NEW.resource_id FOR SHARE;
            IF NOT FOUND THEN
                RAISE EXCEPTION 'there is no resource %', coalesce(resource, 'without a name')
                    USING ERRCODE = 'LR010', HINT = 'Insert it into larder.resources before its rows.';
            END IF;
            IF coalesce(NEW.record_type, '') = '' OR coalesce(NEW.record_key, '') = '' THEN
                RAISE EXCEPTION '%: a row needs a type and a key', resource USING ERRCODE = 'LR001';
            END IF;
            IF octet_length(NEW.record_type) > 100 OR octet_length(NEW.record_key) > 255 OR octet_length(body) > 8388608 THEN
                RAISE EXCEPTION '%: % is more than a client could store', resource, left(row_name, 400)
                    USING ERRCODE = 'LR006', HINT = 'At most 100 bytes of a type, 255 of a key, and 8 MiB of a body.';
            END IF;
            IF parsed IS NULL THEN RETURN NEW; END IF;
            IF json_typeof(parsed) <> 'object' THEN
                RAISE EXCEPTION '%: the body of % is no JSON object', resource, row_name USING ERRCODE = 'LR002';
            END IF;
            -- The limit of nesting that clients are sure to read. Few bodies have that many brackets at all.
            IF length(body) - length(translate(body, '{[', '')) > 120 THEN
                IF larder.depth(body) > 120 THEN
                    RAISE EXCEPTION '%: the body of % is nested too deep', resource, row_name
                        USING ERRCODE = 'LR002', HINT = 'At most 120 levels are served.';
                END IF;
            END IF;
            -- The functions below cannot read the escape of U+0000, which is valid JSON: they get a text that stands for it.
            IF strpos(body, '\u0000') > 0 THEN
                IF strpos(NEW.record_type || NEW.record_key, '\u0000') > 0 THEN
                    RAISE EXCEPTION '%: the name of % looks like the escape of U+0000', resource, row_name
                        USING ERRCODE = 'LR001';
                END IF;
                parsed := regexp_replace(body, '(?<!\\)((?:\\\\)*)\\u0000', '\1\\\\u0000', 'g');
            END IF;
            IF body ~ '\\u[dD][89a-fA-F]' THEN
                BEGIN
                    PERFORM json_object_keys(parsed);
                EXCEPTION WHEN data_exception THEN
                    RAISE EXCEPTION '%: the body of % contains half a surrogate pair', resource, row_name USING ERRCODE = 'LR002';
                END;
            END IF;
            SELECT array_agg(e.key), array_agg(e.value::text), count(DISTINCT e.key COLLATE "C"), max(octet_length(e.key))
                INTO names, vals, distinct_names, longest FROM json_each(parsed) e;
            IF distinct_names < cardinality(names) OR longest > 65536 THEN
                RAISE EXCEPTION '%: the body of % has two members with one name, or a name too long', resource, row_name
                    USING ERRCODE = 'LR002';
            END IF;
            value := vals[array_position(names, 'record_type')];
            states_type := value IS NOT NULL;
            IF states_type AND (value NOT LIKE '"%' OR value::json #>> '{}' <> NEW.record_type) THEN
                RAISE EXCEPTION '%: the body of % names another type', resource, row_name
                    USING ERRCODE = 'LR003', HINT = 'Leave record_type out of the body, or set it to the row''s.';
            END IF;
            value := vals[array_position(names, 'record_key')];
            states_key := value IS NOT NULL;
            IF states_key AND (value NOT LIKE '"%' OR value::json #>> '{}' <> NEW.record_key) THEN
                RAISE EXCEPTION '%: the body of % names another key', resource, row_name
                    USING ERRCODE = 'LR003', HINT = 'Leave record_key out of the body, or set it to the row''s.';
            END IF;
            SELECT * INTO rules FROM larder.groups g WHERE g.name = NEW.resource_group;
            IF NOT FOUND THEN rules.carries_record_type := true; END IF;
            IF NOT rules.carries_record_type AND NOT states_type AND NEW.record_type <> rules.default_record_type THEN
                RAISE EXCEPTION '%: snapshots of this group would not contain the type of %', resource, row_name
                    USING ERRCODE = 'LR004', HINT = 'The type must be ' || rules.default_record_type || ', or in the body.';
            END IF;
            IF rules.key_members IS NOT NULL AND NOT states_key THEN
                FOR i IN 1 .. cardinality(rules.key_members) LOOP
                    value := vals[array_position(names, rules.key_members[i])];
                    part := NULL;
                    IF value LIKE '"%' THEN part := value::json #>> '{}';
                    ELSIF value ~ '^-?[0-9]{1,19}$' THEN
                        -- Integers of 64 bits are what clients read.
                        IF value::numeric BETWEEN -9223372036854775808 AND 9223372036854775807 THEN part := value::numeric; END IF;
                    END IF;
                    derived := CASE i WHEN 1 THEN part ELSE derived || '-' || part END;
                END LOOP;
                IF derived IS DISTINCT FROM NEW.record_key THEN
                    RAISE EXCEPTION '%: snapshots of this group would not contain the key of %', resource, row_name
                        USING ERRCODE = 'LR005', HINT = 'The body must contain the key as '
                            || array_to_string(rules.key_members, '-') || ', or as record_key.';
                END IF;
            END IF;
            states_type := states_type OR NOT rules.carries_record_type;
            states_key := states_key OR rules.key_members IS NOT NULL;
            IF NOT states_type OR NOT states_key THEN
                NEW.body := '{' || concat_ws(',',
                    CASE WHEN NOT states_type THEN '"record_type":' || to_json(NEW.record_type) END,
                    CASE WHEN NOT states_key THEN '"record_key":' || to_json(NEW.record_key) END)
                    || CASE WHEN names IS NULL THEN '' ELSE ',' END || substr(body, strpos(body, '{') + 1);
            END IF;
            -- Snapshots are read by positions, which therefore are nobody's choice. A row of another name is another row, which
            -- goes to the end.
            IF TG_OP = 'INSERT' THEN NEW.position := nextval('larder.rows_position_seq');
            ELSE
                IF (NEW.resource_group, NEW.resource_id, NEW.record_type, NEW.record_key)
                    <> (OLD.resource_group, OLD.resource_id, OLD.record_type, OLD.record_key)
                THEN NEW.position := nextval('larder.rows_position_seq');
                END IF;
            END IF;
            RETURN NEW;
        END $$
        """#,
        #"""
        CREATE TRIGGER check_row BEFORE INSERT OR UPDATE ON larder.rows
            FOR EACH ROW EXECUTE FUNCTION larder.check_row()
        """#,
        #"""
        CREATE FUNCTION larder.refuse_truncate() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION 'TRUNCATE of larder.% would be in no log', TG_TABLE_NAME
                USING ERRCODE = 'LR013', HINT = 'Use DELETE, or larder.replace_rows.';
        END $$
        """#,
        #"""
        CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON larder.rows EXECUTE FUNCTION larder.refuse_truncate()
        """#,
        #"""
        CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON larder.resources EXECUTE FUNCTION larder.refuse_truncate()
        """#,
    ]
}
#endif
