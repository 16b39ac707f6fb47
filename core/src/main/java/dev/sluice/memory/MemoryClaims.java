package dev.sluice.memory;

import dev.sluice.spi.ClaimPage;
import dev.sluice.spi.ClaimRow;
import dev.sluice.state.ClaimTable;
import dev.sluice.state.StoredClaim;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The claims of one stock in memory, in one queue for each state. */
final class MemoryClaims implements ClaimTable {
  /** A position in a queue; two claims have one id only if a ledger reported so. */
  private record Turn(long at, long id, String claimant) implements Comparable<Turn> {
    @Override
    public int compareTo(Turn other) {
      int order = Long.compare(at, other.at);
      order = order != 0 ? order : Long.compare(id, other.id);
      return order != 0 ? order : claimant.compareTo(other.claimant);
    }
  }

  private final Map<String, StoredClaim> last = new HashMap<>();
  private final TreeMap<Turn, StoredClaim> all = new TreeMap<>();
  private final TreeMap<Turn, StoredClaim> held = new TreeMap<>();
  private final TreeMap<Turn, StoredClaim> taken = new TreeMap<>();
  private final TreeMap<Turn, StoredClaim> untaken = new TreeMap<>();
  private final TreeMap<Turn, StoredClaim> aside = new TreeMap<>();

  @Override
  public @Nullable StoredClaim get(String claimant) {
    return last.get(claimant);
  }

  @Override
  public void put(StoredClaim claim) {
    ClaimRow row = claim.row();
    StoredClaim before = last.put(row.claimant(), claim);
    if (before != null) {
      all.remove(place(before));
      NavigableMap<Turn, StoredClaim> left = line(before);
      if (left != null) {
        left.remove(turn(before));
      }
    }
    all.put(place(claim), claim);
    NavigableMap<Turn, StoredClaim> entered = line(claim);
    if (entered != null) {
      entered.put(turn(claim), claim);
    }
  }

  private @Nullable NavigableMap<Turn, StoredClaim> line(StoredClaim claim) {
    return switch (claim.row().state()) {
      case QUEUED -> claim.takenAt() == 0 ? untaken : taken;
      case HELD -> held;
      case DEAD_LETTER -> aside;
      case CONFIRMED, CANCELLED, RETURNED, UNKNOWN -> null;
    };
  }

  private static Turn turn(StoredClaim claim) {
    return new Turn(
        Math.max(claim.dueAt(), claim.takenAt()), claim.row().id(), claim.row().claimant());
  }

  private static Turn place(StoredClaim claim) {
    return new Turn(0, claim.row().id(), claim.row().claimant());
  }

  private static Turn last(long until) {
    return new Turn(until + 1, Long.MIN_VALUE, "");
  }

  @Override
  public void clear() {
    last.clear();
    all.clear();
    held.clear();
    taken.clear();
    untaken.clear();
    aside.clear();
  }

  @Override
  public List<StoredClaim> due(long now, int limit) {
    return first(held.headMap(last(now)), limit);
  }

  @Override
  public List<StoredClaim> taken(long until, int limit) {
    return first(taken.headMap(last(until)), limit);
  }

  @Override
  public List<StoredClaim> untaken(int limit) {
    return first(untaken, limit);
  }

  @Override
  public List<StoredClaim> aside(int limit) {
    return first(aside, limit);
  }

  private static List<StoredClaim> first(Map<Turn, StoredClaim> line, int limit) {
    return line.values().stream().limit(limit).toList();
  }

  @Override
  public long oldestQueued() {
    long oldest = untaken.isEmpty() ? Long.MAX_VALUE : untaken.firstEntry().getValue().row().at();
    for (StoredClaim claim : taken.values()) { // those that are being written: a few batches
      oldest = Math.min(oldest, claim.row().at());
    }
    return oldest == Long.MAX_VALUE ? 0 : oldest;
  }

  ClaimPage page(long now, String after, int limit) {
    int split = after.indexOf(' ');
    Turn from =
        split < 0
            ? new Turn(0, Long.MIN_VALUE, "")
            : new Turn(0, Long.parseLong(after, 0, split, 10), after.substring(split + 1));
    List<ClaimRow> rows =
        all.tailMap(from, false).values().stream().limit(limit).map(one -> one.at(now)).toList();
    ClaimRow last = rows.size() < limit ? null : rows.get(limit - 1);
    return new ClaimPage(rows, last == null ? "" : last.id() + " " + last.claimant());
  }
}
