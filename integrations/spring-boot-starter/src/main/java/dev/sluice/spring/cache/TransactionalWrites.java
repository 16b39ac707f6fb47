package dev.sluice.spring.cache;

import dev.sluice.cache.GuardedCache;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Evictions inside a transaction. They are announced immediately, so that no process stores a value
 * read before the commit. They are carried out when the transaction has ended. Safe for use by many
 * threads.
 */
final class TransactionalWrites {
  private static final System.Logger LOG = System.getLogger("dev.sluice.spring");

  boolean isActive() {
    return TransactionSynchronizationManager.isActualTransactionActive()
        && TransactionSynchronizationManager.isSynchronizationActive();
  }

  void announce(GuardedCache<Object, Object> cache, Object key, String text) {
    current().announce(cache, key, text);
  }

  void clearAfterwards(GuardedCache<Object, Object> cache) {
    current().cleared.add(cache);
  }

  private static Writes current() {
    for (TransactionSynchronization known :
        TransactionSynchronizationManager.getSynchronizations()) {
      if (known instanceof Writes writes) {
        return writes;
      }
    }
    Writes writes = new Writes();
    TransactionSynchronizationManager.registerSynchronization(writes);
    return writes;
  }

  private record Place(GuardedCache<?, ?> cache, String text) {}

  private record Write(CompletableFuture<Void> ended, CompletableFuture<Void> update) {}

  /** The writes of one transaction, on its thread. */
  private static final class Writes implements TransactionSynchronization {
    private final Map<Place, Write> announced = new LinkedHashMap<>();
    private final Set<GuardedCache<?, ?>> cleared = new LinkedHashSet<>();

    void announce(GuardedCache<Object, Object> cache, Object key, String text) {
      Place place = new Place(cache, text);
      if (announced.containsKey(place)) {
        return;
      }
      CompletableFuture<Boolean> stands = new CompletableFuture<>();
      CompletableFuture<Void> ended = new CompletableFuture<>();
      CompletableFuture<Void> update =
          cache
              .async()
              .update(
                  key,
                  () -> {
                    stands.complete(true);
                    return ended;
                  })
              .toCompletableFuture();
      announced.put(place, new Write(ended, update));
      try {
        CompletableFuture.anyOf(stands, update).join();
      } catch (CompletionException e) {
        announced.remove(place);
        throw e.getCause() instanceof RuntimeException failure ? failure : e;
      }
    }

    @Override
    public void afterCompletion(int status) {
      announced.values().forEach(write -> write.ended().complete(null));
      announced.forEach((place, write) -> orSayWhy(place.cache(), () -> write.update().join()));
      cleared.forEach(cache -> orSayWhy(cache, cache::clear));
    }

    /** The transaction has ended; a failure here does not change that. */
    private static void orSayWhy(GuardedCache<?, ?> cache, Runnable task) {
      try {
        task.run();
      } catch (RuntimeException e) {
        Throwable cause = e instanceof CompletionException ? e.getCause() : e;
        LOG.log(
            System.Logger.Level.WARNING,
            "cache ''{0}'' could not handle the end of a transaction, because {1}",
            cache.name(),
            String.valueOf(cause));
      }
    }
  }
}
