package dev.sluice.spring.actuate;

import dev.sluice.NamePage;
import dev.sluice.Sluice;
import dev.sluice.lock.LockInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * Endpoint of the locks that the store knows, and of one of them: {@code
 * /actuator/sluicelocks/NAME}.
 */
@Endpoint(id = "sluicelocks")
class SluiceLocksEndpoint {
  private static final int DEFAULT_LIMIT = 100;
  private static final int MAX_LIMIT = 1000;

  final Sluice sluice;

  SluiceLocksEndpoint(Sluice sluice) {
    this.sluice = sluice;
  }

  /**
   * Some locks.
   *
   * @param locks in no order
   * @param more whether the store knows more than were asked for
   */
  record Locks(List<Lock> locks, boolean more) {}

  /**
   * A lock.
   *
   * @param name its name
   * @param holder who holds it; null when it is free
   * @param waiters processes that wait for it, in order
   * @param lastToken the highest token handed out or reserved, 0 when the store remembers none
   */
  record Lock(
      String name,
      LockInfo.@Nullable Holder holder,
      List<LockInfo.Waiter> waiters,
      long lastToken) {
    static Lock of(LockInfo info) {
      return new Lock(info.name(), info.holder().orElse(null), info.waiters(), info.lastToken());
    }
  }

  /**
   * Lists locks, then sends one request for each of them, all together.
   *
   * @param limit most locks, 1 to 1000; 100 unless given
   * @return some of them
   */
  @ReadOperation
  public Locks locks(@Nullable Integer limit) {
    int most = limit == null ? DEFAULT_LIMIT : limit;
    if (most < 1 || most > MAX_LIMIT) {
      String reason = "limit must be 1 to " + MAX_LIMIT + ": " + most;
      throw new InvalidEndpointRequestException(reason, reason);
    }
    NamePage page = sluice.inspect().lockNames(most);
    List<Lock> locks = sluice.inspect().locks(page.names()).stream().map(Lock::of).toList();
    return new Locks(locks, page.more());
  }

  /**
   * Shows a lock.
   *
   * @param name its name, which may have slashes
   * @return what the store knows; a lock that it does not know is free
   */
  @ReadOperation
  public Lock lock(@Selector(match = Selector.Match.ALL_REMAINING) String... name) {
    return Lock.of(sluice.inspect().lock(join(name)));
  }

  static String join(String... name) {
    return String.join("/", name);
  }
}
