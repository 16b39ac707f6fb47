package dev.sluice.memory;

import dev.sluice.limit.Settlement;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.SettleRequest;
import dev.sluice.state.CacheState;
import dev.sluice.state.LatchState;
import dev.sluice.state.LimitState;
import dev.sluice.state.SaleState;
import dev.sluice.state.grant.GrantKind;
import dev.sluice.state.grant.GrantState;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The decision functions of a {@link MemoryBackend}: the states of the protocols, or replacements
 * with a planted fault that a checker must find.
 *
 * @param locks makes the state of a lock by name
 * @param permits makes the state of a semaphore or a read-write lock by name
 * @param limits decides about limits
 * @param caches makes the state of a key
 * @param latches makes the state of a latch
 * @param stock makes the state of a stock
 */
record Decisions(
    Function<String, GrantState> locks,
    Function<String, GrantState> permits,
    Limits limits,
    Supplier<CacheState> caches,
    Supplier<LatchState> latches,
    Supplier<SaleState> stock) {

  static final Decisions RIGHT =
      new Decisions(
          name -> new GrantState(name, GrantKind.LOCK),
          name -> new GrantState(name, GrantKind.PERMIT),
          LimitState::decide,
          CacheState::new,
          LatchState::new,
          SaleState::new);

  /** Decides as {@link LimitState#decide} does. */
  @FunctionalInterface
  interface Limits {
    LimitReply decide(long now, LimitRequest request, LimitState.Cell[] cells);

    default Settlement settle(
        long now, SettleRequest request, LimitState.Cell[] cells, LimitState.Cell mark) {
      return LimitState.settle(now, request, cells, mark);
    }
  }
}
