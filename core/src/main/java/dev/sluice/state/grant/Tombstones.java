package dev.sluice.state.grant;

import static dev.sluice.spi.LockProtocol.RETENTION_MICROS;

import dev.sluice.state.StoredForm;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which attempts of each client are over, kept longer than a message can be late. All moments are
 * the store's clock, microseconds since the epoch. Not thread-safe.
 */
final class Tombstones {
  private record Over(long attempt, long at) {}

  private final Map<String, Over> over = new LinkedHashMap<>();

  /** Whether this attempt, or a later one of the client, was ended before. */
  boolean covers(long now, String client, long attempt) {
    Over last = over.get(client);
    return last != null && last.attempt >= attempt && isRemembered(now, last);
  }

  /** What is older counts as forgotten, whether or not it was dropped already. */
  private static boolean isRemembered(long now, Over last) {
    return now - last.at < RETENTION_MICROS;
  }

  /** Ends an attempt and all before it. */
  void add(long now, String client, long attempt) {
    Over last = over.remove(client);
    long ended =
        last != null && isRemembered(now, last) ? Math.max(last.attempt, attempt) : attempt;
    over.put(client, new Over(ended, now));
    // kept for twice the time needed: a backward clock step neither revives a dropped entry nor
    // drops one that is still needed
    Iterator<Over> eldest = over.values().iterator();
    while (eldest.hasNext() && now - eldest.next().at >= 2 * RETENTION_MICROS) {
      eldest.remove();
    }
  }

  /** The one that was added last, or null. */
  @Nullable Tombstone newest() {
    Tombstone newest = null;
    for (Map.Entry<String, Over> each : over.entrySet()) {
      newest = new Tombstone(each.getKey(), each.getValue().attempt, each.getValue().at);
    }
    return newest;
  }

  int size() {
    return over.size();
  }

  /** Writes all, in their order. */
  void write(DataOutput out) throws IOException {
    write(out, over.size());
  }

  /** Writes all but the newest, in their order. */
  void writeOlder(DataOutput out) throws IOException {
    write(out, Math.max(0, over.size() - 1));
  }

  private void write(DataOutput out, int first) throws IOException {
    out.writeInt(first);
    int left = first;
    for (Map.Entry<String, Over> each : over.entrySet()) {
      if (left-- > 0) {
        out.writeUTF(each.getKey());
        out.writeLong(each.getValue().attempt);
        out.writeLong(each.getValue().at);
      }
    }
  }

  /** Reads what was written, into none. */
  void read(DataInput in) throws IOException {
    for (int left = StoredForm.count(in); left > 0; left--) {
      put(new Tombstone(in.readUTF(), in.readLong(), in.readLong()));
    }
  }

  /** Adds one that is newer than all others, as it was. */
  void put(Tombstone newest) {
    over.put(newest.client(), new Over(newest.attempt(), newest.at()));
  }
}
