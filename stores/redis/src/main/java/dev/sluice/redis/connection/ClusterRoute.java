package dev.sluice.redis.connection;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.redis.command.Call;
import dev.sluice.redis.command.RedisFailures;
import dev.sluice.redis.command.ScriptCall;
import dev.sluice.redis.keys.CallKeys;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.SlotHash;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A connection to each master of a Redis Cluster, opened when it is first needed. A call goes to
 * the server that last had its slot. If the slot has moved, the server's error reply names another
 * server, and the call is repeated there.
 */
public final class ClusterRoute implements Route {
  /*
   * MOVED and ASK come from the server that was asked, before anything was done; the call is
   * repeated where they point, and for the caller it is one call with one time limit. TRYAGAIN (a
   * slot on its way, with some of the keys here and some there) and CLUSTERDOWN pass by
   * themselves: the call is put off for a moment, again and again while its time lasts. While a
   * slot is on its way, a script with several keys runs nowhere unless all of them exist, until
   * the slot has moved. Most locks are in their first key alone, so their scripts are tried with
   * that one: they touch no other key unless a client waits, and then fail before they have
   * written anything.
   *
   * Replies of one server come on one thread in the order of the calls, and a repetition is
   * sent on that thread before the slot's entry in the table changes: so a release and the acquire
   * after it stay in order when their slot moves.
   */
  private static final String NODE = "Redis Cluster node ";

  private static final int MAX_REDIRECTS = 8;

  /** The error of a server for a script that uses a key that was not passed. */
  private static final String NIL_KEY = "arguments must be strings or integers";

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long RECONNECT_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final String describe;
  private final Topology topology;
  private final Function<RedisURI, CompletionStage<StatefulRedisConnection<String, String>>> opener;
  private final Duration timeout;
  private final EventExecutor timer;
  private final Map<String, CommandConnection> connections = new ConcurrentHashMap<>();
  private final Runnable onChange = this::changed;

  /**
   * The connections by slot; null causes a look-up. Entries race, and each value they may have is a
   * good guess.
   */
  private volatile @Nullable CommandConnection[] table = new CommandConnection[SlotHash.SLOT_COUNT];

  private volatile boolean closed;

  /**
   * A route without connections.
   *
   * @param describe the cluster, for messages
   * @param topology who has which slot
   * @param opener opens a connection to a server
   * @param timeout longest time of a call
   */
  ClusterRoute(
      String describe,
      Topology topology,
      Function<RedisURI, CompletionStage<StatefulRedisConnection<String, String>>> opener,
      Duration timeout) {
    this.describe = describe;
    this.topology = topology;
    this.opener = opener;
    this.timeout = timeout;
    this.timer = topology.timer();
    topology.addListener(onChange);
  }

  @Override
  public void send(Call<?> call) {
    CommandConnection connection = connectionOf(call.slot());
    if (connection != null) {
      connection.send(call);
      return;
    }
    topology.refreshSoon();
    if (mayBePutOff(call)) {
      putOff(call);
    } else {
      call.fail(
          new BackendException(
              describe
                  + " has no master for slot "
                  + call.slot()
                  + " at present; '"
                  + call.verb
                  + "' was not sent",
              null));
    }
  }

  @Override
  public @Nullable CommandConnection connection(CallKeys keys) {
    return connectionOf(keys.slot());
  }

  private @Nullable CommandConnection connectionOf(int slot) {
    if (slot < 0) {
      throw new IllegalArgumentException("a call without keys has no server in a cluster");
    }
    @Nullable CommandConnection[] present = table;
    CommandConnection connection = present[slot];
    if (connection == null || connection.isSpent(RECONNECT_PAUSE_NANOS)) {
      RedisURI master = topology.masterOf(slot);
      connection = master == null ? null : connectionTo(master);
      present[slot] = connection;
    }
    return connection;
  }

  private CommandConnection connectionTo(RedisURI server) {
    String address = server.getHost() + ":" + server.getPort();
    CommandConnection known = connections.get(address);
    if (known != null && !known.isSpent(RECONNECT_PAUSE_NANOS)) {
      return known;
    }
    CommandConnection made = new CommandConnection(NODE + address, this, true, timeout);
    CommandConnection connection =
        connections.compute(
            address, (p, old) -> old == null || old.isSpent(RECONNECT_PAUSE_NANOS) ? made : old);
    if (connection == made) {
      if (closed) {
        made.close();
      } else {
        opener
            .apply(server)
            .whenComplete(
                (opened, failure) -> {
                  if (failure == null) {
                    made.connected(opened);
                  } else {
                    made.failed(failure);
                    troubled(made);
                  }
                });
      }
    }
    return connection;
  }

  // ---- what servers say ----

  @Override
  public boolean redirects(Call<?> call, CommandConnection from, String error) {
    if (call.slot() < 0) {
      return false; // it was meant for that server
    }
    int space = error.indexOf(' ');
    return switch (space < 0 ? error : error.substring(0, space)) {
      case "MOVED" -> follow(call, from, error, false);
      case "ASK" -> follow(call, from, error, true);
      case "TRYAGAIN" -> {
        if (call instanceof ScriptCall<?> script && script.script.runsAlone && !script.isAlone()) {
          send(script.alone());
          yield true;
        }
        yield mayBePutOff(call) && putOff(call.again());
      }
      case "CLUSTERDOWN" -> {
        topology.refreshSoon();
        yield mayBePutOff(call) && putOff(call.again());
      }
      default ->
          call instanceof ScriptCall<?> script
              && script.isAlone()
              && error.contains(NIL_KEY)
              && mayBePutOff(call)
              && putOff(call.first().again());
    };
  }

  /** {@code MOVED 866 host:port}. */
  private boolean follow(Call<?> call, CommandConnection from, String error, boolean asking) {
    String[] words = error.split(" ");
    int colon = words.length < 3 ? -1 : words[2].lastIndexOf(':');
    if (colon < 0 || ++call.first().redirects > MAX_REDIRECTS) {
      return false;
    }
    String host = words[2].substring(0, colon);
    if (host.isEmpty() || host.equals("?")) { // a server that does not know how it is called
      host = hostOf(from);
    }
    CommandConnection connection =
        connectionTo(topology.server(host, Integer.parseInt(words[2].substring(colon + 1))));
    limit(call.first());
    Call<?> again =
        call instanceof ScriptCall<?> script && script.isAlone() ? script.alone() : call.again();
    if (asking) {
      again.ask();
    }
    connection.send(again);
    if (!asking) {
      table[Integer.parseInt(words[1])] = connection;
      topology.refreshSoon();
    }
    return true;
  }

  private String hostOf(CommandConnection connection) {
    String address = connection.describe.substring(NODE.length());
    return address.substring(0, address.lastIndexOf(':'));
  }

  private boolean mayBePutOff(Call<?> call) {
    return System.nanoTime() - call.sentAt + PAUSE_NANOS < timeout.toNanos();
  }

  private boolean putOff(Call<?> call) {
    limit(call.first());
    call.first().redirects = 0;
    timer.schedule(() -> sendAgain(call), PAUSE_NANOS, TimeUnit.NANOSECONDS);
    return true;
  }

  private void sendAgain(Call<?> call) {
    if (closed) {
      call.fail(RedisFailures.closed());
    } else if (!call.first().isDone()) {
      send(call);
    }
  }

  /** A redirected call is tracked only where it was sent first. */
  private void limit(Call<?> first) {
    if (!first.limited) {
      first.limited = true;
      timer.schedule(
          () ->
              first.fail(
                  new OutcomeUnknownException(
                      describe
                          + " did not answer '"
                          + first.verb
                          + "' within "
                          + RedisFailures.shortly(timeout),
                      null)),
          timeout.toNanos() - (System.nanoTime() - first.sentAt),
          TimeUnit.NANOSECONDS);
    }
  }

  @Override
  public void troubled(CommandConnection connection) {
    if (!closed) {
      topology.refreshSoon();
    }
  }

  /** The topology was read again. */
  private void changed() {
    table = new CommandConnection[SlotHash.SLOT_COUNT];
    connections.forEach(
        (address, connection) -> {
          if (!topology.knows(address) && connections.remove(address, connection)) {
            connection.abandon();
          }
        });
  }

  // ---- all servers ----

  /** A position in the keys of one master, and the masters after it. */
  private static final class Page extends KeyScanCursor<String> {
    final ScanCursor inMaster;
    final List<RedisURI> rest;

    Page(KeyScanCursor<String> page, List<RedisURI> rest) {
      inMaster = page;
      this.rest = rest;
      getKeys().addAll(page.getKeys());
      setCursor(page.getCursor());
      setFinished(page.isFinished() && rest.size() == 1);
    }
  }

  @Override
  public CompletionStage<KeyScanCursor<String>> scan(ScanCursor from, ScanArgs what) {
    List<RedisURI> masters = from instanceof Page page ? page.rest : topology.masters();
    ScanCursor at = from instanceof Page page ? page.inMaster : ScanCursor.INITIAL;
    if (at.isFinished()) {
      masters = masters.subList(1, masters.size());
      at = ScanCursor.INITIAL;
    }
    if (masters.isEmpty()) {
      return CompletableFuture.failedFuture(
          new BackendException(describe + " has no master at present", null));
    }
    ScanCursor cursor = at;
    List<RedisURI> rest = masters;
    return connectionTo(rest.get(0))
        .opened()
        .thenCompose(opened -> opened.async().scan(cursor, what))
        .thenApply(page -> new Page(page, rest));
  }

  @Override
  public Map<String, CompletionStage<StatefulRedisConnection<String, String>>> nodes() {
    Map<String, CompletionStage<StatefulRedisConnection<String, String>>> nodes = new TreeMap<>();
    for (RedisURI master : topology.masters()) {
      String where = "Redis Cluster node " + master.getHost() + ":" + master.getPort();
      nodes.put(where, connectionTo(master).opened());
    }
    return nodes;
  }

  @Override
  public void close() {
    closed = true;
    topology.removeListener(onChange);
    connections.values().forEach(CommandConnection::close);
  }
}
