package dev.sluice.verification.torture;

import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisCluster;
import dev.sluice.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Three masters with a replica each. They announce the ports of their lines, so clients and
 * replicas are led there; what the servers say among themselves to stay a cluster goes past them.
 */
final class ClusterTopology implements FaultyServers {
  /** A pause that a cluster does not take for a death. */
  private static final int MAX_PAUSE_MILLIS = 1200;

  /** So long may a line be silent. */
  private static final Duration MAX_SILENCE = Duration.ofMillis(1000);

  private static final Duration MAX_FAIL_OVER = Duration.ofSeconds(60);

  private final RedisCluster cluster;
  private final List<Node> nodes = new ArrayList<>();

  ClusterTopology(PlantedFault plant) {
    this.cluster = RedisCluster.start(RedisBinary.any(), 3, 1);
    boolean ready = false;
    try {
      for (RedisServer server : cluster.nodes()) {
        Node node = new Node(server, plant);
        nodes.add(node);
        cluster.announce(server, node.line.port());
      }
      cluster.awaitAnnounced();
      cluster.awaitWhole();
      ready = true;
    } finally {
      if (!ready) {
        close();
      }
    }
  }

  @Override
  public String uri() {
    return cluster.uri();
  }

  @Override
  public String describe() {
    return "a cluster of six " + cluster.masters().get(0).binary();
  }

  @Override
  public List<Fault> faults() {
    List<Fault> faults = new ArrayList<>();
    nodes.forEach(node -> faults.addAll(NodeFaults.ofLine(node, MAX_SILENCE)));
    faults.addAll(
        List.of(
            new Fault("master killed", 16, this::failOver),
            new Fault("slot moved", 32, (random, notes) -> moveSlot(random)),
            new Fault("server paused", 16, (random, notes) -> pause(random)),
            new Fault(
                "connections killed",
                12,
                (random, notes) -> call("CLIENT", "KILL", "TYPE", "normal")),
            new Fault(
                "inboxes killed", 8, (random, notes) -> call("CLIENT", "KILL", "TYPE", "pubsub")),
            new Fault("scripts flushed", 4, (random, notes) -> call("SCRIPT", "FLUSH"))));
    return faults;
  }

  private List<RedisServer> running() {
    List<RedisServer> servers = new ArrayList<>(cluster.nodes());
    servers.removeIf(server -> !server.isRunning());
    return servers;
  }

  private String call(String... words) {
    running().forEach(server -> server.call(words));
    return String.join(" ", words);
  }

  private int slot(RandomGenerator random) {
    String name = TortureSettings.NAMES.get(random.nextInt(TortureSettings.NAMES.size()));
    return cluster.slot("sl:{" + name + "}:lock");
  }

  /** The dead master comes back as a replica of its heir. */
  private String failOver(RandomGenerator random, Fault.Notes notes) throws InterruptedException {
    int slot = slot(random);
    RedisServer dead = cluster.masterOf(slot);
    notes.amnesia();
    dead.kill();
    if (!ClientProcesses.await(MAX_FAIL_OVER, () -> hasHeir(slot, dead))) {
      throw new IllegalStateException("no replica was promoted");
    }
    notes.amnesia();
    dead.restart();
    for (Node node : nodes) {
      if (node.server == dead) {
        cluster.announce(dead, node.line.port());
      }
    }
    cluster.awaitAnnounced();
    cluster.awaitWhole();
    if (!ClientProcesses.await(MAX_FAIL_OVER, () -> running().stream().allMatch(this::isInStep))) {
      throw new IllegalStateException("a replica did not come back");
    }
    return "master killed, replica promoted";
  }

  private boolean hasHeir(int slot, RedisServer dead) {
    RedisServer master = cluster.masterOf(slot);
    return master != dead && isMaster(master);
  }

  private static boolean isMaster(RedisServer server) {
    return String.valueOf(server.call("INFO", "replication")).contains("role:master");
  }

  private boolean isInStep(RedisServer server) {
    return isMaster(server)
        || String.valueOf(server.call("INFO", "replication")).contains("master_link_status:up");
  }

  private String moveSlot(RandomGenerator random) throws InterruptedException {
    int slot = slot(random);
    RedisServer from = cluster.masterOf(slot);
    List<RedisServer> others =
        running().stream()
            .filter(server -> server != from)
            .filter(ClusterTopology::isMaster)
            .toList();
    RedisServer to = others.get(random.nextInt(others.size()));
    cluster.beginMove(slot, to);
    TimeUnit.MILLISECONDS.sleep(random.nextInt(400));
    cluster.moveKeys(slot, to);
    TimeUnit.MILLISECONDS.sleep(random.nextInt(400));
    cluster.moveKeys(slot, to); // what came while the last keys went
    cluster.endMove(slot, to);
    cluster.awaitWhole();
    return "slot " + slot + " moved";
  }

  private String pause(RandomGenerator random) throws InterruptedException {
    RedisServer server = cluster.masterOf(slot(random));
    int millis = random.nextInt(20, MAX_PAUSE_MILLIS);
    server.pause();
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } finally {
      server.resume();
    }
    return "master stopped for " + millis + " ms";
  }

  @Override
  public void heal() {
    nodes.forEach(Node::heal);
    cluster.awaitWhole();
  }

  @Override
  public List<String> leftovers() {
    List<String> found = new ArrayList<>();
    running().stream()
        .filter(ClusterTopology::isMaster)
        .forEach(server -> found.addAll(Leftovers.of(server)));
    return found;
  }

  @Override
  public boolean isPlanted() {
    return nodes.stream().anyMatch(node -> node.requests.changed() > 0);
  }

  @Override
  public void close() {
    nodes.forEach(node -> node.line.close());
    cluster.close();
  }
}
