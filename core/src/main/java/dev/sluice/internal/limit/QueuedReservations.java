package dev.sluice.internal.limit;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The callers of a client whose reserved time has not come. Safe for use by many threads. */
final class QueuedReservations implements QueuedReservation.Registry {
  private final LimitStore store;
  private final ConcurrentHashMap<Long, QueuedReservation> byTicket = new ConcurrentHashMap<>();
  private final Set<QueuedReservation> waiting = ConcurrentHashMap.newKeySet();
  // guarded by this
  private @Nullable CompletableFuture<Void> listening;

  QueuedReservations(LimitStore store) {
    this.store = store;
  }

  /** Registers a caller for messages; completes once messages are delivered. */
  CompletableFuture<Void> expect(QueuedReservation reservation) {
    byTicket.put(reservation.ticket(), reservation);
    synchronized (this) {
      CompletableFuture<Void> known = listening;
      if (known == null || known.isCompletedExceptionally()) {
        known =
            store
                .backend
                .listenForTurns(store.clientId, this::mayMoveUp)
                .toCompletableFuture()
                .copy();
        listening = known;
      }
      return known;
    }
  }

  @Override
  public void waits(QueuedReservation reservation) {
    waiting.add(reservation);
    if (store.isClosed()) {
      reservation.close();
    }
  }

  @Override
  public void forget(QueuedReservation reservation) {
    waiting.remove(reservation);
    byTicket.remove(reservation.ticket());
  }

  /** Runs on another thread, because many reservations of a queue may follow. */
  private void mayMoveUp(long ticket) {
    QueuedReservation reservation = byTicket.get(ticket);
    if (reservation != null && !store.isClosed()) {
      store.callbacks.execute(reservation::moveUp);
    }
  }

  /** Ends every wait. */
  void close() {
    byTicket.values().forEach(QueuedReservation::close);
    waiting.forEach(QueuedReservation::close);
  }

  /** Ends the messages. */
  synchronized void unlisten() {
    if (listening != null) {
      store.backend.unlistenForTurns(store.clientId);
    }
  }
}
