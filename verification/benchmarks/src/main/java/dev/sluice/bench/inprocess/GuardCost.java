package dev.sluice.bench.inprocess;

import dev.sluice.guard.FencingToken;
import dev.sluice.guard.MemoryGuard;
import java.util.concurrent.ConcurrentHashMap;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** A token that is shown to a guard in memory. */
@State(Scope.Benchmark)
public class GuardCost {
  private final Keys keys = new Keys("orders/");
  private final MemoryGuard guard = MemoryGuard.create();
  private final FencingToken token = new FencingToken(17, "bench");
  private final ConcurrentHashMap<String, FencingToken> highest = new ConcurrentHashMap<>();

  @Benchmark
  public MemoryGuard sluice() {
    guard.advance(keys.next(), token);
    return guard;
  }

  /** The greater of two tokens in a map. */
  @Benchmark
  public FencingToken floor() {
    return highest.merge(keys.next(), token, (old, now) -> old.admits(now) ? now : old);
  }
}
