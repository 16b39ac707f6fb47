package dev.sluice.internal.limit;

import dev.sluice.internal.call.Failures;
import dev.sluice.internal.call.TimerQueue;
import dev.sluice.spi.LimitBackend;
import dev.sluice.spi.Scheduler;
import dev.sluice.spi.Ticker;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/** Shared parts of all limiters of a client: the store and the clock. */
final class LimitStore {
  final LimitBackend backend;
  final String clientId;
  final Ticker ticker;
  final Executor callbacks;
  final TimerQueue timers;
  private final AtomicLong tickets = new AtomicLong();
  private volatile boolean closed;

  LimitStore(
      LimitBackend backend,
      String clientId,
      Ticker ticker,
      Scheduler scheduler,
      Executor callbacks) {
    this.backend = backend;
    this.clientId = clientId;
    this.ticker = ticker;
    this.callbacks = callbacks;
    this.timers = new TimerQueue(ticker, scheduler);
  }

  long nextTicket() {
    return tickets.incrementAndGet();
  }

  void checkOpen() {
    if (closed) {
      throw Failures.closed();
    }
  }

  boolean isClosed() {
    return closed;
  }

  /** Closes all limiters. */
  void stop() {
    closed = true;
  }
}
