package dev.sluice.state;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The claims of one stock, as {@link SaleState} works on them: the last one of each claimant, in
 * the present sale. What was put is seen by every later call. Not safe for use by several threads.
 */
public interface ClaimTable {

  /**
   * Finds a claim.
   *
   * @param claimant whose
   * @return the last claim of the claimant, or null
   */
  @Nullable StoredClaim get(String claimant);

  /**
   * Stores a claim, in place of the claimant's last one.
   *
   * @param claim it
   */
  void put(StoredClaim claim);

  /** Drops every claim. */
  void clear();

  /**
   * Held claims that have expired.
   *
   * @param now the store's clock
   * @param limit most claims
   * @return claims, those that were due first first
   */
  List<StoredClaim> due(long now, int limit);

  /**
   * Queued claims that a consumer has taken and not settled.
   *
   * @param until given at this moment or before it
   * @param limit most claims
   * @return claims, the oldest first
   */
  List<StoredClaim> taken(long until, int limit);

  /**
   * Queued claims without a consumer.
   *
   * @param limit most claims
   * @return claims, the oldest first
   */
  List<StoredClaim> untaken(int limit);

  /**
   * Lists dead letters.
   *
   * @param limit most claims
   * @return claims, the oldest first
   */
  List<StoredClaim> aside(int limit);

  /** {@return the time at which the oldest queued claim was accepted; 0 if none is queued} */
  long oldestQueued();
}
