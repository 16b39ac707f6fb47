package dev.sluice.redis.doctor;

import dev.sluice.Finding;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Checks across the servers of one quorum. */
final class QuorumChecks {
  private static final int MIN_NODES = 3;

  /** The lead of tokens over a clock that is worth a warning. */
  private static final long APART_MICROS = TimeUnit.MILLISECONDS.toMicros(100);

  private QuorumChecks() {}

  /** Checks the members by their facts, including unreachable ones. */
  static List<Finding> of(List<NodeFacts> members) {
    List<Finding> findings = new ArrayList<>();
    int named = members.size();
    String where = "quorum of " + named;
    if (named < MIN_NODES) {
      findings.add(RedisFinding.TOO_FEW_NODES.at(where, named + " servers are named"));
    } else if (named % 2 == 0) {
      findings.add(
          RedisFinding.EVEN_COUNT.at(
              where,
              "%d servers survive %d failures, as %d do"
                  .formatted(named, (named - 1) / 2, named - 1)));
    }
    long answering =
        members.stream()
            .filter(member -> member.silent == null && member.unreachable == null)
            .count();
    if (answering < named / 2 + 1) {
      findings.add(
          RedisFinding.NO_MAJORITY.at(where, answering + " of " + named + " servers answer"));
    }
    for (int i = 0; i < members.size(); i++) {
      for (int j = i + 1; j < members.size(); j++) {
        pair(findings, members.get(i), members.get(j));
      }
    }
    clocks(findings, where, members);
    return findings;
  }

  private static void pair(List<Finding> findings, NodeFacts one, NodeFacts two) {
    if (isSame(one, two, "run_id")) {
      findings.add(RedisFinding.SAME_SERVER.at(two.where, "it is the same server as " + one.where));
    } else if (isSame(one, two, "master_replid")) {
      String how =
          two.isReplica() && one.isReplica()
              ? "both are replicas of one master"
              : two.isReplica() ? "it is a replica of that" : "that is a replica of it";
      findings.add(
          RedisFinding.SAME_DATA.at(
              two.where, "it shares its data with " + one.where + ": " + how));
    }
  }

  private static boolean isSame(NodeFacts one, NodeFacts two, String field) {
    return !one.info(field).isEmpty() && one.info(field).equals(two.info(field));
  }

  /** The two clocks that are certainly farthest apart, for any transit time of messages. */
  private static void clocks(List<Finding> findings, String where, List<NodeFacts> members) {
    NodeFacts ahead = null;
    NodeFacts behind = null;
    for (NodeFacts member : members) {
      NodeFacts.Clock clock = member.clock;
      if (clock == null) {
        continue;
      }
      if (ahead == null || ahead.clock == null || clock.low() > ahead.clock.low()) {
        ahead = member;
      }
      if (behind == null || behind.clock == null || clock.high() < behind.clock.high()) {
        behind = member;
      }
    }
    if (ahead == null || ahead.clock == null || behind == null || behind.clock == null) {
      return;
    }
    long apart = ahead.clock.low() - behind.clock.high();
    if (apart > APART_MICROS) {
      findings.add(
          RedisFinding.CLOCKS_APART.at(
              where,
              "the clock of %s is at least %.1f s ahead of that of %s"
                  .formatted(ahead.where, apart / 1e6, behind.where)));
    }
  }
}
