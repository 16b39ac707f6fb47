package dev.sluice.verification.torture;

import dev.sluice.servers.ClockShim;
import dev.sluice.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Five masters that know nothing of each other and keep nothing on disk. Data is lost on one at a
 * time, which is no excuse for anything. A clock that is stepped forward is one, on any node: two
 * majorities may have no more than that node in common.
 */
final class QuorumTopology implements FaultyServers {
  private static final int NODES = 5;
  private static final int MAJORITY = NODES / 2 + 1;

  /** How long a node that lost its data may stay out before another may lose its own. */
  private static final Duration MAX_OUT = Duration.ofSeconds(10);

  private final List<Node> nodes = new ArrayList<>();

  QuorumTopology(PlantedFault plant, @Nullable ClockShim clock) {
    boolean ready = false;
    try {
      for (int i = 0; i < NODES; i++) {
        ClockShim stepped = i < NODES - MAJORITY ? clock : null;
        nodes.add(new Node(plant, stepped == null ? null : stepped.another()));
      }
      ready = true;
    } finally {
      if (!ready) {
        close();
      }
    }
  }

  @Override
  public String uri() {
    return nodes.stream()
        .map(node -> "127.0.0.1:" + node.line.port())
        .collect(
            Collectors.joining(
                ",",
                "redis-quorum://",
                "?fresh=true&maxTtl=" + CallerLoop.MAX_TTL.toMillis() + "ms"));
  }

  @Override
  public String describe() {
    return NODES + " independent " + nodes.get(0).server.binary();
  }

  @Override
  public List<Fault> faults() {
    List<Fault> faults = new ArrayList<>();
    for (Node node : nodes) {
      faults.addAll(NodeFaults.ofLine(node, Duration.ofSeconds(3)));
      faults.addAll(NodeFaults.ofServer(node, Duration.ofMillis(2500)));
      faults.add(new Fault("node restarted empty", 3, (random, notes) -> restart(node, random)));
      faults.add(new Fault("node flushed", 2, (random, notes) -> flush(node)));
    }
    faults.add(new Fault("two nodes stopped", 10, (random, notes) -> stop(2, random)));
    faults.add(new Fault("majority stopped", 5, (random, notes) -> stop(MAJORITY, random)));
    return faults;
  }

  /**
   * Whether all others are members, so that the loss of one more node is the loss of a minority.
   */
  private boolean othersAreMembers(Node but) throws InterruptedException {
    return ClientProcesses.await(
        MAX_OUT,
        () -> nodes.stream().filter(node -> node != but).allMatch(QuorumTopology::isMember));
  }

  private static boolean isMember(Node node) {
    String run =
        String.valueOf(node.server.call("INFO", "server"))
            .lines()
            .filter(line -> line.startsWith("run_id:"))
            .map(line -> line.substring("run_id:".length()).strip())
            .findFirst()
            .orElseThrow();
    return String.valueOf(node.server.call("GET", "sl:quorum")).contains(run);
  }

  private String restart(Node node, RandomGenerator random) throws InterruptedException {
    if (!othersAreMembers(node)) {
      return "";
    }
    node.kill();
    TimeUnit.MILLISECONDS.sleep(random.nextInt(1500));
    node.restartEmpty();
    return "node " + nodes.indexOf(node) + " killed, restarted empty";
  }

  private String flush(Node node) throws InterruptedException {
    if (!othersAreMembers(node)) {
      return "";
    }
    node.server.call("FLUSHALL");
    return "node " + nodes.indexOf(node) + " flushed";
  }

  private String stop(int count, RandomGenerator random) throws InterruptedException {
    int first = random.nextInt(NODES);
    List<RedisServer> stopped = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        RedisServer server = nodes.get((first + i) % NODES).server;
        server.pause();
        stopped.add(server);
      }
      TimeUnit.MILLISECONDS.sleep(random.nextInt(200, 3000));
    } finally {
      stopped.forEach(RedisServer::resume);
    }
    return count + " nodes stopped";
  }

  @Override
  public void heal() {
    nodes.forEach(Node::heal);
  }

  @Override
  public List<String> leftovers() {
    List<String> found = new ArrayList<>();
    nodes.forEach(node -> found.addAll(Leftovers.of(node.server)));
    return found;
  }

  @Override
  public boolean isPlanted() {
    return nodes.stream().anyMatch(node -> node.requests.changed() > 0);
  }

  @Override
  public void close() {
    nodes.forEach(Node::close);
  }
}
