package dev.sluice.redis;

import dev.sluice.BackendException;
import dev.sluice.Finding;
import dev.sluice.spi.BackendProvider;
import dev.sluice.spi.BackendSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Examines servers side by side, each over a connection of its own. */
final class RedisDoctor {
  private static final int MOST_AT_ONCE = 16;

  /** What became of one server: what it told, or why it did not. */
  private sealed interface Outcome {
    record Told(NodeFacts facts) implements Outcome {}

    record Unreachable(Finding finding) implements Outcome {}
  }

  /**
   * One server to examine.
   *
   * @param uri of it alone
   * @param forCluster named as a node of a cluster
   * @param member of a quorum
   */
  private record Target(String uri, boolean forCluster, boolean member) {}

  private RedisDoctor() {}

  static List<Finding> examine(List<String> uris, BackendSettings settings) {
    List<Target> targets =
        uris.stream().flatMap(uri -> targets(uri, uris.size()).stream()).toList();
    for (Target target : targets) { // all or none
      Uris.parse(target.uri, settings.requestTimeout());
      Tls.of(target.uri);
    }
    List<Outcome> outcomes = examineAll(targets, settings);
    List<Finding> findings = new ArrayList<>();
    List<NodeFacts> members = new ArrayList<>();
    int named = 0;
    for (int i = 0; i < targets.size(); i++) {
      named += targets.get(i).member ? 1 : 0;
      Outcome outcome = outcomes.get(i);
      if (outcome instanceof Outcome.Told told) {
        findings.addAll(NodeChecks.of(told.facts, settings.requestTimeout()));
        if (targets.get(i).member) {
          members.add(told.facts);
        }
      } else if (outcome instanceof Outcome.Unreachable unreachable) {
        findings.add(unreachable.finding);
      }
    }
    if (named > 0) {
      findings.addAll(QuorumChecks.of(named, members));
    }
    return findings;
  }

  /** Several plain URIs, and one for a quorum, name the members of a quorum. */
  private static List<Target> targets(String uri, int howMany) {
    int colon = uri.indexOf(':');
    String scheme = uri.substring(0, colon).toLowerCase(Locale.ROOT);
    boolean quorum = scheme.endsWith("-quorum");
    boolean cluster = scheme.endsWith("-cluster");
    if (!quorum && !cluster) {
      boolean plain = scheme.equals("redis") || scheme.equals("rediss");
      return List.of(new Target(uri, false, plain && howMany > 1));
    }
    String plain = scheme.substring(0, scheme.indexOf('-'));
    return split(plain + uri.substring(colon)).stream()
        .map(one -> new Target(one, cluster, quorum))
        .toList();
  }

  /** {@code redis://user:password@a,b:1/0?x} is {@code redis://user:password@a/0?x}, and so on. */
  static List<String> split(String uri) {
    int start = uri.indexOf("://") + 3;
    int hosts = uri.lastIndexOf('@') < start ? start : uri.lastIndexOf('@') + 1;
    int end = uri.length();
    for (int i = hosts; i < uri.length(); i++) {
      if ("/?#".indexOf(uri.charAt(i)) >= 0) {
        end = i;
        break;
      }
    }
    String before = uri.substring(0, hosts);
    String after = uri.substring(end);
    return Arrays.stream(uri.substring(hosts, end).split(",", -1))
        .map(host -> before + host.strip() + after)
        .toList();
  }

  private static List<Outcome> examineAll(List<Target> targets, BackendSettings settings) {
    ExecutorService threads =
        Executors.newFixedThreadPool(
            Math.min(targets.size(), MOST_AT_ONCE),
            task -> {
              Thread thread = new Thread(task, "sluice-doctor");
              thread.setDaemon(true);
              return thread;
            });
    try {
      List<CompletableFuture<Outcome>> all =
          targets.stream()
              .map(
                  target -> CompletableFuture.supplyAsync(() -> examine(target, settings), threads))
              .toList();
      return all.stream().map(CompletableFuture::join).toList();
    } finally {
      threads.shutdown();
    }
  }

  private static Outcome examine(Target target, BackendSettings settings) {
    try (RedisBackend backend = RedisBackend.connect(target.uri, settings)) {
      NodeFacts facts = backend.exams().toCompletableFuture().join().get(0);
      facts.forCluster = target.forCluster;
      return new Outcome.Told(facts);
    } catch (BackendException e) {
      String where = Uris.describe(Uris.parse(target.uri, settings.requestTimeout()));
      return new Outcome.Unreachable(
          BackendProvider.unreachable(where, String.valueOf(e.getMessage())));
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }
}
