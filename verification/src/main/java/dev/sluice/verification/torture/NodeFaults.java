package dev.sluice.verification.torture;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** Faults of one Redis server and of the connection to it. */
final class NodeFaults {
  /** Longer outages for the sake of the tokens are not worth a run's time. */
  private static final Duration MAX_OUTAGE = Duration.ofSeconds(3);

  private static final Duration MAX_TO_CATCH_UP = Duration.ofMinutes(1);

  /** Flushes, and gives no service until the clock has passed the last token. */
  private static final String FLUSH =
      "redis.call('FLUSHALL') "
          + "local from = redis.call('TIME') "
          + "repeat local t = redis.call('TIME') "
          + "until (t[1] - from[1]) * 1000000 + t[2] - from[2] > tonumber(ARGV[1]) "
          + "return 1";

  private final Node node;

  private NodeFaults(Node node) {
    this.node = node;
  }

  /** Faults of a line. None ends an entry early. */
  static List<Fault> ofLine(Node node, Duration longest) {
    NodeFaults faults = new NodeFaults(node);
    List<Fault> all = new ArrayList<>(ServerFaults.ofLine(node.line, longest));
    all.add(new Fault("requests repeated", 3, (random, notes) -> faults.repeat(random)));
    return all;
  }

  /** Faults of a server that keeps what it stored. */
  static List<Fault> ofServer(Node node, Duration longestPause) {
    NodeFaults faults = new NodeFaults(node);
    List<Fault> all = new ArrayList<>();
    all.add(ServerFaults.paused(node.server::pause, node.server::resume, longestPause));
    all.add(new Fault("scripts flushed", 1, (random, notes) -> faults.call("SCRIPT", "FLUSH")));
    all.add(
        new Fault(
            "inboxes killed",
            2,
            (random, notes) -> faults.call("CLIENT", "KILL", "TYPE", "pubsub")));
    if (node.hasClock()) {
      all.add(new Fault("clock stepped", 2, faults::step));
      all.add(new Fault("clock fast", 3, (random, notes) -> faults.runFast(random)));
    }
    return all;
  }

  /** Faults of a server whose data is on disk, each write of it, or is lost. */
  static List<Fault> ofData(Node node) {
    NodeFaults faults = new NodeFaults(node);
    return List.of(
        ServerFaults.killed(node::kill, node::restart),
        new Fault("data lost", 2, faults::loseData),
        new Fault("flushed", 4, (random, notes) -> faults.flush(notes)));
  }

  private String repeat(RandomGenerator random) {
    int most = random.nextInt(1, 32);
    node.repeat(most);
    return "the last " + most + " requests repeated";
  }

  private String call(String... words) {
    node.server.call(words);
    return String.join(" ", words);
  }

  private String loseData(RandomGenerator random, Fault.Notes notes) throws InterruptedException {
    Duration lead = bearableLead(notes);
    if (lead.compareTo(MAX_OUTAGE) > 0) {
      return "";
    }
    long from = System.nanoTime();
    notes.amnesia();
    node.kill();
    ServerFaults.pass(lead.toMillis() + random.nextLong(500));
    node.restartEmpty();
    notes.emptied(System.nanoTime() - from);
    return "killed, restarted empty";
  }

  /** Tokens may be so far ahead that no outage covers it: then the clock is put forward first. */
  private Duration bearableLead(Fault.Notes notes) {
    Duration behind = node.lead();
    if (behind.compareTo(MAX_OUTAGE) > 0 && behind.compareTo(MAX_TO_CATCH_UP) < 0) {
      step(behind.toMillis(), notes);
    }
    return node.lead();
  }

  private String flush(Fault.Notes notes) {
    Duration lead = bearableLead(notes);
    if (lead.compareTo(MAX_OUTAGE) > 0) {
      return "";
    }
    long from = System.nanoTime();
    notes.amnesia();
    node.server.call("EVAL", FLUSH, "0", "" + lead.toNanos() / 1000);
    notes.emptied(System.nanoTime() - from);
    return "FLUSHALL";
  }

  /** Mostly small; an hour now and then, and straight back. */
  private String step(RandomGenerator random, Fault.Notes notes) throws InterruptedException {
    boolean far = random.nextInt(6) == 0;
    long millis = far ? 3_600_000 : random.nextLong(1, 800);
    // an hour ahead means tokens that are an hour ahead, and no more loss of data in this run
    boolean ahead = random.nextInt(far ? 10 : 2) == 0;
    long by = ahead ? millis : -millis;
    step(by, notes);
    if (far) {
      ServerFaults.pass(random.nextLong(1500));
      step(-by, notes);
    } else if (random.nextBoolean()) {
      ServerFaults.pass(random.nextLong(300));
      step(-by, notes);
    }
    return "clock " + (by > 0 ? "+" : "") + by + " ms";
  }

  private void step(long millis, Fault.Notes notes) {
    long nanos = millis * 1_000_000;
    notes.stepped(nanos);
    node.step(Duration.ofMillis(millis));
    notes.stepped(nanos);
  }

  /** Eight parts in a thousand too fast, which the margin of 1 % must cover. */
  private String runFast(RandomGenerator random) throws InterruptedException {
    ServerFaults.runFast(random, node::step);
    return "clock 0.8 % fast";
  }
}
