INSERT INTO sluice_guard (resource, token, attempt) VALUES (?, ?, ?)
ON DUPLICATE KEY UPDATE
  attempt = IF(token < VALUES(token), VALUES(attempt), attempt),
  token = GREATEST(token, VALUES(token))
