package dev.sluice.guard;

import static java.util.Objects.requireNonNull;

import dev.sluice.lock.Lease;
import dev.sluice.text.Names;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A guard for resources inside this JVM. {@link #access} decides and accesses in one step, as far
 * as the others go through it too. Remembers every resource until {@link #forget} is called for it.
 * Safe for use by many threads; {@link #access} may wait for another access of the same resource.
 *
 * @since 0.1
 */
public final class MemoryGuard implements Guard {
  private final ConcurrentHashMap<String, ResourceState> states = new ConcurrentHashMap<>();
  private final GuardRule rule = new GuardRule();

  private MemoryGuard() {}

  /** {@return a guard that has seen no token} */
  public static MemoryGuard create() {
    return new MemoryGuard();
  }

  private static final class ResourceState {
    final ReentrantLock lock = new ReentrantLock();
    // guarded by lock
    @Nullable FencingToken highest;
    boolean forgotten;
  }

  /**
   * An access of a resource.
   *
   * @param <T> what it returns
   * @param <X> what it may throw
   */
  @FunctionalInterface
  public interface Access<T extends @Nullable Object, X extends Exception> {
    /**
     * Reads or writes.
     *
     * @return what was read
     * @throws X as it likes
     */
    T run() throws X;
  }

  @Override
  public void advance(String resource, FencingToken token) {
    access(resource, token, () -> true);
  }

  /**
   * Runs {@link #advance} and the access in one step: no other access of the resource comes in
   * between. The access must not wait for another thread that accesses the same resource.
   *
   * @param resource what is accessed, 1 to 512 bytes of UTF-8
   * @param token the token of the section
   * @param access runs on this thread, at most once
   * @param <T> what it returns
   * @param <X> what it may throw
   * @return what the access returned
   * @throws StaleTokenException if the guard has seen a higher token; the access did not run
   * @throws X what the access threw; the guard stays raised
   */
  public <T extends @Nullable Object, X extends Exception> T access(
      String resource, FencingToken token, Access<T, X> access) throws X {
    Names.check("resource", resource);
    requireNonNull(token, "token must not be null");
    ResourceState state = locked(resource);
    try {
      rule.advance(resource, token, state.highest);
      state.highest = token;
      return access.run();
    } finally {
      state.lock.unlock();
    }
  }

  /**
   * A guard for the resource that has the name of the lock.
   *
   * @param lease the lease of the section
   * @param access runs on this thread, at most once
   * @param <T> what it returns
   * @param <X> what it may throw
   * @return what the access returned
   * @throws StaleTokenException if the guard has seen a higher token; the access did not run
   * @throws X what the access threw
   */
  public <T extends @Nullable Object, X extends Exception> T access(
      Lease lease, Access<T, X> access) throws X {
    return access(lease.name(), FencingToken.of(lease), access);
  }

  @Override
  public void check(String resource, FencingToken token) {
    Names.check("resource", resource);
    requireNonNull(token, "token must not be null");
    ResourceState state = states.get(resource);
    if (state == null) {
      rule.check(resource, token, null);
      return;
    }
    state.lock.lock();
    try {
      rule.check(resource, token, state.forgotten ? null : state.highest);
    } finally {
      state.lock.unlock();
    }
  }

  private ResourceState locked(String resource) {
    while (true) {
      ResourceState state = states.computeIfAbsent(resource, name -> new ResourceState());
      state.lock.lock();
      if (!state.forgotten) {
        return state;
      }
      state.lock.unlock();
    }
  }

  /**
   * Drops the token of a resource that no longer exists. A holder that still has a token of it is
   * admitted again, so do this only when no such holder can return.
   *
   * @param resource its name
   */
  public void forget(String resource) {
    ResourceState state = states.get(resource);
    if (state == null) {
      return;
    }
    state.lock.lock();
    try {
      state.forgotten = true;
      states.remove(resource, state);
    } finally {
      state.lock.unlock();
    }
  }

  /** {@return the number of known resources} */
  public int size() {
    return states.size();
  }

  @Override
  public GuardStats stats() {
    return rule.stats();
  }
}
