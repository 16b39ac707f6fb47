package dev.sluice.cache.explorer;

import dev.sluice.spi.CacheEntry;
import dev.sluice.spi.CacheReply;
import dev.sluice.spi.CacheRequest;
import dev.sluice.spi.CacheValue;
import dev.sluice.state.CacheState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The real decisions about one key, whose state can be taken out and put back. The clock stands;
 * instead of time passing for all, single things get old, so that any of them may end at any
 * moment, in any order.
 */
class Cell extends CacheState {
  static final long NOW = 1_000_000;
  static final long SPAN = 1_000;

  /** One value per version, so that equal versions are equal values. */
  private static final List<CacheValue> VALUES = new ArrayList<>();

  static {
    for (int version = 0; version < 100; version++) {
      VALUES.add(new CacheValue(new byte[] {(byte) version}, SPAN, 0));
    }
  }

  /** All there is to know about a key. */
  record Shot(
      @Nullable CacheValue value,
      long filledAt,
      @Nullable Owner lease,
      long leaseUntil,
      Map<Owner, Long> intents,
      Set<String> waiters) {

    static final Shot EMPTY = new Shot(null, 0, null, 0, Map.of(), Set.of());

    boolean isFresh() {
      return value != null && NOW - filledAt < value.ttlMicros();
    }

    boolean isLeased() {
      return lease != null && leaseUntil > NOW;
    }

    /** {@return version of the value; -1 for none} */
    int version() {
      return value == null ? -1 : Cell.version(value.bytes());
    }

    boolean hasIntent(String client, long attempt) {
      return intents.getOrDefault(new Owner(client, attempt), NOW) > NOW;
    }

    Shot withOldValue() {
      return new Shot(value, NOW - SPAN, lease, leaseUntil, intents, waiters);
    }

    Shot withOldLease() {
      return new Shot(value, filledAt, lease, NOW, intents, waiters);
    }

    Shot withOldIntent(String client, long attempt) {
      Map<Owner, Long> aged = new HashMap<>(intents);
      aged.put(new Owner(client, attempt), NOW);
      return new Shot(value, filledAt, lease, leaseUntil, Map.copyOf(aged), waiters);
    }

    Shot withAllOld() {
      Map<Owner, Long> aged = new HashMap<>(intents);
      aged.replaceAll((owner, until) -> NOW);
      return new Shot(value, NOW - SPAN, lease, NOW, Map.copyOf(aged), waiters);
    }
  }

  Cell put(Shot shot) {
    value = shot.value();
    filledAt = shot.filledAt();
    lease = shot.lease();
    leaseUntil = shot.leaseUntil();
    intents.clear();
    intents.putAll(shot.intents());
    waiters.clear();
    waiters.addAll(shot.waiters());
    return this;
  }

  Shot take() {
    return new Shot(
        value,
        value == null ? 0 : filledAt,
        lease,
        lease == null ? 0 : leaseUntil,
        Map.copyOf(intents),
        Set.copyOf(waiters));
  }

  static CacheValue value(int version) {
    return VALUES.get(version);
  }

  static int version(byte @Nullable [] bytes) {
    return bytes[0];
  }

  static int version(CacheEntry entry) {
    return version(entry.bytes());
  }

  /** Stores whatever comes. */
  static class FillsWithoutLease extends Cell {
    @Override
    protected boolean isHeld(long now, String client, long attempt) {
      return true;
    }
  }

  /** Asks whether there is a lease, not whose it is (A12). */
  static class FillsWithAnyLease extends Cell {
    @Override
    protected boolean isHeld(long now, String client, long attempt) {
      return isLeased(now);
    }
  }

  /** Takes a guard that has gone for a permission (A11). */
  static class FillsWhenGuardIsGone extends Cell {
    @Override
    protected boolean isHeld(long now, String client, long attempt) {
      return !isLeased(now) || super.isHeld(now, client, attempt);
    }
  }

  /** A lease that ended is not worth killing, but still good for a fill (A11). */
  static class LeaseOutlivesItsEnd extends Cell {
    @Override
    protected boolean isHeld(long now, String client, long attempt) {
      return new Owner(client, attempt).equals(lease);
    }

    @Override
    protected void endLease(List<String> woken) {
      if (isLeased(NOW)) {
        super.endLease(woken);
      }
    }
  }

  /** A lease that ended is good for a fill, as long as nothing killed it. Harmless. */
  static class LeaseWithoutEnd extends Cell {
    @Override
    protected boolean isHeld(long now, String client, long attempt) {
      return new Owner(client, attempt).equals(lease);
    }
  }

  /** Nothing there, nothing to do. */
  static class InvalidatesValuesOnly extends Cell {
    @Override
    public void invalidate(long now, String client, long attempt, List<String> woken) {
      if (read(now) != null) {
        super.invalidate(now, client, attempt, woken);
      } else {
        intents.remove(new Owner(client, attempt));
      }
    }
  }

  /** A crashed writer's intent is for ever. */
  static class IntentWithoutEnd extends Cell {
    @Override
    protected long intended(long now) {
      return intents.isEmpty() ? now : now + SPAN;
    }
  }

  /** One flag for all writers. */
  static class OneIntentForAll extends Cell {
    @Override
    public void invalidate(long now, String client, long attempt, List<String> woken) {
      super.invalidate(now, client, attempt, woken);
      intents.clear();
    }
  }

  /** Announces, and lets loads go on. */
  static class IntentSparesLease extends Cell {
    @Override
    public boolean intend(
        long now, String client, long attempt, long ttlMicros, List<String> woken) {
      Owner loads = lease;
      long until = leaseUntil;
      Set<String> waited = new LinkedHashSet<>(waiters);
      boolean known = super.intend(now, client, attempt, ttlMicros, new ArrayList<>());
      lease = loads;
      leaseUntil = until;
      waiters.addAll(waited);
      return known;
    }
  }

  /** Announces, and lets others begin to load. */
  static class LeaseDespiteIntent extends Cell {
    @Override
    public CacheReply begin(long now, CacheRequest request) {
      Map<Owner, Long> standing = Map.copyOf(intents);
      intents.clear();
      CacheReply reply = super.begin(now, request);
      intents.putAll(standing);
      return reply;
    }
  }

  /** Announces, and keeps the value. */
  static class IntentSparesValue extends Cell {
    @Override
    public boolean intend(
        long now, String client, long attempt, long ttlMicros, List<String> woken) {
      CacheValue kept = value;
      boolean known = super.intend(now, client, attempt, ttlMicros, woken);
      value = kept;
      return known;
    }
  }

  /**
   * Planted fault: a waiting caller is not notified when an invalidation ends the load it waits
   * for.
   */
  static class InvalidatesInSilence extends Cell {
    @Override
    public void invalidate(long now, String client, long attempt, List<String> woken) {
      super.invalidate(now, client, attempt, new ArrayList<>());
    }
  }
}
