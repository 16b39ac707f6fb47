package dev.sluice.internal.latch;

import static java.util.Objects.requireNonNull;

import dev.sluice.internal.call.Durations;
import dev.sluice.internal.call.Failures;
import dev.sluice.internal.call.TimerQueue;
import dev.sluice.latch.AsyncLatch;
import dev.sluice.latch.DistributedLatch;
import dev.sluice.latch.LatchInfo;
import dev.sluice.spi.ClientParts;
import dev.sluice.spi.LatchBackend;
import dev.sluice.spi.Ticker;
import dev.sluice.text.Names;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The latches of one client over one backend. Safe for use by many threads. */
public final class LatchEngine implements AutoCloseable {
  private static final Duration MIN_KEEP = Duration.ofSeconds(1);
  private static final Duration DEFAULT_KEEP = Duration.ofDays(1);

  final LatchBackend backend;
  final String clientId;
  final Ticker ticker;
  final TimerQueue timers;
  final Executor callbacks;
  private final ConcurrentHashMap<String, LatchCoordinator> coordinators =
      new ConcurrentHashMap<>();
  private final AtomicLong numbers = new AtomicLong();
  private final AtomicBoolean listening = new AtomicBoolean();
  private volatile boolean closed;

  /**
   * An engine without latches.
   *
   * @param parts of the client
   */
  public LatchEngine(ClientParts parts) {
    this.backend = parts.backend().latches();
    this.clientId = parts.clientId();
    this.ticker = parts.ticker();
    this.timers = new TimerQueue(parts.ticker(), parts.scheduler());
    this.callbacks = parts.callbacks();
  }

  /**
   * Returns a latch by name.
   *
   * @param name 1 to 512 bytes of UTF-8
   * @return the latch; any number of objects of one name mean the same latch
   */
  public DistributedLatch latch(String name) {
    Names.check(name);
    return new ClientLatch(name);
  }

  long nextNumber() {
    return numbers.incrementAndGet();
  }

  long jitter(long boundNanos) {
    return ThreadLocalRandom.current().nextLong(Math.max(1, boundNanos));
  }

  void listenOnce() {
    if (!listening.getAndSet(true)) {
      Failures.call(() -> backend.listenForLatches(clientId, this::opened))
          .whenComplete(
              (done, failure) -> {
                if (failure != null) {
                  listening.set(false); // the next look tries again
                }
              });
    }
  }

  private void opened(String name) {
    LatchCoordinator coordinator = coordinators.get(name);
    if (coordinator != null) {
      coordinator.onMessage();
    }
  }

  LatchCoordinator coordinator(String name) {
    if (closed) {
      throw Failures.closed();
    }
    LatchCoordinator coordinator =
        coordinators.computeIfAbsent(name, n -> new LatchCoordinator(this, n));
    if (closed) { // close() may have missed it
      coordinator.close();
    }
    return coordinator;
  }

  void forget(LatchCoordinator coordinator) {
    coordinators.remove(coordinator.name, coordinator);
  }

  /** Fails waiters and requests under way. */
  @Override
  public void close() {
    closed = true;
    List.copyOf(coordinators.values()).forEach(LatchCoordinator::close);
    coordinators.clear();
    timers.close();
    backend.unlistenForLatches(clientId);
  }

  /** A latch as callers use it. */
  private final class ClientLatch implements DistributedLatch {
    private final String name;
    private final String what;

    ClientLatch(String name) {
      this.name = name;
      this.what = "latch " + Names.quoted(name);
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public boolean trySetCount(long count) {
      return trySetCount(count, DEFAULT_KEEP);
    }

    @Override
    public boolean trySetCount(long count, Duration keep) {
      return answer(sendSet(count, keep)) > 0;
    }

    private CompletableFuture<Long> sendSet(long count, Duration keep) {
      requireNonNull(keep, "keep must not be null");
      if (count < 1 || count > MAX_COUNT) {
        throw new IllegalArgumentException("count must be 1 to " + MAX_COUNT + ": " + count);
      }
      if (keep.compareTo(MIN_KEEP) < 0 || keep.compareTo(MAX_KEEP) > 0) {
        throw new IllegalArgumentException("keep must be 1s to 3650d: " + keep);
      }
      long keepMicros = keep.toNanos() / 1000;
      return inCell(coordinator -> coordinator.trySet(count, keepMicros));
    }

    @Override
    public long countDown() {
      return answer(inCell(LatchCoordinator::countDown));
    }

    @Override
    public LatchInfo info() {
      return answer(sendLook());
    }

    private CompletableFuture<LatchInfo> sendLook() {
      if (closed) {
        throw Failures.closed();
      }
      return Failures.call(() -> backend.look(name, ""))
          .toCompletableFuture()
          .thenApply(reply -> new LatchInfo(name, reply.count(), reply.round()));
    }

    @Override
    public boolean await(Duration wait) throws InterruptedException {
      long waitNanos = Durations.checkWait(wait);
      if (Thread.interrupted()) {
        throw interrupted();
      }
      if (waitNanos == 0) {
        return info().isOpen();
      }
      LatchCoordinator.Waiting waiting = inCell(LatchCoordinator::enlist);
      TimerQueue.Entry end =
          timers.at(ticker.nanos() + waitNanos, () -> waiting.coordinator.giveUp(waiting));
      try {
        return waiting.opened.get();
      } catch (InterruptedException e) {
        throw interrupted();
      } catch (ExecutionException e) {
        throw Failures.forCaller(what, e);
      } finally {
        end.cancel();
        waiting.coordinator.leave(waiting);
      }
    }

    private InterruptedException interrupted() {
      return new InterruptedException("interrupted while waiting for " + what);
    }

    @Override
    public AsyncLatch async() {
      return new View();
    }

    /** Completes the waiting callers, whose code may block the thread of the reply. */
    private <T> CompletableFuture<T> later(CompletableFuture<T> asked) {
      return Failures.later(asked, what, callbacks);
    }

    private final class View implements AsyncLatch {
      @Override
      public CompletionStage<Boolean> trySetCount(long count) {
        return trySetCount(count, DEFAULT_KEEP);
      }

      @Override
      public CompletionStage<Boolean> trySetCount(long count, Duration keep) {
        return later(sendSet(count, keep).thenApply(set -> set > 0));
      }

      @Override
      public CompletionStage<Long> countDown() {
        return later(inCell(LatchCoordinator::countDown));
      }

      @Override
      public CompletionStage<LatchInfo> info() {
        return later(sendLook());
      }

      @Override
      public CompletionStage<Boolean> await(Duration wait) {
        long waitNanos = Durations.checkWait(wait);
        if (waitNanos == 0) {
          return later(sendLook().thenApply(LatchInfo::isOpen));
        }
        LatchCoordinator.Waiting waiting = inCell(LatchCoordinator::enlist);
        TimerQueue.Entry end =
            timers.at(ticker.nanos() + waitNanos, () -> waiting.coordinator.giveUp(waiting));
        waiting.opened.whenComplete(
            (opened, failure) -> { // or cancelled by the caller
              end.cancel();
              waiting.coordinator.leave(waiting);
            });
        return later(waiting.opened);
      }
    }

    /** A coordinator without work retires; the next caller gets a new one. */
    private <T> T inCell(Function<LatchCoordinator, @Nullable T> action) {
      while (true) {
        LatchCoordinator coordinator = coordinator(name);
        T done = action.apply(coordinator);
        if (done != null) {
          return done;
        }
        forget(coordinator); // waiting for the thread that retired it is not needed
      }
    }

    private <T> T answer(CompletableFuture<T> asked) {
      return Failures.await(asked, what);
    }
  }
}
