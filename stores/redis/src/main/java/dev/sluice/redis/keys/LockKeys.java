package dev.sluice.redis.keys;

import dev.sluice.text.Names;
import java.util.List;

/** The keys of locks, permits or stocks; those of one name share a hash tag, and so one node. */
public final class LockKeys {
  public static final String LOCK_SUFFIX = "}:lock";
  public static final String PERMITS_SUFFIX = "}:permits";
  public static final String STOCK_SUFFIX = "}:stock";

  private final String open;
  private final List<String> suffixes;

  private final RecentKeys<String, CallKeys> known = new RecentKeys<>(this::prepare);

  private LockKeys(KeySpace space, String... suffixes) {
    this.open = space.open();
    this.suffixes = List.of(suffixes);
  }

  public static LockKeys ofLocks(KeySpace space) {
    return new LockKeys(space, LOCK_SUFFIX, "}:queue", "}:tickets", "}:over");
  }

  public static LockKeys ofPermits(KeySpace space) {
    return new LockKeys(
        space, PERMITS_SUFFIX, "}:permit-queue", "}:permit-tickets", "}:permit-over");
  }

  public static LockKeys ofStocks(KeySpace space) {
    return new LockKeys(space, STOCK_SUFFIX, "}:claims", "}:due", "}:drain", "}:aside");
  }

  public CallKeys of(String name) {
    return known.of(name);
  }

  private CallKeys prepare(String name) {
    String start = open + Names.encode(name);
    return new CallKeys(name, suffixes.stream().map(suffix -> start + suffix).toList());
  }
}
