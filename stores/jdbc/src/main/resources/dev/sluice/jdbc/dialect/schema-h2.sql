CREATE TABLE IF NOT EXISTS sluice_locks (
  kind VARCHAR(16) NOT NULL,
  name VARBINARY(1536) NOT NULL,
  version BIGINT NOT NULL,
  fence BIGINT NOT NULL,
  capacity INTEGER NOT NULL,
  client VARCHAR(64),
  attempt BIGINT NOT NULL,
  units INTEGER NOT NULL,
  token BIGINT NOT NULL,
  block INTEGER NOT NULL,
  ttl BIGINT NOT NULL,
  since BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  pending SMALLINT NOT NULL,
  wanted SMALLINT NOT NULL,
  last_use BIGINT NOT NULL,
  over_client VARCHAR(64),
  over_attempt BIGINT NOT NULL,
  over_at BIGINT NOT NULL,
  waiting INTEGER NOT NULL,
  forget_at BIGINT NOT NULL,
  rest VARBINARY(1048576),
  PRIMARY KEY (kind, name)
);

CREATE TABLE IF NOT EXISTS sluice_states (
  kind VARCHAR(16) NOT NULL,
  name VARBINARY(1536) NOT NULL,
  version BIGINT NOT NULL,
  state VARBINARY(1048576) NOT NULL,
  forget_at BIGINT NOT NULL,
  PRIMARY KEY (kind, name)
);

CREATE TABLE IF NOT EXISTS sluice_stock (
  name VARBINARY(1536) NOT NULL PRIMARY KEY,
  epoch BIGINT NOT NULL,
  first_total BIGINT NOT NULL,
  hold BIGINT NOT NULL,
  drained SMALLINT NOT NULL,
  opens_at BIGINT NOT NULL,
  closes_at BIGINT NOT NULL,
  total BIGINT NOT NULL,
  closed SMALLINT NOT NULL,
  last_id BIGINT NOT NULL,
  claims BIGINT NOT NULL,
  returned BIGINT NOT NULL,
  waiting BIGINT NOT NULL,
  queued BIGINT NOT NULL,
  held BIGINT NOT NULL,
  confirmed BIGINT NOT NULL,
  set_aside BIGINT NOT NULL
);

CREATE TABLE IF NOT EXISTS sluice_claims (
  name VARBINARY(1536) NOT NULL,
  claimant VARBINARY(512) NOT NULL,
  epoch BIGINT NOT NULL,
  id BIGINT NOT NULL,
  quantity INTEGER NOT NULL,
  request VARBINARY(128) NOT NULL,
  state SMALLINT NOT NULL,
  turn BIGINT NOT NULL,
  claimed_at BIGINT NOT NULL,
  deliveries INTEGER NOT NULL,
  consumer VARBINARY(256) NOT NULL,
  reason VARBINARY(800) NOT NULL,
  PRIMARY KEY (name, claimant),
  UNIQUE (name, epoch, state, turn, id, claimant)
)
