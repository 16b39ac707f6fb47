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
 * Records the ended attempts of each client, for longer than a message can be delayed. All moments
 * are the store's clock, microseconds since the epoch. Not thread-safe.
 */
final class Tombstones {
  /** The last ended attempt of a client, and when it ended. */
  private static final class Over {
    long attempt;
    long at;

    Over(long attempt, long at) {
      this.attempt = attempt;
      this.at = at;
    }
  }

  /** By client, in the order of their ends. */
  private final Map<String, Over> over = new LinkedHashMap<>();

  private @Nullable Over newest;

  /** Whether this attempt, or a later one of the client, was ended before. */
  boolean covers(long now, String client, long attempt) {
    Over last = over.get(client);
    return last != null && last.attempt >= attempt && isRemembered(now, last);
  }

  /** An older entry counts as dropped, even if it is still stored. */
  private static boolean isRemembered(long now, Over last) {
    return now - last.at < RETENTION_MICROS;
  }

  /** Ends an attempt and all before it. */
  void add(long now, String client, long attempt) {
    Over last = over.get(client);
    if (last == null) {
      last = new Over(attempt, now);
    } else {
      last.attempt = isRemembered(now, last) ? Math.max(last.attempt, attempt) : attempt;
      last.at = now;
    }
    if (last != newest) {
      over.remove(client);
      over.put(client, last);
      newest = last;
    }
    if (over.size() > 1) {
      dropOld(now);
    }
  }

  private void dropOld(long now) {
    // kept for twice the time needed: a backward clock step neither revives a dropped entry nor
    // drops one that is still needed
    Iterator<Over> eldest = over.values().iterator();
    while (eldest.hasNext() && now - eldest.next().at >= 2 * RETENTION_MICROS) {
      eldest.remove();
    }
  }

  /** The newest entry, or null. */
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

  /** Writes all entries, in order. */
  void write(DataOutput out) throws IOException {
    write(out, over.size());
  }

  /** Writes all entries except the newest, in order. */
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

  /** Parses the stored form into an empty object. */
  void read(DataInput in) throws IOException {
    for (int left = StoredForm.count(in); left > 0; left--) {
      put(new Tombstone(in.readUTF(), in.readLong(), in.readLong()));
    }
  }

  /** Adds an entry that is newer than all others, unchanged. */
  void put(Tombstone tombstone) {
    newest = new Over(tombstone.attempt(), tombstone.at());
    over.put(tombstone.client(), newest);
  }
}
