package dev.sluice.redis;

import dev.sluice.BackendException;
import dev.sluice.Finding;
import dev.sluice.spi.BackendSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Examines servers side by side, each over a connection of its own. */
final class RedisDoctor {
  private static final int MOST_AT_ONCE = 16;

  /**
   * One store to examine.
   *
   * @param uri of it alone
   * @param forCluster a cluster, of which any server is named
   * @param member of a quorum
   * @param durable said to keep every answered write
   */
  private record Target(String uri, boolean forCluster, boolean member, boolean durable) {

    void check(Duration timeout) {
      if (forCluster) {
        Uris.parseCluster(Tls.without(uri), timeout);
      } else {
        Uris.parse(uri, timeout);
      }
      Tls.of(uri);
    }

    String where(Duration timeout) {
      return forCluster ? Uris.mask(uri) : Uris.describe(Uris.parse(uri, timeout));
    }
  }

  private RedisDoctor() {}

  static List<Finding> examine(List<String> uris, BackendSettings settings) {
    Duration timeout = settings.requestTimeout();
    List<Target> targets =
        uris.stream().flatMap(uri -> targets(uri, uris.size()).stream()).toList();
    targets.forEach(target -> target.check(timeout)); // all or none
    List<List<NodeFacts>> told = examineAll(targets, settings);
    List<Finding> findings = new ArrayList<>();
    List<NodeFacts> members = new ArrayList<>();
    for (int i = 0; i < targets.size(); i++) {
      findings.addAll(NodeChecks.of(targets.get(i).where(timeout), told.get(i), timeout));
      if (targets.get(i).member) {
        members.addAll(told.get(i));
      }
    }
    if (!members.isEmpty()) {
      findings.addAll(QuorumChecks.of(members));
    }
    return findings;
  }

  /** Several plain URIs, and one for a quorum, name the members of a quorum. */
  private static List<Target> targets(String uri, int howMany) {
    int colon = uri.indexOf(':');
    String scheme = uri.substring(0, colon).toLowerCase(Locale.ROOT);
    if (scheme.endsWith("-quorum")) {
      String plain = scheme.substring(0, scheme.indexOf('-')) + uri.substring(colon);
      boolean durable = "true".equals(Tls.parameters(plain).get("durable"));
      return split(plain).stream().map(one -> new Target(one, false, true, durable)).toList();
    }
    boolean plain = scheme.equals("redis") || scheme.equals("rediss");
    return List.of(new Target(uri, Uris.isCluster(uri), plain && howMany > 1, false));
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

  private static List<List<NodeFacts>> examineAll(List<Target> targets, BackendSettings settings) {
    ExecutorService threads =
        Executors.newFixedThreadPool(
            Math.min(targets.size(), MOST_AT_ONCE),
            task -> {
              Thread thread = new Thread(task, "sluice-doctor");
              thread.setDaemon(true);
              return thread;
            });
    try {
      List<CompletableFuture<List<NodeFacts>>> all =
          targets.stream()
              .map(
                  target -> CompletableFuture.supplyAsync(() -> examine(target, settings), threads))
              .toList();
      return all.stream().map(CompletableFuture::join).toList();
    } finally {
      threads.shutdown();
    }
  }

  private static List<NodeFacts> examine(Target target, BackendSettings settings) {
    try (RedisBackend backend = RedisBackend.connect(target.uri, settings)) {
      List<NodeFacts> all = backend.exams().toCompletableFuture().join();
      for (NodeFacts facts : all) {
        facts.forCluster = target.forCluster;
        facts.saysDurable = target.durable;
      }
      return all;
    } catch (BackendException e) {
      return List.of(NodeFacts.unreachable(target.where(settings.requestTimeout()), e));
    }
  }
}
