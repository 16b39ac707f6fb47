package dev.sluice.memory;

import dev.sluice.limit.Settlement;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.SettleRequest;
import dev.sluice.state.CacheState;
import dev.sluice.state.LatchState;
import dev.sluice.state.LimitState;
import dev.sluice.state.SaleState;
import dev.sluice.state.grant.GrantState;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** In-memory stores that decide wrongly in one part: what a checker must be able to notice. */
public final class FaultyMemory {
  private static final Decisions RIGHT = Decisions.RIGHT;

  private FaultyMemory() {}

  /** Decides as {@link LimitState#decide} does, but for its fault. */
  @FunctionalInterface
  public interface Limits {

    /**
     * Decides one request and changes the cells accordingly.
     *
     * @param now the store's clock, microseconds since the epoch
     * @param request what is asked
     * @param cells one for each rule, in order
     * @return the answer
     */
    LimitReply decide(long now, LimitRequest request, LimitState.Cell[] cells);

    /**
     * Settles one use, as {@link LimitState#settle} does where there is no fault.
     *
     * @param now the store's clock, microseconds since the epoch
     * @param request what it has cost
     * @param cells one for each rule, in order
     * @param mark of the id
     * @return whether it counted
     */
    default Settlement settle(
        long now, SettleRequest request, LimitState.Cell[] cells, LimitState.Cell mark) {
      return LimitState.settle(now, request, cells, mark);
    }
  }

  /**
   * Decides about locks otherwise.
   *
   * @param clockMicros microseconds since the epoch
   * @param faulty makes the state of a lock by name
   * @return the store
   */
  public static MemoryBackend locks(LongSupplier clockMicros, Function<String, GrantState> faulty) {
    return new MemoryBackend(
        clockMicros,
        new Decisions(
            faulty,
            RIGHT.permits(),
            RIGHT.limits(),
            RIGHT.caches(),
            RIGHT.latches(),
            RIGHT.stock()));
  }

  /**
   * Decides about semaphores and read-write locks otherwise.
   *
   * @param clockMicros microseconds since the epoch
   * @param faulty makes the state of a name
   * @return the store
   */
  public static MemoryBackend permits(
      LongSupplier clockMicros, Function<String, GrantState> faulty) {
    return new MemoryBackend(
        clockMicros,
        new Decisions(
            RIGHT.locks(), faulty, RIGHT.limits(), RIGHT.caches(), RIGHT.latches(), RIGHT.stock()));
  }

  /**
   * Decides about limits otherwise.
   *
   * @param clockMicros microseconds since the epoch
   * @param faulty decides
   * @return the store
   */
  public static MemoryBackend limits(LongSupplier clockMicros, Limits faulty) {
    return new MemoryBackend(
        clockMicros,
        new Decisions(
            RIGHT.locks(),
            RIGHT.permits(),
            new Decisions.Limits() {
              @Override
              public LimitReply decide(long now, LimitRequest request, LimitState.Cell[] cells) {
                return faulty.decide(now, request, cells);
              }

              @Override
              public Settlement settle(
                  long now, SettleRequest request, LimitState.Cell[] cells, LimitState.Cell mark) {
                return faulty.settle(now, request, cells, mark);
              }
            },
            RIGHT.caches(),
            RIGHT.latches(),
            RIGHT.stock()));
  }

  /**
   * Decides about caches otherwise.
   *
   * @param clockMicros microseconds since the epoch
   * @param faulty makes the state of a key
   * @return the store
   */
  public static MemoryBackend caches(LongSupplier clockMicros, Supplier<CacheState> faulty) {
    return new MemoryBackend(
        clockMicros,
        new Decisions(
            RIGHT.locks(),
            RIGHT.permits(),
            RIGHT.limits(),
            faulty,
            RIGHT.latches(),
            RIGHT.stock()));
  }

  /**
   * Decides about latches otherwise.
   *
   * @param clockMicros microseconds since the epoch
   * @param faulty makes the state of a latch
   * @return the store
   */
  public static MemoryBackend latches(LongSupplier clockMicros, Supplier<LatchState> faulty) {
    return new MemoryBackend(
        clockMicros,
        new Decisions(
            RIGHT.locks(), RIGHT.permits(), RIGHT.limits(), RIGHT.caches(), faulty, RIGHT.stock()));
  }

  /**
   * Decides about stock otherwise.
   *
   * @param clockMicros microseconds since the epoch
   * @param faulty makes the state of a stock
   * @return the store
   */
  public static MemoryBackend stock(LongSupplier clockMicros, Supplier<SaleState> faulty) {
    return new MemoryBackend(
        clockMicros,
        new Decisions(
            RIGHT.locks(),
            RIGHT.permits(),
            RIGHT.limits(),
            RIGHT.caches(),
            RIGHT.latches(),
            faulty));
  }
}
