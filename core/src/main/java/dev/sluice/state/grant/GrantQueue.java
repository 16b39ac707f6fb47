package dev.sluice.state.grant;

import static dev.sluice.spi.LockProtocol.HEARTBEAT_MICROS;

import dev.sluice.spi.GrantRequest;
import dev.sluice.state.StoredForm;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The wait queue for units of a name, in order: first the tickets with priority, then all others. A
 * client has one ticket in all, and keeps its place when it repeats the request. Not thread-safe.
 */
final class GrantQueue {

  /** A waiting request, which ends at {@code deadAt} by the store's clock unless it is repeated. */
  record Ticket(GrantRequest request, long deadAt) {
    String client() {
      return request.client();
    }

    long attempt() {
      return request.attempt();
    }

    /** A time further ahead than a heartbeat results from a backward step of the clock. */
    boolean isLive(long now) {
      return deadAt > now && deadAt <= now + HEARTBEAT_MICROS;
    }
  }

  private final Map<String, Ticket> firsts = new LinkedHashMap<>(0);
  private final Map<String, Ticket> others = new LinkedHashMap<>(0);

  int size() {
    return firsts.size() + others.size();
  }

  @Nullable Ticket of(String client) {
    Ticket first = firsts.get(client);
    return first != null ? first : others.get(client);
  }

  @Nullable Ticket head() {
    Map<String, Ticket> line = firsts.isEmpty() ? others : firsts;
    return line.isEmpty() ? null : line.values().iterator().next();
  }

  /** Whether no ticket comes before this request, queued or not. */
  boolean isNext(GrantRequest request) {
    Ticket head = head();
    return head == null
        || head.client().equals(request.client())
        || (request.first() && firsts.isEmpty() && of(request.client()) == null);
  }

  /** Adds a ticket, or renews that of the client. */
  void put(GrantRequest request, long now) {
    lineOf(request).put(request.client(), new Ticket(request, now + HEARTBEAT_MICROS));
  }

  private Map<String, Ticket> lineOf(GrantRequest request) {
    if (firsts.containsKey(request.client())) {
      return firsts;
    }
    return request.first() && !others.containsKey(request.client()) ? firsts : others;
  }

  /** The number of tickets before the client's. */
  int positionOf(String client) {
    int position = 0;
    for (Ticket ticket : tickets()) {
      if (ticket.client().equals(client)) {
        break;
      }
      position++;
    }
    return position;
  }

  void remove(String client) {
    firsts.remove(client);
    others.remove(client);
  }

  List<Ticket> tickets() {
    List<Ticket> all = new ArrayList<>(firsts.values());
    all.addAll(others.values());
    return all;
  }

  void write(DataOutput out) throws IOException {
    write(out, firsts);
    write(out, others);
  }

  private static void write(DataOutput out, Map<String, Ticket> line) throws IOException {
    out.writeInt(line.size());
    for (Ticket ticket : line.values()) {
      GrantRequest request = ticket.request;
      out.writeUTF(request.client());
      out.writeLong(request.attempt());
      out.writeLong(request.ttlMicros());
      out.writeInt(request.least());
      out.writeInt(request.most());
      out.writeShort(request.block());
      out.writeLong(ticket.deadAt);
    }
  }

  /** Parses the stored form into an empty queue. */
  void read(DataInput in, String name, int capacity) throws IOException {
    read(in, name, capacity, true, firsts);
    read(in, name, capacity, false, others);
  }

  private static void read(
      DataInput in, String name, int capacity, boolean first, Map<String, Ticket> line)
      throws IOException {
    for (int left = StoredForm.count(in); left > 0; left--) {
      String client = in.readUTF();
      long attempt = in.readLong();
      long ttl = in.readLong();
      int least = in.readInt();
      int most = in.readInt();
      int block = in.readUnsignedShort();
      GrantRequest request =
          new GrantRequest(name, client, attempt, ttl, capacity, least, most, first, block, true);
      line.put(client, new Ticket(request, in.readLong()));
    }
  }
}
