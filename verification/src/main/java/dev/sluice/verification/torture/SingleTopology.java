package dev.sluice.verification.torture;

import dev.sluice.servers.ClockShim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One Redis that writes everything to its disk before it answers. */
final class SingleTopology implements FaultyServers {
  private final Node node;

  SingleTopology(PlantedFault plant, @Nullable ClockShim clock) {
    this.node = new Node(plant, clock, "--appendonly", "yes", "--appendfsync", "always");
  }

  @Override
  public String uri() {
    return "redis://127.0.0.1:" + node.line.port();
  }

  @Override
  public String describe() {
    return "one " + node.server.binary() + ", every write on disk";
  }

  @Override
  public List<Fault> faults() {
    List<Fault> faults = new ArrayList<>();
    faults.addAll(NodeFaults.ofLine(node, Duration.ofSeconds(3)));
    faults.addAll(NodeFaults.ofServer(node, Duration.ofMillis(2500)));
    faults.addAll(NodeFaults.ofData(node));
    return faults;
  }

  @Override
  public void heal() {
    node.heal();
  }

  @Override
  public List<String> leftovers() {
    return Leftovers.of(node.server);
  }

  @Override
  public boolean isPlanted() {
    return node.requests.changed() > 0;
  }

  @Override
  public void close() {
    node.close();
  }
}
