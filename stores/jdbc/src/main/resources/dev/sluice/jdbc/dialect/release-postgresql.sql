WITH t AS MATERIALIZED (
  SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT) AS now,
    set_config('synchronous_commit', 'off', true) AS lazily
)
UPDATE sluice_locks AS l SET
  version = l.version + CAST(? AS INTEGER),
  client = NULL, attempt = 0, units = 0, token = 0, block = 0, ttl = 0, since = 0, expires_at = 0,
  pending = 0, wanted = 0,
  last_use = t.now,
  forget_at = GREATEST(l.fence, t.now) + 60000001,
  over_client = ?,
  over_attempt = ?,
  over_at = t.now
FROM t
WHERE l.kind = 'lock' AND l.name = ? AND l.version = ? AND l.client = ? AND l.attempt = ? AND l.waiting = 0
RETURNING t.now
