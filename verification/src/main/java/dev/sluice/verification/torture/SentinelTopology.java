package dev.sluice.verification.torture;

import dev.sluice.servers.ClockShim;
import dev.sluice.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A master, a replica that gets writes a little later, and a Sentinel that promotes the replica
 * when the master dies. The servers know one another by the ports of their lines, so that a spoilt
 * line spoils replication as well.
 */
final class SentinelTopology implements FaultyServers {
  private static final String DOWN_AFTER_MILLIS = "3000";
  private static final Duration MAX_WAIT = Duration.ofSeconds(40);

  /** No fault of a line may look like a dead server: a split is another promise. */
  private static final Duration MAX_SILENCE = Duration.ofMillis(1000);

  private final List<Node> nodes = new ArrayList<>();
  private final RedisServer sentinel;

  SentinelTopology(PlantedFault plant, @Nullable ClockShim clock) {
    boolean ready = false;
    RedisServer watcher = null;
    try {
      nodes.add(new Node(plant, null));
      nodes.add(new Node(plant, null));
      watcher = RedisServer.start("--sentinel");
      sentinel = watcher;
      nodes.forEach(SentinelTopology::announce);
      follow(nodes.get(1), nodes.get(0));
      sentinel.call("SENTINEL", "MONITOR", "main", "127.0.0.1", port(nodes.get(0)), "1");
      sentinel.call("SENTINEL", "SET", "main", "down-after-milliseconds", DOWN_AFTER_MILLIS);
      sentinel.call("SENTINEL", "SET", "main", "failover-timeout", "2000");
      await("sentinel did not find the replica", this::replicaIsReady);
      ready = true;
    } finally {
      if (!ready) {
        nodes.forEach(Node::close);
        if (watcher != null) {
          watcher.close();
        }
      }
    }
  }

  private static String port(Node node) {
    return "" + node.line.port();
  }

  private static void announce(Node node) {
    node.server.call("CONFIG", "SET", "replica-announce-ip", "127.0.0.1");
    node.server.call("CONFIG", "SET", "replica-announce-port", port(node));
    node.server.call("CONFIG", "SET", "repl-diskless-sync-delay", "0");
  }

  private static void follow(Node replica, Node master) {
    replica.server.call("REPLICAOF", "127.0.0.1", port(master));
    await(
        "the replica did not follow",
        () ->
            String.valueOf(replica.server.call("INFO", "replication"))
                .contains("master_link_status:up"));
  }

  private static void await(String otherwise, BooleanSupplier condition) {
    try {
      if (!ClientProcesses.await(MAX_WAIT, condition)) {
        throw new IllegalStateException(otherwise);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(otherwise, e);
    }
  }

  private boolean replicaIsReady() {
    if (!(sentinel.call("SENTINEL", "REPLICAS", "main") instanceof List<?> replicas)
        || replicas.size() != 1
        || !(replicas.get(0) instanceof List<?> fields)) {
      return false;
    }
    int flags = fields.indexOf("flags");
    int link = fields.indexOf("master-link-status");
    return flags >= 0
        && "slave".equals(fields.get(flags + 1))
        && link >= 0
        && "ok".equals(fields.get(link + 1));
  }

  private Node master() {
    Object address = sentinel.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "main");
    String port = address instanceof List<?> words ? String.valueOf(words.get(1)) : "";
    return port.equals(port(nodes.get(0))) ? nodes.get(0) : nodes.get(1);
  }

  @Override
  public String uri() {
    return "redis-sentinel://127.0.0.1:" + sentinel.port() + "/#main";
  }

  @Override
  public String describe() {
    return "two " + nodes.get(0).server.binary() + " and a Sentinel";
  }

  @Override
  public List<Fault> faults() {
    List<Fault> faults = new ArrayList<>();
    for (Node node : nodes) {
      faults.addAll(NodeFaults.ofLine(node, MAX_SILENCE));
      faults.addAll(NodeFaults.ofServer(node, MAX_SILENCE));
    }
    faults.add(new Fault("fail-over", 12, (random, notes) -> failOver(notes)));
    return faults;
  }

  /** The dead master comes back empty, and as a replica before anybody can reach it. */
  private String failOver(Fault.Notes notes) {
    await("the replica was not ready", this::replicaIsReady);
    Node dead = master();
    Node heir = dead == nodes.get(0) ? nodes.get(1) : nodes.get(0);
    notes.amnesia();
    dead.line.refuse(true);
    dead.kill();
    await(
        "no replica was promoted",
        () ->
            master() == heir
                && String.valueOf(heir.server.call("INFO", "replication")).contains("role:master"));
    notes.amnesia();
    dead.restartEmpty();
    announce(dead);
    follow(dead, heir);
    dead.line.refuse(false);
    return "master killed, replica promoted";
  }

  @Override
  public void heal() {
    nodes.forEach(Node::heal);
    await("the replica did not come back", this::replicaIsReady);
  }

  @Override
  public List<String> leftovers() {
    return Leftovers.of(master().server);
  }

  @Override
  public boolean isPlanted() {
    return nodes.stream().anyMatch(node -> node.requests.changed() > 0);
  }

  @Override
  public void close() {
    sentinel.close();
    nodes.forEach(Node::close);
  }
}
