MERGE INTO sluice_guard AS g
USING (VALUES (CAST(? AS VARCHAR(1536)), CAST(? AS BIGINT), CAST(? AS VARCHAR(64))))
  AS n (resource, token, attempt)
ON g.resource = n.resource
WHEN MATCHED AND (g.token < n.token OR (g.token = n.token AND g.attempt = n.attempt))
  THEN UPDATE SET token = n.token, attempt = n.attempt
WHEN NOT MATCHED
  THEN INSERT (resource, token, attempt) VALUES (n.resource, n.token, n.attempt)
