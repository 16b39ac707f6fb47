package dev.sluice.memory;

import dev.sluice.Finding;
import dev.sluice.spi.Backend;
import dev.sluice.spi.BloomBackend;
import dev.sluice.spi.CacheBackend;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.InventoryBackend;
import dev.sluice.spi.LatchBackend;
import dev.sluice.spi.LimitBackend;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.NoteBackend;
import dev.sluice.state.LatchState;
import dev.sluice.state.StateLatches;
import dev.sluice.state.grant.GrantKind;
import dev.sluice.state.grant.GrantState;
import dev.sluice.state.grant.StateGrants;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/**
 * A store inside this JVM: the reference of every decision, and a full backend for a single
 * process. Several {@code Sluice} clients over one instance behave like several processes over one
 * server. Its clock may be set, for tests.
 *
 * <p>Safe for use by many threads. Its data is lost with the JVM; tokens still grow across a
 * restart, because they start from the wall clock.
 *
 * @since 0.1
 */
public final class MemoryBackend implements Backend {
  private final MemoryNames<GrantState, LockMessage> locks;
  private final MemoryLimits limits;
  private final MemoryBlooms blooms;
  private final MemoryCaches caches;
  private final MemoryNames<GrantState, LockMessage> permits;
  private final MemoryNames<LatchState, String> latches;
  private final MemoryInventories inventories;
  private final MemoryNotes notes;

  /** A store on the JVM's clock: the wall clock at its creation, then monotonic. */
  public MemoryBackend() {
    this(wallThenMonotonic());
  }

  /**
   * A store on a clock of the caller.
   *
   * @param clockMicros microseconds since the epoch
   */
  public MemoryBackend(LongSupplier clockMicros) {
    this(clockMicros, Decisions.RIGHT);
  }

  MemoryBackend(LongSupplier clockMicros, Decisions decisions) {
    this.locks = new MemoryNames<>(clockMicros, decisions.locks(), GrantState::isForgettable);
    this.limits = new MemoryLimits(clockMicros, decisions.limits());
    this.blooms = new MemoryBlooms(clockMicros);
    this.caches = new MemoryCaches(clockMicros, decisions.caches());
    this.permits = new MemoryNames<>(clockMicros, decisions.permits(), GrantState::isForgettable);
    this.notes = new MemoryNotes(clockMicros);
    this.latches =
        new MemoryNames<>(
            clockMicros, name -> decisions.latches().get(), LatchState::isForgettable);
    this.inventories = new MemoryInventories(clockMicros, decisions.stock());
  }

  private static LongSupplier wallThenMonotonic() {
    long wall = System.currentTimeMillis() * 1000;
    long start = System.nanoTime();
    return () -> wall + (System.nanoTime() - start) / 1000;
  }

  @Override
  public String describe() {
    return "memory of this JVM";
  }

  @Override
  public CompletionStage<List<Finding>> diagnose() {
    return CompletableFuture.completedFuture(
        List.of(
            new Finding(
                Finding.Severity.INFO,
                "one-jvm",
                describe(),
                "the store is the memory of this JVM",
                "other processes do not see its locks, limits, filters and caches, and they end"
                    + " with the JVM",
                "name a store that processes share, such as redis://localhost:6379")));
  }

  @Override
  public GrantBackend locks() {
    return new StateGrants(GrantKind.LOCK, locks);
  }

  @Override
  public GrantBackend permits() {
    return new StateGrants(GrantKind.PERMIT, permits);
  }

  @Override
  public LimitBackend limits() {
    return limits;
  }

  @Override
  public BloomBackend blooms() {
    return blooms;
  }

  @Override
  public CacheBackend caches() {
    return caches;
  }

  @Override
  public LatchBackend latches() {
    return new StateLatches(latches);
  }

  @Override
  public InventoryBackend inventories() {
    return inventories;
  }

  @Override
  public NoteBackend notes() {
    return notes;
  }

  /** Drops all data, as a server does that was flushed or restarted empty. */
  public void clear() {
    locks.clear();
    permits.clear();
    limits.clear();
    blooms.clear();
    caches.forgetAll();
    latches.clear();
    inventories.clear();
    notes.clear();
  }

  /** Does nothing; the garbage collector removes an unused store. */
  @Override
  public void close() {}
}
