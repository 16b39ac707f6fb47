package dev.sluice.jdbc;

/**
 * The method by which a step on a row excludes concurrent steps. Both give the same answers; they
 * differ in what they cost.
 *
 * @since 0.1
 */
public enum RowLocking {
  /**
   * Reads the row and writes it if its version has not changed; otherwise retries. No transaction
   * stays open between two statements. The better one nearly always, because the processes of one
   * lock wait in a queue before they come here.
   */
  OPTIMISTIC,
  /**
   * Locks the row with {@code SELECT ... FOR UPDATE}, decides, writes, commits. No transaction is
   * retried, but each waits for the one that has the row, even for one of another application.
   */
  PESSIMISTIC
}
