-- For H2 in its PostgreSQL mode, and for PostgreSQL. Safe to run by every instance at every start.

CREATE TABLE IF NOT EXISTS stock (
  strategy   VARCHAR(16) PRIMARY KEY,
  run        BIGINT      NOT NULL, -- grows with every reset
  total      INT         NOT NULL,
  units_left INT         NOT NULL,
  fence      BIGINT      NOT NULL  -- highest token that changed this row
);

ALTER TABLE stock ADD COLUMN IF NOT EXISTS version BIGINT DEFAULT 0 NOT NULL;
ALTER TABLE stock ADD COLUMN IF NOT EXISTS
  opened TIMESTAMP(3) WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL; -- when its buyers came

CREATE TABLE IF NOT EXISTS orders (
  id       BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  strategy VARCHAR(16) NOT NULL,
  run      BIGINT      NOT NULL,
  token    BIGINT,
  instance VARCHAR(64) NOT NULL,
  at       TIMESTAMP(3) WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL
);

CREATE INDEX IF NOT EXISTS orders_of_a_run ON orders (strategy, run, instance);

CREATE TABLE IF NOT EXISTS instances (
  url  VARCHAR(64) PRIMARY KEY,
  seen TIMESTAMP(3) WITH TIME ZONE NOT NULL
);

-- The crowds that an instance sends: one row at most.
CREATE TABLE IF NOT EXISTS loads (
  id      INT PRIMARY KEY,
  url     VARCHAR(64) NOT NULL, -- of the instance
  stopped BOOLEAN     NOT NULL, -- asked for by any instance
  seen    TIMESTAMP(3) WITH TIME ZONE NOT NULL
);

CREATE TABLE IF NOT EXISTS products (
  id    BIGINT PRIMARY KEY,
  name  VARCHAR(64) NOT NULL,
  cents INT         NOT NULL
);

INSERT INTO products (id, name, cents)
  SELECT x, 'Product ' || x, 495 + MOD(x * 37, 5000) FROM GENERATE_SERIES(1, 2000) AS numbers (x)
  ON CONFLICT DO NOTHING;

-- The sale on limited stock. The row of the stock never goes below zero, whoever asks.
CREATE TABLE IF NOT EXISTS sale_stock (
  sale       VARCHAR(64) PRIMARY KEY,
  total      BIGINT      NOT NULL,
  units_left BIGINT      NOT NULL CHECK (units_left >= 0)
);

-- What all instances sign sale tokens with, unless they are told a key.
CREATE TABLE IF NOT EXISTS sale_keys (
  id   INT PRIMARY KEY,
  text VARCHAR(64) NOT NULL
);

-- One row for each admission that was drained: an order, or a rejection.
CREATE TABLE IF NOT EXISTS sale_orders (
  sale       VARCHAR(64)  NOT NULL,
  claim_id   BIGINT       NOT NULL,
  claimant   VARCHAR(512) NOT NULL,
  request    VARCHAR(128) NOT NULL,
  quantity   INT          NOT NULL,
  state      VARCHAR(9)   DEFAULT 'PENDING' NOT NULL, -- PENDING, PAID, CANCELLED, REJECTED
  live       INT          DEFAULT 1,                  -- null once it has no units: a buyer has one live order
  reason     VARCHAR(200) DEFAULT '' NOT NULL,
  written_at TIMESTAMP(6) WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (sale, claim_id),
  UNIQUE (sale, claimant, live)
);
