CREATE TABLE IF NOT EXISTS stock (
  strategy   VARCHAR(16) PRIMARY KEY,
  run        BIGINT      NOT NULL, -- grows with every reset
  total      INT         NOT NULL,
  units_left INT         NOT NULL,
  fence      BIGINT      NOT NULL  -- highest token that changed this row
);

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

CREATE TABLE IF NOT EXISTS products (
  id    BIGINT PRIMARY KEY,
  name  VARCHAR(64) NOT NULL,
  cents INT         NOT NULL
);

MERGE INTO products (id, name, cents)
  SELECT x, 'Product ' || x, 495 + MOD(x * 37, 5000) FROM SYSTEM_RANGE(1, 2000);
