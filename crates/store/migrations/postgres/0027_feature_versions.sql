-- Another value after every change of an organization's features, whichever program makes it. The key is the organization. A server
-- uses the features that it has in memory only if this is the version that it read them at.
CREATE TABLE feature_versions (
    id UUID NOT NULL PRIMARY KEY,
    version UUID NOT NULL
);

INSERT INTO feature_versions (id, version)
SELECT organization_id, gen_random_uuid() FROM features GROUP BY organization_id;

CREATE FUNCTION change_feature_version() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO feature_versions (id, version)
    VALUES (COALESCE(NEW.organization_id, OLD.organization_id), gen_random_uuid())
    ON CONFLICT (id) DO UPDATE SET version = excluded.version;
    RETURN NULL;
END
$$;

CREATE TRIGGER feature_changed AFTER INSERT OR UPDATE OR DELETE ON features
FOR EACH ROW EXECUTE FUNCTION change_feature_version();
