CREATE TABLE IF NOT EXISTS sluice_locks (
  name VARCHAR(1536) COLLATE "C" NOT NULL PRIMARY KEY,
  version BIGINT NOT NULL,
  fence BIGINT NOT NULL,
  client VARCHAR(64) COLLATE "C",
  attempt BIGINT NOT NULL,
  token BIGINT NOT NULL,
  block INTEGER NOT NULL,
  ttl BIGINT NOT NULL,
  since BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  pending SMALLINT NOT NULL,
  wanted SMALLINT NOT NULL,
  last_use BIGINT NOT NULL,
  over_client VARCHAR(64) COLLATE "C",
  over_attempt BIGINT NOT NULL,
  over_at BIGINT NOT NULL,
  waiting INTEGER NOT NULL,
  rest BYTEA
) WITH (fillfactor = 50);

CREATE TABLE IF NOT EXISTS sluice_states (
  kind VARCHAR(16) COLLATE "C" NOT NULL,
  name VARCHAR(1536) COLLATE "C" NOT NULL,
  version BIGINT NOT NULL,
  state BYTEA NOT NULL,
  forget_at BIGINT NOT NULL,
  PRIMARY KEY (kind, name)
) WITH (fillfactor = 50)
