INSERT INTO sluice_guard AS g (resource, token, attempt) VALUES (?, ?, ?)
ON CONFLICT (resource) DO UPDATE SET token = excluded.token, attempt = excluded.attempt
WHERE g.token < excluded.token OR (g.token = excluded.token AND g.attempt = excluded.attempt)
