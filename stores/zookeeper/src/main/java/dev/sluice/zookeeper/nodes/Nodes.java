package dev.sluice.zookeeper.nodes;

import dev.sluice.ForeignDataException;
import dev.sluice.text.Names;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/** The paths of nodes at the servers: a stored format, see docs/stored-formats.md. */
public final class Nodes {
  /** The zxid of a grant is the upper part of its token; the lower part leaves room for a block. */
  public static final int TOKENS = 256;

  /** The owner of a node that is kept during a delayed release. No client has this name. */
  private static final String NOBODY = "-";

  private Nodes() {}

  private static final Pattern NODE =
      Pattern.compile("([A-Za-z0-9_-]{1,64})\\.([0-9]{1,19})\\.([0-9]{1,10})\\.(-?[0-9]{9,10})");

  /**
   * A process in the queue.
   *
   * @param name the node's name
   * @param client whose it is
   * @param attempt which attempt
   * @param units how much it has or wants
   * @param order the number that the servers gave it; it wraps around
   */
  public record Node(String name, String client, long attempt, int units, int order) {

    public static Node parse(String folder, String name) {
      Matcher parts = NODE.matcher(name);
      try {
        if (parts.matches()) {
          return new Node(
              name,
              parts.group(1),
              Long.parseLong(parts.group(2)),
              Integer.parseInt(parts.group(3)),
              Integer.parseInt(parts.group(4)));
        }
      } catch (NumberFormatException e) {
        // as foreign as what does not match
      }
      throw new ForeignDataException(
          "'" + folder + "/" + name + "' is not a node of Sluice; move it elsewhere", null);
    }

    boolean is(String client, long attempt) {
      return this.attempt == attempt && this.client.equals(client);
    }

    boolean isNobodys() {
      return client.equals(NOBODY);
    }

    /**
     * The same position in the queue, without a holder.
     *
     * @param zxid of the grant: no other place ever has the name
     */
    String asNobodys(long zxid) {
      return prefix(NOBODY, zxid, units) + name.substring(name.lastIndexOf('.') + 1);
    }

    /** The same position in the queue, with other units. */
    public String with(int fewer) {
      return prefix(client, attempt, fewer) + name.substring(name.lastIndexOf('.') + 1);
    }
  }

  /**
   * The clients in the queue, in order of arrival.
   *
   * @param capacity units to be had
   * @param folder of the parent; all zero where there is none
   * @param heard the state of the queue that the observer knew before it read
   */
  public record Queue(List<Node> nodes, Capacity capacity, Stat folder, int heard) {

    public static Queue of(String path, Session.Children children, Capacity capacity) {
      List<Node> nodes = new ArrayList<>(children.names().size());
      for (String name : children.names()) {
        nodes.add(Node.parse(path, name));
      }
      if (nodes.size() > 1) {
        int any = nodes.get(0).order;
        nodes.sort(Comparator.comparingInt(node -> node.order - any)); // numbers wrap around
      }
      return new Queue(nodes, capacity, children.stat(), 0);
    }

    Queue after(int heard) {
      return new Queue(nodes, capacity, folder, heard);
    }

    int indexOf(String client, long attempt) {
      for (int i = 0; i < nodes.size(); i++) {
        if (nodes.get(i).is(client, attempt)) {
          return i;
        }
      }
      return -1;
    }

    /**
     * The number of nodes at the head of the queue that fit; later ones wait even if they would
     * fit.
     */
    public int granted() {
      long out = 0;
      for (int i = 0; i < nodes.size(); i++) {
        out += nodes.get(i).units;
        if (out > capacity.units && !capacity.covers(nodes.get(i).order)) {
          return i;
        }
      }
      return nodes.size();
    }

    /** The number of waiters, without those of this client if it is first. */
    int waitingBeside(String client) {
      int granted = granted();
      boolean others = granted < nodes.size() && !nodes.get(granted).client.equals(client);
      return others ? nodes.size() - granted : 0;
    }
  }

  /**
   * The number of units of a name, stored in its folder.
   *
   * @param units zero if it is not set
   * @param heldUpTo the last place that held some when their number was lowered; null if it never
   *     was
   */
  public record Capacity(int units, @Nullable Integer heldUpTo) {
    private static final Pattern TEXT = Pattern.compile("([0-9]{1,7})(?: held=(-?[0-9]{9,10}))?");

    /** The queue of a lock. */
    public static final Capacity ONE = new Capacity(1, null);

    static final Capacity NONE = new Capacity(0, null);

    public static Capacity parse(String path, byte[] data) {
      Matcher parts = TEXT.matcher(new String(data, StandardCharsets.US_ASCII));
      if (!parts.matches()) {
        throw new ForeignDataException("'" + path + "' was not written by Sluice", null);
      }
      String held = parts.group(2);
      return new Capacity(
          Integer.parseInt(parts.group(1)), held == null ? null : Integer.valueOf(held));
    }

    public byte[] bytes() {
      String text = heldUpTo == null ? "" : String.format(Locale.ROOT, " held=%010d", heldUpTo);
      return (units + text).getBytes(StandardCharsets.US_ASCII);
    }

    boolean covers(int order) {
      return heldUpTo != null && order - heldUpTo <= 0;
    }
  }

  /**
   * Returns whether the version numbers of this folder's nodes are nearly exhausted. They start
   * over in a new folder.
   */
  public static boolean isNearTheEnd(String folder, String node) {
    return Node.parse(folder, node).order > Integer.MAX_VALUE - 1_000_000;
  }

  /** The prefix of a node's name. The servers append ten digits. */
  static String prefix(String client, long attempt, int units) {
    return client + "." + attempt + "." + units + ".";
  }

  /**
   * The data of a node, for readers.
   *
   * @param ttlMicros how long it was asked for
   * @param block how many tokens were reserved
   * @param zxid of the grant, where the node was replaced since; 0: its own
   */
  public record Note(long ttlMicros, int block, long zxid) {
    private static final Pattern TEXT =
        Pattern.compile("ttl=([0-9]{1,18})us block=([0-9]{1,4}) zxid=([0-9]{1,18})");

    public byte[] bytes() {
      return String.format(Locale.ROOT, "ttl=%dus block=%d zxid=%d", ttlMicros, block, zxid)
          .getBytes(StandardCharsets.US_ASCII);
    }

    public static Note parse(String path, byte[] bytes) {
      Matcher parts = TEXT.matcher(new String(bytes, StandardCharsets.US_ASCII));
      if (!parts.matches()) {
        throw new ForeignDataException("'" + path + "' was not written by Sluice", null);
      }
      return new Note(
          Long.parseLong(parts.group(1)),
          Integer.parseInt(parts.group(2)),
          Long.parseLong(parts.group(3)));
    }

    /** {@return the first token of the grant, which is that of the node unless it was replaced} */
    public long token(Stat node) {
      return (zxid == 0 ? node.getCzxid() : zxid) * TOKENS;
    }
  }

  /**
   * A name as one part of a path: what is not a letter, a digit or one of {@code _-~:@,=+} becomes
   * percent escapes of its UTF-8 bytes. Different names stay different.
   */
  public static String encode(String name) {
    StringBuilder out = new StringBuilder(name.length() + 16);
    for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (b & 0xFF);
      if (c < 0x80 && (Character.isLetterOrDigit(c) || "_-~:@,=+".indexOf(c) >= 0)) {
        out.append(c);
      } else {
        out.append('%')
            .append(Character.toUpperCase(Character.forDigit(c >> 4, 16)))
            .append(Character.toUpperCase(Character.forDigit(c & 0xF, 16)));
      }
    }
    return out.toString();
  }

  static String decode(String encoded) {
    return Names.decode(encoded);
  }
}
