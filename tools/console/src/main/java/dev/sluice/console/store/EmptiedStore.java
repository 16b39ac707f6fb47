package dev.sluice.console.store;

import dev.sluice.lock.LockInfo;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Finds out whether a store that was away has lost its data. */
final class EmptiedStore {
  private EmptiedStore() {}

  /**
   * Compares the locks from before and after an outage. Clients take locks as soon as the store is
   * back, so it counts that a lease which outlasts the outage has left no trace, while none of the
   * other leases has survived.
   *
   * @param before as of the last look
   * @param now as found; those that were not read again are the same objects
   * @param away the time between
   */
  static boolean isEmptied(List<LockInfo> before, StoreView.Found<LockInfo> now, Duration away) {
    var found = now.list().stream().collect(Collectors.toMap(LockInfo::name, Function.identity()));
    boolean lost = false;
    for (LockInfo old : before) {
      LockInfo fresh = found.get(old.name());
      Optional<LockInfo.Holder> lasting =
          old.holder().filter(holder -> holder.remaining().compareTo(away) > 0);
      if (lasting.isEmpty() || fresh == old) {
        continue;
      }
      if (fresh == null) {
        lost |= !now.more();
      } else if (fresh
          .holder()
          .map(LockInfo.Holder::token)
          .equals(lasting.map(LockInfo.Holder::token))) {
        return false;
      } else {
        lost |= fresh.lastToken() == 0;
      }
    }
    return lost;
  }
}
