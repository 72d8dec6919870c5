-- A database as the fifth version wrote it. Never changed: newer versions must read it.
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES ('v1'), ('v2'), ('v3'), ('v4'), ('v5');
CREATE TABLE app (
    name TEXT NOT NULL PRIMARY KEY,
    source TEXT NOT NULL CHECK (source IN ('manifest', 'desktop', 'bare')),
    words TEXT NOT NULL CHECK (json_valid(words)),
    directory TEXT,
    position INTEGER NOT NULL,
    removed INTEGER NOT NULL CHECK (removed IN (0, 1)),
    launches INTEGER NOT NULL,
    restart_pause INTEGER,
    restart_due INTEGER,
    restored_ends INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE run (
    app TEXT NOT NULL REFERENCES app (name) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    began INTEGER NOT NULL,
    ended INTEGER,
    reason TEXT,
    status INTEGER,
    signal INTEGER,
    cpu INTEGER,
    peak INTEGER,
    was_in_front INTEGER NOT NULL CHECK (was_in_front IN (0, 1)),
    pid INTEGER NOT NULL,
    PRIMARY KEY (app, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_by_began ON run (began);
CREATE TABLE meta (
    key TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE notification (
    app TEXT NOT NULL,
    id TEXT NOT NULL,
    moment INTEGER,
    civil TEXT,
    zone TEXT,
    repetition TEXT,
    passed INTEGER NOT NULL,
    content TEXT NOT NULL CHECK (json_valid(content)),
    PRIMARY KEY (app, id),
    CHECK ((moment IS NULL) = (civil IS NOT NULL) AND (civil IS NULL) = (zone IS NULL))
) STRICT, WITHOUT ROWID;
CREATE TABLE badge (
    app TEXT NOT NULL PRIMARY KEY,
    count INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE fetch (
    app TEXT NOT NULL PRIMARY KEY,
    interval INTEGER,
    last INTEGER,
    fruitless INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE opening (
    app TEXT NOT NULL,
    time INTEGER NOT NULL,
    shown TEXT NOT NULL,
    PRIMARY KEY (app, time)
) STRICT, WITHOUT ROWID;
CREATE TABLE push (
    app TEXT NOT NULL,
    number INTEGER NOT NULL,
    received INTEGER NOT NULL,
    apns_id TEXT,
    silent INTEGER NOT NULL CHECK (silent IN (0, 1)),
    delivered INTEGER,
    payload TEXT NOT NULL,
    PRIMARY KEY (app, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE request (
    app TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    earliest INTEGER,
    needs_network INTEGER NOT NULL CHECK (needs_network IN (0, 1)),
    needs_power INTEGER NOT NULL CHECK (needs_power IN (0, 1)),
    submitted INTEGER NOT NULL,
    PRIMARY KEY (app, id)
) STRICT, WITHOUT ROWID;
INSERT INTO app VALUES ('backup', 'bare', '{"command":["rsync","-a","a b","c"],"options":["--budget","10m"]}', '/srv', 1, 1, 2, 4000000, NULL, 0);
INSERT INTO app VALUES ('mail', 'manifest', '{"command":["/usr/bin/mail","--sync"],"options":[]}', NULL, 2, 0, 1, NULL, NULL, 1);
INSERT INTO run VALUES ('backup', 1, 1700000000000000, 1700000030000000, 'exited', 0, NULL, 20000, 1048576, 1, 100);
INSERT INTO run VALUES ('backup', 2, 1700000040000000, 1700000060000000, 'memory-limit', NULL, 9, 1500000, 104857600, 0, 101);
INSERT INTO run VALUES ('mail', 1, 1700000050000000, NULL, NULL, NULL, NULL, NULL, NULL, 1, 102);
INSERT INTO notification VALUES ('mail', 'n1', NULL, '2096-07-01T08:00:00', 'Europe/Berlin', 'daily', 1, '{"title":"a \"title\"\n","body":"🐟","action":"Open","badge":3,"info":[]}');
INSERT INTO notification VALUES ('news', 'n2', 1800000000000002, NULL, NULL, NULL, 2, '{"title":"a \"title\"\n","body":"🐟","sound":"bell","info":[["a",""],["b","c d"]]}');
INSERT INTO badge VALUES ('mail', 3);
INSERT INTO fetch VALUES ('mail', 3600000000, 1800000000000000, 2);
INSERT INTO fetch VALUES ('news', NULL, NULL, 0);
INSERT INTO opening VALUES ('mail', 1700000000000000, '2023-11-14T23:13:20');
INSERT INTO push VALUES ('mail', 1, 1700000000000000, '7f3a', 1, 1700000000000001, '{"aps":{"content-available":1}}');
INSERT INTO push VALUES ('news', 2, 1700000000000000, NULL, 0, NULL, '{"aps":{"alert":"a"}}');
INSERT INTO request VALUES ('mail', 'inbox', 'refresh', NULL, 0, 0, 1700000000000001);
INSERT INTO request VALUES ('backup', 'nightly', 'processing', 1800000000000000, 1, 1, 1700000000000000);
INSERT INTO meta VALUES ('boot', '00000000-0000-0000-0000-000000000000');
PRAGMA application_id = 1129465431;
