-- Another value after every change of an organization's features, whichever program makes it. The key is the organization. A server
-- uses the features that it has in memory only if this is the version that it read them at.
CREATE TABLE feature_versions (
    id BLOB NOT NULL PRIMARY KEY,
    version BLOB NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO feature_versions (id, version)
SELECT organization_id, randomblob(16) FROM features GROUP BY organization_id;

CREATE TRIGGER feature_inserted AFTER INSERT ON features
BEGIN
    INSERT INTO feature_versions (id, version) VALUES (NEW.organization_id, randomblob(16))
    ON CONFLICT (id) DO UPDATE SET version = excluded.version;
END;

CREATE TRIGGER feature_updated AFTER UPDATE ON features
BEGIN
    INSERT INTO feature_versions (id, version) VALUES (NEW.organization_id, randomblob(16))
    ON CONFLICT (id) DO UPDATE SET version = excluded.version;
END;

CREATE TRIGGER feature_deleted AFTER DELETE ON features
BEGIN
    INSERT INTO feature_versions (id, version) VALUES (OLD.organization_id, randomblob(16))
    ON CONFLICT (id) DO UPDATE SET version = excluded.version;
END;
