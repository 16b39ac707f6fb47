package dev.sluice;

import dev.sluice.internal.call.Failures;
import dev.sluice.inventory.InventoryInfo;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.PermitInfo;
import dev.sluice.spi.Backend;
import dev.sluice.spi.SaleReply;
import dev.sluice.text.Names;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * Lists and reads the store's data, for operators and tools. Every method blocks until the store
 * answers, and changes nothing. Looking at several names sends one request for each, all before it
 * waits for the first answer. A list of names scans the keys of a Redis server, a thousand with
 * each round trip.
 *
 * <pre>{@code
 * NamePage page = sluice.inspect().lockNames(100);
 * for (LockInfo lock : sluice.inspect().locks(page.names())) {
 *   lock.holder().ifPresent(holder -> reports.add(lock.name(), holder.client(), holder.remaining()));
 * }
 * }</pre>
 *
 * <p>Lists follow one rule: at most {@code limit} names, sorted, and {@link NamePage#more} says
 * whether the store knows others. Which names are left out is not defined.
 *
 * <p>Every method throws {@link BackendException} if the store did not answer, {@link
 * IllegalArgumentException} if a name is not 1 to 512 bytes of UTF-8 or a limit is below 1, {@link
 * IllegalStateException} if the client is closed, and {@link UnsupportedOperationException} if the
 * store does not have the primitive at all. An interruption does not end the wait and leaves the
 * thread interrupted. Safe for use by many threads.
 *
 * @since 0.1
 */
public final class Inspector {
  private final Backend backend;
  private final Runnable checkOpen;

  Inspector(Backend backend, Runnable checkOpen) {
    this.backend = backend;
    this.checkOpen = checkOpen;
  }

  /**
   * Lists locks that are held, waited for, or were used within the last minute.
   *
   * @param limit most names, at least 1
   * @return names of locks
   */
  public NamePage lockNames(int limit) {
    return page(limit, most -> backend.locks().names(most), "lock names");
  }

  /**
   * Returns the holder and the waiters of a lock.
   *
   * @param name the lock
   * @return what the store knows
   */
  public LockInfo lock(String name) {
    return locks(List.of(Names.check(name))).get(0);
  }

  /**
   * Returns the holders and the waiters of several locks.
   *
   * @param names the locks
   * @return what the store knows, in the order of the names
   */
  public List<LockInfo> locks(Collection<String> names) {
    return all(names, backend.locks()::inspect, "lock ").stream().map(PermitInfo::asLock).toList();
  }

  /**
   * Lists semaphores and read-write locks that are held, waited for, or were used within the last
   * minute.
   *
   * @param limit most names, at least 1
   * @return names of semaphores and read-write locks
   */
  public NamePage permitNames(int limit) {
    return page(limit, most -> backend.permits().names(most), "permit names");
  }

  /**
   * Returns the holders and the waiters of a semaphore or a read-write lock.
   *
   * @param name the semaphore or read-write lock
   * @return what the store knows
   */
  public PermitInfo permits(String name) {
    return permits(List.of(Names.check(name))).get(0);
  }

  /**
   * Returns the holders and the waiters of several semaphores or read-write locks.
   *
   * @param names the semaphores or read-write locks
   * @return what the store knows, in the order of the names
   */
  public List<PermitInfo> permits(Collection<String> names) {
    return all(names, backend.permits()::inspect, "permits of ");
  }

  /**
   * Lists inventories.
   *
   * @param limit most names, at least 1
   * @return names of inventories
   */
  public NamePage inventoryNames(int limit) {
    return page(limit, most -> backend.inventories().names(most), "inventory names");
  }

  /**
   * Returns how many units of an inventory are left, claimed and sold.
   *
   * @param name the inventory
   * @return what the store knows
   */
  public InventoryInfo inventory(String name) {
    return inventories(List.of(Names.check(name))).get(0);
  }

  /**
   * Returns how many units of several inventories are left, claimed and sold.
   *
   * @param names the inventories
   * @return what the store knows, in the order of the names
   */
  public List<InventoryInfo> inventories(Collection<String> names) {
    return all(names, backend.inventories()::look, "stock ").stream().map(SaleReply::info).toList();
  }

  private NamePage page(int limit, IntFunction<CompletionStage<List<String>>> ask, String what) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit must be >= 1: " + limit);
    }
    checkOpen.run();
    int most = limit == Integer.MAX_VALUE ? limit : limit + 1; // one more shows that there are more
    List<String> names =
        Failures.await(Failures.call(() -> ask.apply(most)).toCompletableFuture(), what);
    return new NamePage(names.stream().sorted().limit(limit).toList(), names.size() > limit);
  }

  private <T> List<T> all(
      Collection<String> names, Function<String, CompletionStage<T>> ask, String what) {
    names.forEach(Names::check);
    checkOpen.run();
    List<CompletableFuture<T>> asked =
        names.stream()
            .map(name -> Failures.call(() -> ask.apply(name)).toCompletableFuture())
            .toList();
    List<T> answers = new ArrayList<>(names.size());
    int at = 0;
    for (String name : names) {
      answers.add(Failures.await(asked.get(at++), what + Names.quoted(name)));
    }
    return answers;
  }
}
