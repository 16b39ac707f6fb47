WITH t AS MATERIALIZED (
  SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT) AS now
), wanted AS MATERIALIZED (
  SELECT CAST(? AS VARCHAR) AS client, CAST(? AS BIGINT) AS attempt, CAST(? AS INTEGER) AS block,
    CAST(? AS BIGINT) AS ttl, CAST(? AS VARCHAR) AS name, CAST(? AS BIGINT) AS version
)
UPDATE sluice_locks AS l SET
  version = l.version + 1,
  client = w.client,
  attempt = w.attempt,
  units = 1,
  token = GREATEST(l.fence + 1, t.now),
  block = GREATEST(1, LEAST(w.block, 100000 - (GREATEST(l.fence + 1, t.now) - t.now),
    9007199254740991 - GREATEST(l.fence + 1, t.now) + 1)),
  fence = GREATEST(l.fence + 1, t.now) - 1
    + GREATEST(1, LEAST(w.block, 100000 - (GREATEST(l.fence + 1, t.now) - t.now),
    9007199254740991 - GREATEST(l.fence + 1, t.now) + 1)),
  ttl = w.ttl,
  since = t.now,
  expires_at = t.now + w.ttl,
  pending = 0,
  wanted = 0,
  last_use = t.now,
  forget_at = GREATEST(t.now + w.ttl, 60000001 + GREATEST(l.fence + 1, t.now) - 1
    + GREATEST(1, LEAST(w.block, 100000 - (GREATEST(l.fence + 1, t.now) - t.now),
    9007199254740991 - GREATEST(l.fence + 1, t.now) + 1)))
FROM t, wanted AS w
WHERE l.kind = 'lock' AND l.name = w.name AND l.version = w.version
  AND l.client IS NULL AND l.waiting = 0 AND l.fence < 9007199254740991
RETURNING t.now, l.token
