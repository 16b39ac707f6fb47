package dev.sluice.limit;

import java.util.List;
import java.util.Optional;

/**
 * The policies of rate limiters in the store, where they can be read and changed, and outlive a
 * restart. Each limiter has one entry, with its last versions, an author and a reason. Redis, SQL
 * and memory have the book.
 *
 * <p>A process that {@linkplain #follow follows} the book applies an entry to its limiter of that
 * name if the version of the entry is higher than that of the limiter's settings: the newer of book
 * and settings wins. It asks the store about once a second while it has limiters, so a change
 * arrives about that soon, and so does the policy of a limiter that was just made. While the store
 * does not answer, the last known policy stays. An entry that this process cannot read or apply is
 * logged once, and the policy stays as well.
 *
 * <pre>{@code
 * PolicyBook book = sluice.policyBook().follow();
 * book.set(
 *     "api",
 *     RateLimiterOptions.of(Limit.tokenBucket(100, Duration.ofMinutes(1)))
 *         .override("partner/7", Limit.tokenBucket(500, Duration.ofMinutes(1))),
 *     "ops",
 *     "spring sale");
 * }</pre>
 *
 * <p>Every method but {@link #follow} asks the store, blocks for one or a few round trips, and
 * throws {@link dev.sluice.BackendException} if the store did not answer, and {@link
 * dev.sluice.ForeignDataException} if an entry is not one that this version wrote; it is left as it
 * is. An interruption does not end the wait and leaves the thread interrupted. Safe for use by many
 * threads.
 *
 * @since 0.1
 */
public interface PolicyBook {

  /**
   * Makes all limiters of the client follow the book, including later ones, until the client is
   * closed. Does not block; a store that does not answer is asked again.
   *
   * @return this
   */
  PolicyBook follow();

  /**
   * Finds the present entry of a limiter.
   *
   * @param limiter its name, 1 to 512 bytes of UTF-8
   * @return the entry; empty if the book has none
   */
  Optional<PolicyEntry> find(String limiter);

  /**
   * Lists the last versions of a limiter's policy.
   *
   * @param limiter its name, 1 to 512 bytes of UTF-8
   * @return at most 20 entries, the present one first; empty if the book has none
   */
  List<PolicyEntry> history(String limiter);

  /**
   * Lists the present entries of all limiters.
   *
   * @return at most 256 entries, by name
   */
  List<PolicyEntry> all();

  /**
   * Writes a new version of a limiter's policy. Two writers at the same time both succeed, one
   * after the other.
   *
   * @param limiter the name of the limiter, 1 to 512 bytes of UTF-8
   * @param policy its limits, overrides, plans and version are written, the rest is each process's
   *     own. Without a version it gets the next one, above that of the present entry and of this
   *     client's limiters of the name
   * @param author who writes it, 1 to 100 characters
   * @param reason why, at most 200 characters
   * @return the entry as it was written
   * @throws IllegalArgumentException if the version is not above that of the present entry, if a
   *     text is too long, or if the whole is longer than 16 KB
   * @throws IllegalStateException if the book has 256 entries, or if 65535 versions were used
   */
  PolicyEntry set(String limiter, RateLimiterOptions policy, String author, String reason);

  /**
   * Writes the limits, overrides and plans of an earlier version again, as a new version.
   *
   * @param limiter the name of the limiter, 1 to 512 bytes of UTF-8
   * @param version one that {@link #history} shows
   * @param author who writes it, 1 to 100 characters
   * @param reason why, at most 200 characters
   * @return the entry as it was written
   * @throws IllegalArgumentException if the book does not have that version
   * @throws IllegalStateException as by {@link #set}
   */
  PolicyEntry revert(String limiter, int version, String author, String reason);
}
