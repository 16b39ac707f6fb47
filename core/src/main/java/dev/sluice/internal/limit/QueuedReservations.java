package dev.sluice.internal.limit;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The callers of a client whose time has not come. Safe for use by many threads. */
final class QueuedReservations implements QueuedReservation.Registry {
  private final LimitStore store;
  private final ConcurrentHashMap<Long, QueuedReservation> byTicket = new ConcurrentHashMap<>();
  private final Set<QueuedReservation> waiting = ConcurrentHashMap.newKeySet();
  // guarded by this
  private @Nullable CompletableFuture<Void> listening;

  QueuedReservations(LimitStore store) {
    this.store = store;
  }

  /** Enters a caller, so that messages find it; completes once messages are delivered. */
  CompletableFuture<Void> expect(QueuedReservation place) {
    byTicket.put(place.ticket(), place);
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
  public void waits(QueuedReservation place) {
    waiting.add(place);
    if (store.isClosed()) {
      place.close();
    }
  }

  @Override
  public void forget(QueuedReservation place) {
    waiting.remove(place);
    byTicket.remove(place.ticket());
  }

  /** On another thread: this may follow for many places of a queue. */
  private void mayMoveUp(long ticket) {
    QueuedReservation place = byTicket.get(ticket);
    if (place != null && !store.isClosed()) {
      store.callbacks.execute(place::moveUp);
    }
  }

  /** Ends every wait. */
  void close() {
    byTicket.values().forEach(QueuedReservation::close);
    waiting.forEach(QueuedReservation::close);
  }

  /** No more messages are needed. */
  synchronized void unlisten() {
    if (listening != null) {
      store.backend.unlistenForTurns(store.clientId);
    }
  }
}
