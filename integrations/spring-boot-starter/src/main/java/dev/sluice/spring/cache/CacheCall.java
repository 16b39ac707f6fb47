package dev.sluice.spring.cache;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One call of a method with cache annotations, and the fill leases that it took: Spring reads the
 * value first and stores it later, on the same thread. Used by that thread alone.
 */
final class CacheCall implements AutoCloseable {
  private static final ThreadLocal<@Nullable CacheCall> CURRENT = new ThreadLocal<>();

  private final @Nullable CacheCall outer;
  private final boolean async;
  private final List<Lookup> lookups = new ArrayList<>(1);

  private CacheCall(@Nullable CacheCall outer, boolean async) {
    this.outer = outer;
    this.async = async;
  }

  static CacheCall begin(boolean async) {
    CacheCall call = new CacheCall(CURRENT.get(), async);
    CURRENT.set(call);
    return call;
  }

  static @Nullable CacheCall current() {
    return CURRENT.get();
  }

  /** Returns whether this thread has a fill lease in any of its calls. */
  static boolean holdsAny() {
    for (CacheCall call = CURRENT.get(); call != null; call = call.outer) {
      if (!call.lookups.isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether this thread already loads this key, in this call or an outer one. */
  static boolean loads(SluiceCache cache, String text) {
    for (CacheCall call = CURRENT.get(); call != null; call = call.outer) {
      if (call.find(cache, text) != null) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether the method returns before its result is known. */
  boolean isAsync() {
    return async;
  }

  void add(Lookup lookup) {
    lookups.add(lookup);
  }

  @Nullable Lookup find(SluiceCache cache, String text) {
    for (Lookup lookup : lookups) {
      if (lookup.isOf(cache, text)) {
        return lookup;
      }
    }
    return null;
  }

  /** Releases an unused lease: the method threw, or its result is not to be cached. */
  @Override
  public void close() {
    if (outer == null) {
      CURRENT.remove();
    } else {
      CURRENT.set(outer);
    }
    lookups.forEach(Lookup::giveUp);
  }
}
