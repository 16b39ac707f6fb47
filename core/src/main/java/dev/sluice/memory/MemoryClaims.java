package dev.sluice.memory;

import dev.sluice.spi.ClaimPage;
import dev.sluice.spi.ClaimRow;
import dev.sluice.spi.ClaimTable;
import dev.sluice.spi.StoredClaim;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The claims of one stock in memory, each in the line that its state stands in. */
final class MemoryClaims implements ClaimTable {
  private record Turn(long at, long id) implements Comparable<Turn> {
    @Override
    public int compareTo(Turn other) {
      int order = Long.compare(at, other.at);
      return order != 0 ? order : Long.compare(id, other.id);
    }
  }

  private final Map<String, StoredClaim> last = new HashMap<>();
  private final TreeMap<Long, StoredClaim> byId = new TreeMap<>();
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
      byId.remove(before.row().id());
      NavigableMap<Turn, StoredClaim> left = line(before);
      if (left != null) {
        left.remove(turn(before));
      }
    }
    byId.put(row.id(), claim);
    NavigableMap<Turn, StoredClaim> entered = line(claim);
    if (entered != null) {
      entered.put(turn(claim), claim);
    }
  }

  private @Nullable NavigableMap<Turn, StoredClaim> line(StoredClaim claim) {
    return switch (claim.row().state()) {
      case QUEUED -> claim.takenAt() == 0 ? untaken : taken;
      case HELD -> held;
      case SET_ASIDE -> aside;
      case CONFIRMED, CANCELLED, RETURNED, UNKNOWN -> null;
    };
  }

  private static Turn turn(StoredClaim claim) {
    return new Turn(Math.max(claim.dueAt(), claim.takenAt()), claim.row().id());
  }

  @Override
  public void clear() {
    last.clear();
    byId.clear();
    held.clear();
    taken.clear();
    untaken.clear();
    aside.clear();
  }

  @Override
  public List<StoredClaim> due(long now, int limit) {
    return first(held.headMap(new Turn(now, Long.MAX_VALUE)), limit);
  }

  @Override
  public List<StoredClaim> taken(long until, int limit) {
    return first(taken.headMap(new Turn(until, Long.MAX_VALUE)), limit);
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

  ClaimPage page(String after, int limit) {
    long from = after.isEmpty() ? Long.MIN_VALUE : Long.parseLong(after);
    List<ClaimRow> rows =
        byId.tailMap(from, false).values().stream().limit(limit).map(StoredClaim::row).toList();
    String next = rows.size() < limit ? "" : Long.toString(rows.get(rows.size() - 1).id());
    return new ClaimPage(rows, next);
  }
}
