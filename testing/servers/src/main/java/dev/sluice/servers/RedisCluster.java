package dev.sluice.servers;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * A real Redis Cluster on the loopback interface: masters that share the slots evenly, and
 * replicas. It is put together command by command, so that no other program is needed.
 *
 * <p>Not thread-safe.
 */
public final class RedisCluster implements AutoCloseable {
  /** Slots of every Redis Cluster. */
  public static final int SLOTS = 16384;

  private static final Duration MAX_START = Duration.ofSeconds(60);
  private static final List<String> SETTINGS =
      List.of(
          "--cluster-enabled",
          "yes",
          "--cluster-node-timeout",
          "2000",
          "--cluster-require-full-coverage",
          "no",
          "--cluster-replica-validity-factor",
          "0",
          "--repl-diskless-sync",
          "yes",
          "--repl-diskless-sync-delay",
          "0");
  private static final int PORTS_TO_TRY = 20;

  private final List<RedisServer> masters = new ArrayList<>();
  private final List<RedisServer> replicas = new ArrayList<>();

  /** Ports that the servers announce in place of those they listen on. */
  private final Map<RedisServer, Integer> announced = new HashMap<>();

  private RedisCluster() {}

  /**
   * Starts a cluster and waits until every server knows every slot.
   *
   * @param binary which program
   * @param masters how many, at least 3
   * @param replicasEach how many replicas each master has
   * @return a cluster that serves all slots
   */
  public static RedisCluster start(RedisBinary binary, int masters, int replicasEach) {
    return start(binary, masters, replicasEach, List::of);
  }

  /**
   * The same with separate settings for each server.
   *
   * @param binary which program
   * @param masters how many, at least 3
   * @param replicasEach how many replicas each master has
   * @param more settings of the next try to start a server, such as {@code "--tls-port", "7000"}
   * @return a cluster that serves all slots
   */
  public static RedisCluster start(
      RedisBinary binary, int masters, int replicasEach, Supplier<List<String>> more) {
    RedisCluster cluster = new RedisCluster();
    try {
      for (int i = 0; i < masters * (1 + replicasEach); i++) {
        (i < masters ? cluster.masters : cluster.replicas).add(node(binary, more));
      }
      cluster.join();
      cluster.shareSlots();
      cluster.replicate();
      cluster.await("the cluster is whole", cluster::isWhole);
      return cluster;
    } catch (RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  /** The servers talk to each other on a separate port, 10,000 above the other by default. */
  private static RedisServer node(RedisBinary binary, Supplier<List<String>> more) {
    for (int tries = 1; ; tries++) {
      List<String> arguments = new ArrayList<>(SETTINGS);
      arguments.addAll(more.get()); // a port among them may be taken by now
      try {
        return RedisServer.start(binary, arguments.toArray(String[]::new));
      } catch (IllegalStateException e) {
        if (tries == PORTS_TO_TRY) {
          throw e;
        }
      }
    }
  }

  private void join() {
    RedisServer first = masters.get(0);
    for (int i = 0; i < nodes().size(); i++) {
      nodes().get(i).call("CLUSTER", "SET-CONFIG-EPOCH", "" + (i + 1));
    }
    for (RedisServer node : nodes()) {
      if (node != first) {
        node.call("CLUSTER", "MEET", "127.0.0.1", "" + first.port());
      }
    }
    int count = nodes().size();
    await(
        "all servers know each other",
        () -> nodes().stream().allMatch(node -> lines(node).size() == count && !unsure(node)));
  }

  private static boolean unsure(RedisServer node) {
    return lines(node).stream().anyMatch(line -> line.contains("handshake"));
  }

  private static List<String> lines(RedisServer node) {
    return String.valueOf(node.call("CLUSTER", "NODES")).lines().toList();
  }

  private void shareSlots() {
    for (int i = 0; i < masters.size(); i++) {
      int from = SLOTS * i / masters.size();
      int to = SLOTS * (i + 1) / masters.size();
      List<String> words = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
      for (int slot = from; slot < to; slot++) {
        words.add("" + slot);
      }
      masters.get(i).call(words.toArray(new String[0]));
    }
  }

  private void replicate() {
    int each = replicas.size() / masters.size();
    for (int i = 0; i < replicas.size(); i++) {
      RedisServer replica = replicas.get(i);
      String master = id(masters.get(i / each));
      await("a replica knows its master", () -> follows(replica, master));
    }
    await(
        "replicas are in step",
        () -> replicas.stream().allMatch(r -> info(r).contains("master_link_status:up")));
  }

  private static boolean follows(RedisServer replica, String master) {
    try {
      replica.call("CLUSTER", "REPLICATE", master);
      return true;
    } catch (IllegalStateException e) {
      return false; // it has not heard yet that this one is a master
    }
  }

  private static String info(RedisServer node) {
    return String.valueOf(node.call("INFO", "replication"));
  }

  /** Whether all servers that run agree on who has which slot, and all slots are served. */
  private boolean isWhole() {
    String agreed = null;
    for (RedisServer node : running()) {
      String state = String.valueOf(node.call("CLUSTER", "INFO"));
      String shares = shares(node);
      if (!state.contains("cluster_state:ok")
          || !state.contains("cluster_slots_ok:" + SLOTS)
          || agreed != null && !agreed.equals(shares)) {
        return false;
      }
      agreed = shares;
    }
    return true;
  }

  /** Each master that has slots, with its slots, as a server sees it. */
  private static String shares(RedisServer node) {
    Map<String, String> shares = new TreeMap<>();
    for (String line : lines(node)) {
      String[] words = line.split(" ");
      String slots =
          List.of(words).subList(Math.min(8, words.length), words.length).stream()
              .filter(word -> !word.startsWith("["))
              .collect(Collectors.joining(" "));
      if (!slots.isEmpty()) {
        shares.put(words[0], slots);
      }
    }
    return shares.toString();
  }

  /**
   * Waits until all slots are served and every server that runs knows by whom: after a fail-over,
   * or after slots were moved.
   */
  public void awaitWhole() {
    await("the cluster is whole again", this::isWhole);
  }

  /**
   * Lets a server tell clients and other servers another port than its own, that of a line to it,
   * until it is restarted.
   *
   * @param node a server
   * @param port where the line begins, on 127.0.0.1
   */
  public void announce(RedisServer node, int port) {
    announced.put(node, port);
    node.call("CONFIG", "SET", "cluster-announce-bus-port", "" + node.busPort());
    node.call("CONFIG", "SET", "cluster-announce-port", "" + port);
  }

  /**
   * Waits until every running server knows the ports that the others announce. The line of a server
   * about itself does not count: Redis 6.2 keeps the plain port there.
   */
  public void awaitAnnounced() {
    await(
        "all servers know each other's lines",
        () ->
            running().stream()
                .allMatch(
                    node -> {
                      String known = String.valueOf(node.call("CLUSTER", "NODES"));
                      return nodes().stream()
                          .filter(other -> other != node)
                          .allMatch(other -> known.contains("127.0.0.1:" + port(other) + "@"));
                    }));
  }

  private int port(RedisServer node) {
    return announced.getOrDefault(node, node.port());
  }

  /** Waits for servers to agree. */
  static void await(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > MAX_START.toNanos()) {
        throw new IllegalStateException("timed out waiting until " + what);
      }
      try {
        TimeUnit.MILLISECONDS.sleep(20);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }
  }

  /** {@return those that were given slots at the start} */
  public List<RedisServer> masters() {
    return List.copyOf(masters);
  }

  /** {@return the replicas of the start: first those of the first master} */
  public List<RedisServer> replicas() {
    return List.copyOf(replicas);
  }

  /** {@return all servers} */
  public List<RedisServer> nodes() {
    List<RedisServer> all = new ArrayList<>(masters);
    all.addAll(replicas);
    return all;
  }

  private List<RedisServer> running() {
    return nodes().stream().filter(RedisServer::isRunning).toList();
  }

  /**
   * The id of a server in the cluster.
   *
   * @param node a server
   * @return 40 hexadecimal digits
   */
  public String id(RedisServer node) {
    return String.valueOf(node.call("CLUSTER", "MYID"));
  }

  /**
   * The slot of a key.
   *
   * @param key a key
   * @return 0 to 16383
   */
  public int slot(String key) {
    return ((Long) reply(running().get(0), "CLUSTER", "KEYSLOT", key)).intValue();
  }

  private static Object reply(RedisServer node, String... words) {
    Object reply = node.call(words);
    if (reply == null) {
      throw new IllegalStateException("no reply to " + String.join(" ", words));
    }
    return reply;
  }

  /**
   * The master of a slot, as the servers that run see it.
   *
   * @param slot 0 to 16383
   * @return the server
   */
  public RedisServer masterOf(int slot) {
    for (Object range : (List<?>) reply(running().get(0), "CLUSTER", "SLOTS")) {
      List<?> words = (List<?>) range;
      if ((Long) words.get(0) <= slot && slot <= (Long) words.get(1)) {
        Object port = ((List<?>) words.get(2)).get(1);
        return nodes().stream()
            .filter(node -> port.equals((long) port(node)) || port.equals((long) node.port()))
            .findFirst()
            .orElseThrow();
      }
    }
    throw new IllegalStateException("no server has slot " + slot);
  }

  /**
   * Begins to move a slot: from now on the old master sends those who ask for a missing key to the
   * new one.
   *
   * @param slot 0 to 16383
   * @param to the new master
   */
  public void beginMove(int slot, RedisServer to) {
    RedisServer from = masterOf(slot);
    to.call("CLUSTER", "SETSLOT", "" + slot, "IMPORTING", id(from));
    from.call("CLUSTER", "SETSLOT", "" + slot, "MIGRATING", id(to));
  }

  /**
   * Moves the keys of a slot, with their values and expiries.
   *
   * @param slot one that is being moved
   * @param to the new master
   */
  public void moveKeys(int slot, RedisServer to) {
    RedisServer from = masterOf(slot);
    while (true) {
      List<?> keys = (List<?>) reply(from, "CLUSTER", "GETKEYSINSLOT", "" + slot, "100");
      if (keys.isEmpty()) {
        return;
      }
      List<String> words =
          new ArrayList<>(List.of("MIGRATE", "127.0.0.1", "" + to.port(), "", "0", "5000", "KEYS"));
      keys.forEach(key -> words.add(String.valueOf(key)));
      from.call(words.toArray(new String[0]));
    }
  }

  /**
   * Ends a move: the new master has the slot.
   *
   * @param slot one that is being moved, without keys left behind
   * @param to the new master
   */
  public void endMove(int slot, RedisServer to) {
    RedisServer from = masterOf(slot);
    to.call("CLUSTER", "SETSLOT", "" + slot, "NODE", id(to));
    from.call("CLUSTER", "SETSLOT", "" + slot, "NODE", id(to));
  }

  /** Forgets everything that was stored. */
  public void flush() {
    for (RedisServer node : running()) {
      if (info(node).contains("role:master")) {
        node.call("FLUSHALL");
      }
    }
  }

  /** {@return {@code redis-cluster://127.0.0.1:port,...}, with all servers that run} */
  public String uri() {
    return running().stream()
        .map(node -> "127.0.0.1:" + port(node))
        .collect(Collectors.joining(",", "redis-cluster://", ""));
  }

  /** Ends all servers. Idempotent. */
  @Override
  public void close() {
    nodes().forEach(RedisServer::close);
  }
}
