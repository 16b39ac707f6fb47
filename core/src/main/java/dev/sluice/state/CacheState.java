package dev.sluice.state;

import dev.sluice.spi.CacheBackend;
import dev.sluice.spi.CacheEntry;
import dev.sluice.spi.CacheReply;
import dev.sluice.spi.CacheRequest;
import dev.sluice.spi.CacheValue;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One key of a guarded cache as its store sees it, and every decision about it: a function of the
 * state, the store's time and the request. No clock, no thread, no store in here; the caller keeps
 * the state and makes each call one atomic step. Not thread-safe.
 */
public class CacheState {
  /*
   * docs/cache-consistency.md has the protocol. The Redis scripts are the only twin of this class.
   * What must not be changed, each shown necessary by the explorer:
   *
   * - a fill needs the lease alive, under its client and attempt, in the step that stores;
   * - every invalidation kills the lease, also when there is no value;
   * - no lease is given while an intent stands, and every intent ends by itself.
   *
   * Methods are open for tests that plant those faults.
   */

  /** The owner of an attempt. */
  protected record Owner(String client, long attempt) {
    /** Public, so that tests with planted faults can call it. */
    public Owner {}
  }

  /** The stored value; null if there is none. */
  protected @Nullable CacheValue value;

  /** The time at which the value was stored. */
  protected long filledAt;

  /** The client that loads; null if there is none. */
  protected @Nullable Owner lease;

  /** The time at which the lease ends. */
  protected long leaseUntil;

  /** The ends of announced writes. */
  protected final Map<Owner, Long> intents = new HashMap<>(0);

  /** Clients to notify when a value or the lease is available. */
  protected final Set<String> waiters = new LinkedHashSet<>(0);

  /** Creates an empty state. */
  public CacheState() {}

  /** See {@link CacheBackend#read}. */
  public @Nullable CacheEntry read(long now) {
    CacheValue known = value;
    if (known == null || now - filledAt >= known.ttlMicros() + known.staleMicros()) {
      value = null;
      return null;
    }
    return new CacheEntry(
        known.bytes(), filledAt + known.ttlMicros() - now, known.tags(), known.tagVersion());
  }

  /** See {@link CacheBackend#begin}. */
  public CacheReply begin(long now, CacheRequest request) {
    boolean load = request.aim() == CacheRequest.Aim.LOAD;
    CacheEntry entry = read(now);
    if (load && entry != null && entry.isFresh()) {
      return new CacheReply.Hit(entry);
    }
    long intended = intended(now);
    if (intended > now) {
      return new CacheReply.Intended(intended - now);
    }
    Owner asks = new Owner(request.client(), request.attempt());
    if (isLeased(now) && !asks.equals(lease)) {
      waiters.add(request.client());
      return new CacheReply.Busy(leaseUntil - now);
    }
    lease = asks;
    leaseUntil = now + request.leaseMicros();
    return new CacheReply.Granted();
  }

  /** See {@link CacheBackend#keep}. */
  public boolean keep(long now, String client, long attempt, long leaseMicros) {
    if (!isHeld(now, client, attempt)) {
      return false;
    }
    leaseUntil = Math.max(leaseUntil, now + leaseMicros);
    return true;
  }

  /**
   * See {@link CacheBackend#fill}.
   *
   * @param woken takes the clients to be told
   */
  public boolean fill(
      long now, String client, long attempt, CacheValue filled, List<String> woken) {
    if (!isHeld(now, client, attempt)) {
      return false;
    }
    store(now, filled);
    endLease(woken);
    return true;
  }

  /**
   * See {@link CacheBackend#abandon}.
   *
   * @param woken takes the clients to be told
   */
  public void abandon(long now, String client, long attempt, List<String> woken) {
    if (new Owner(client, attempt).equals(lease)) {
      endLease(woken);
    }
  }

  /**
   * See {@link CacheBackend#intend}.
   *
   * @param woken takes the clients to be told
   */
  public boolean intend(long now, String client, long attempt, long ttlMicros, List<String> woken) {
    intended(now);
    value = null;
    endLease(woken);
    Long earlier = intents.get(new Owner(client, attempt));
    long until = now + ttlMicros;
    intents.put(new Owner(client, attempt), earlier == null ? until : Math.max(earlier, until));
    return earlier != null;
  }

  /**
   * See {@link CacheBackend#invalidate}.
   *
   * @param woken takes the clients to be told
   */
  public void invalidate(long now, String client, long attempt, List<String> woken) {
    intents.remove(new Owner(client, attempt));
    value = null;
    endLease(woken);
  }

  /**
   * See {@link CacheBackend#put}.
   *
   * @param woken takes the clients to be told
   */
  public void put(long now, CacheValue stored, List<String> woken) {
    value = null;
    if (intended(now) <= now) {
      store(now, stored);
    }
    endLease(woken);
  }

  /** {@return whether this state has no effect any more} */
  public boolean isForgettable(long now) {
    return read(now) == null && !isLeased(now) && intended(now) <= now;
  }

  /** Stores a value, unless it would expire immediately. */
  protected void store(long now, CacheValue stored) {
    value = stored.ttlMicros() + stored.staleMicros() > 0 ? stored : null;
    filledAt = now;
  }

  /** {@return whether a client loads the value} */
  protected boolean isLeased(long now) {
    return lease != null && now < leaseUntil;
  }

  /** {@return whether this attempt loads} */
  protected boolean isHeld(long now, String client, long attempt) {
    return isLeased(now) && new Owner(client, attempt).equals(lease);
  }

  /** Removes the lease; a client that waits for it may retry. */
  protected void endLease(List<String> woken) {
    lease = null;
    woken.addAll(waiters);
    waiters.clear();
  }

  /** {@return the end of the last intent; not after now if there is none} */
  protected long intended(long now) {
    intents.values().removeIf(until -> until <= now);
    return intents.values().stream().mapToLong(Long::longValue).max().orElse(now);
  }
}
