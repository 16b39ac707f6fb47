package dev.sluice.redis.doctor;

import dev.sluice.Finding;
import dev.sluice.Finding.Severity;
import dev.sluice.spi.BackendProvider;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Checks of one server, based on its replies. Asks nothing itself. */
public final class NodeChecks {
  private static final long SLOTS = 16_384;

  /** Half of a limiter's default deadline. */
  private static final Duration SLOW_MEDIAN = Duration.ofMillis(25);

  private static final long CLOCK_MICROS = TimeUnit.SECONDS.toMicros(1);
  private static final int MIN_SENTINELS = 3;

  private final NodeFacts facts;
  private final Duration timeout;
  private final List<Finding> findings = new ArrayList<>();

  private NodeChecks(NodeFacts facts, Duration timeout) {
    this.facts = facts;
    this.timeout = timeout;
  }

  /**
   * Checks the servers of one store.
   *
   * @param where the store
   * @param timeout that requests have
   */
  static List<Finding> of(String where, List<NodeFacts> servers, Duration timeout) {
    return servers.isEmpty()
        ? List.of(RedisFinding.CLUSTER_SLOTS.at(where, "no server of the cluster has a slot"))
        : servers.stream().flatMap(facts -> of(facts, timeout).stream()).toList();
  }

  /**
   * Checks one server.
   *
   * @param timeout that requests have
   */
  static List<Finding> of(NodeFacts facts, Duration timeout) {
    NodeChecks checks = new NodeChecks(facts, timeout);
    checks.answers();
    checks.version();
    checks.memory();
    checks.persistence();
    checks.replication();
    checks.cluster();
    checks.clients();
    checks.clock();
    checks.access();
    checks.rights();
    checks.keys();
    return checks.findings;
  }

  private void add(RedisFinding finding, String what) {
    findings.add(finding.at(facts.where, what));
  }

  private void answers() {
    if (facts.unreachable != null) {
      findings.add(BackendProvider.unreachable(facts.where, facts.unreachable));
    }
    if (facts.silent != null) {
      add(RedisFinding.SILENT, facts.silent);
    }
    Set<String> untold = new TreeSet<>(facts.untold);
    untold.removeIf(question -> question.startsWith("ACL"));
    if (!untold.isEmpty()) {
      add(
          RedisFinding.NOT_TOLD,
          "the server does not tell "
              + user()
              + " what "
              + String.join(", ", untold)
              + " would say; what stands there was not checked");
    }
    NodeFacts.Latency latency = facts.latency;
    if (latency != null
        && (latency.medianNanos() >= SLOW_MEDIAN.toNanos()
            || latency.worstNanos() >= timeout.toNanos() / 2)) {
      add(
          RedisFinding.SLOW,
          "a round trip takes %s in the median, %s at worst"
              .formatted(millis(latency.medianNanos()), millis(latency.worstNanos())));
    }
  }

  private String user() {
    return facts.user == null ? "this user" : "user '" + facts.user + "'";
  }

  private static String millis(long nanos) {
    return String.format(Locale.ROOT, "%.1f ms", nanos / 1e6);
  }

  private void version() {
    String version = facts.info("redis_version");
    if (!version.isEmpty() && isOld(version)) {
      add(RedisFinding.OLD_VERSION, "the server is version " + version);
    }
    if (facts.cell) {
      add(RedisFinding.REDIS_CELL, "module redis-cell is loaded; Sluice does not use it");
    }
  }

  static boolean isOld(String version) {
    String[] parts = version.split("\\.");
    try {
      int major = Integer.parseInt(parts[0]);
      int minor = parts.length < 2 ? 0 : Integer.parseInt(parts[1]);
      return major < 6 || major == 6 && minor < 2;
    } catch (NumberFormatException e) {
      return false; // a server that calls itself otherwise has to be taken at its commands
    }
  }

  private void memory() {
    String policy = facts.info("maxmemory_policy");
    long most = facts.number("maxmemory");
    if (!policy.isEmpty() && !policy.equals("noeviction")) {
      String what =
          "maxmemory-policy is "
              + policy
              + (most > 0 ? "" : ", though without effect while maxmemory is 0");
      String risk = facts.keys.risks(part -> part.evictedBy(policy));
      findings.add(
          facts.keys.cachesAlone() && risk != null
              ? RedisFinding.EVICTION_POLICY.at(
                  facts.where,
                  Severity.WARNING,
                  what,
                  risk,
                  "keep locks, limits, filters and stock on another server, or CONFIG SET"
                      + " maxmemory-policy noeviction")
              : RedisFinding.EVICTION_POLICY.at(
                  facts.where, most > 0 ? Severity.ERROR : Severity.WARNING, what, risk));
    }
    if (most == 0) {
      add(RedisFinding.NO_MEMORY_LIMIT, "maxmemory is 0");
    }
    long used = facts.number("used_memory");
    if (most > 0 && used >= most / 10 * 9) {
      add(
          RedisFinding.MEMORY_NEARLY_FULL,
          "%d %% of maxmemory are used: %d of %d bytes"
              .formatted(Math.round(100.0 * used / most), used, most));
    }
  }

  private void persistence() {
    String save = facts.config.get("save");
    if (facts.info("aof_enabled").equals("0")) {
      if (save != null && save.isBlank()) {
        addLoss(
            RedisFinding.NO_PERSISTENCE,
            Severity.WARNING,
            "appendonly is no, and no snapshots are taken");
      } else {
        addLoss(
            RedisFinding.SNAPSHOTS_ONLY,
            Severity.WARNING,
            "appendonly is no"
                + (save == null ? "" : "; snapshots are taken by 'save " + save + "'"));
      }
    } else if (facts.config.getOrDefault("appendfsync", "").equals("no")) {
      addLoss(
          RedisFinding.FSYNC,
          Severity.WARNING,
          "appendfsync is no: the system writes when it likes, mostly every 30 s");
    } else if (facts.config.getOrDefault("appendfsync", "").equals("everysec")) {
      addLoss(
          RedisFinding.FSYNC,
          Severity.INFO,
          "appendfsync is everysec: the last second may be lost");
    }
    boolean durable =
        facts.info("aof_enabled").equals("1")
            && facts.config.getOrDefault("appendfsync", "always").equals("always");
    if (facts.saysDurable && !facts.info.isEmpty() && !durable) {
      add(RedisFinding.NOT_DURABLE, "the URL says durable=true");
    }
    Set<String> failing = new LinkedHashSet<>();
    for (String field :
        List.of("rdb_last_bgsave_status", "aof_last_write_status", "aof_last_bgrewrite_status")) {
      if (facts.info(field).equals("err")) {
        failing.add(field);
      }
    }
    if (!failing.isEmpty()) {
      add(RedisFinding.WRITE_ERRORS, String.join(", ", failing) + ": err");
    }
  }

  private void addLoss(RedisFinding finding, Severity severity, String what) {
    String risk = facts.keys.risks(StoredPart::forgotten);
    findings.add(finding.at(facts.where, severity, what, risk));
  }

  private void replication() {
    if (facts.sentinels >= 0 && facts.sentinels < MIN_SENTINELS) {
      add(RedisFinding.FEW_SENTINELS, "the URL names " + facts.sentinels + " of them");
    }
    if (facts.isReplica()) {
      String master = facts.info("master_host") + ":" + facts.info("master_port");
      add(RedisFinding.REPLICA, "this server is a replica of " + master);
      if (facts.config.getOrDefault("replica-read-only", "yes").equals("no")) {
        add(RedisFinding.WRITABLE_REPLICA, "replica-read-only is no");
      }
      return;
    }
    long replicas = facts.number("connected_slaves");
    long least = facts.setting("min-replicas-to-write");
    if (replicas == 0 && least <= 0 && (facts.forCluster || facts.sentinels >= 0)) {
      add(RedisFinding.NO_REPLICA, "this master has no replica");
    }
    if (replicas > 0 && facts.replicasUnasked) {
      add(RedisFinding.REPLICAS_UNASKED, replicas + " connected, and the URL says no ?replicas=");
    }
    if (replicas > 0 && least == 0) {
      add(RedisFinding.MIN_REPLICAS, replicas + " connected, and min-replicas-to-write is 0");
    }
    long good = Math.max(0, facts.number("min_slaves_good_slaves"));
    if (least > 0 && good < least) {
      add(
          RedisFinding.TOO_FEW_REPLICAS,
          "min-replicas-to-write is " + least + ", and " + good + " are connected and up to date");
    }
  }

  private void cluster() {
    if (!facts.info("cluster_enabled").equals("1")) {
      return;
    }
    if (!facts.forCluster) {
      add(RedisFinding.CLUSTER_NODE, "this server is a node of a cluster");
    }
    String state = facts.cluster.getOrDefault("cluster_state", "ok");
    String assigned = facts.cluster.getOrDefault("cluster_slots_assigned", "" + SLOTS);
    String served = facts.cluster.getOrDefault("cluster_slots_ok", "" + SLOTS);
    if (!state.equals("ok") || !assigned.equals("" + SLOTS) || !served.equals("" + SLOTS)) {
      add(
          RedisFinding.CLUSTER_SLOTS,
          "cluster_state is %s; of %d slots %s are assigned, and %s served"
              .formatted(state, SLOTS, assigned, served));
    }
  }

  private void clients() {
    long most = facts.setting("maxclients");
    long now = facts.number("connected_clients");
    if (most > 0 && now >= most * 0.9) {
      add(RedisFinding.CLIENTS_NEARLY_FULL, now + " of " + most + " connections are in use");
    }
    long idle = facts.setting("timeout");
    if (idle > 0) {
      add(RedisFinding.IDLE_TIMEOUT, "timeout is " + idle + " s");
    }
  }

  private void clock() {
    NodeFacts.Clock clock = facts.clock;
    if (clock == null) {
      return;
    }
    long before = Math.floorDiv(System.nanoTime(), 1000L);
    Instant now = Instant.now();
    long after = Math.floorDiv(System.nanoTime(), 1000L); // later, if the process paused
    long ours = TimeUnit.SECONDS.toMicros(now.getEpochSecond()) + now.getNano() / 1000;
    long apart = Math.max(clock.low() - (ours - before), ours - after - clock.high());
    if (apart > CLOCK_MICROS) {
      add(
          RedisFinding.CLOCK,
          "its clock is at least %.1f s %s ours"
              .formatted(apart / 1e6, clock.low() > ours - before ? "ahead of" : "behind"));
    }
  }

  private void access() {
    boolean guarded = facts.open && facts.config.getOrDefault("protected-mode", "no").equals("yes");
    boolean reachable = facts.far || isBoundOutside(facts.config.get("bind")) && !guarded;
    if (!reachable) {
      return;
    }
    String why =
        facts.far
            ? "the URL goes to another machine"
            : "it listens to other machines (bind " + facts.config.get("bind") + ")";
    if (facts.open) {
      add(RedisFinding.NO_PASSWORD, why + ", and the default user needs no password");
    }
    if (!facts.tls) {
      add(RedisFinding.NO_TLS, why + ", and we speak to it without TLS");
    } else if (!facts.verified) {
      add(RedisFinding.TLS_UNVERIFIED, why + ", and verifyPeer in the URL is not FULL");
    }
  }

  /** Whether a list of addresses has one that other machines can reach. */
  static boolean isBoundOutside(@Nullable String bind) {
    if (bind == null) {
      return false; // not told
    }
    for (String address : bind.split("\\s+")) {
      String plain = address.startsWith("-") ? address.substring(1) : address;
      if (!plain.startsWith("127.") && !plain.equals("::1") && !plain.equals("localhost")) {
        return true; // an empty list stands for all, and is one empty word
      }
    }
    return false;
  }

  private void rights() {
    Rights rights = facts.rights;
    String grant = "ACL SETUSER " + (facts.user == null ? "USER" : facts.user) + " ";
    if (rights.lacksKeys()) {
      findings.add(
          RedisFinding.RIGHTS.at(
              facts.where,
              user() + " may not use keys that begin with " + facts.space.start(),
              grant + facts.space.keyRule()));
    }
    var half = rights.halfGranted();
    boolean none = List.of(Rights.Part.values()).stream().allMatch(rights::isLeftOut);
    if (rights.lacksBase() || none) {
      Set<String> all = new LinkedHashSet<>(Rights.BASE);
      all.retainAll(rights.missing());
      if (none) {
        all.addAll(rights.missing());
      }
      findings.add(
          RedisFinding.RIGHTS.at(
              facts.where,
              user() + " may do nothing that Sluice needs, or no scripts: " + String.join(" ", all),
              grant + Rights.rules(all)));
    } else if (!half.isEmpty()) {
      Set<String> all = new TreeSet<>();
      half.values().forEach(all::addAll);
      findings.add(
          RedisFinding.RIGHTS.at(
              facts.where,
              user()
                  + " lacks rights: "
                  + half.entrySet().stream()
                      .map(one -> one.getKey().words + " need " + String.join(" ", one.getValue()))
                      .collect(Collectors.joining("; ")),
              grant + Rights.rules(all)));
    }
    String leftOut =
        List.of(Rights.Part.values()).stream()
            .filter(rights::isLeftOut)
            .map(part -> part.words)
            .collect(Collectors.joining(", "));
    if (!none && !leftOut.isEmpty()) {
      add(RedisFinding.RIGHTS_OF_PART, user() + " has no rights for " + leftOut);
    }
    if (!rights.messages().isEmpty()) {
      findings.add(
          RedisFinding.MESSAGES.at(
              facts.where,
              user() + " may not send or hear messages: it lacks " + rights.messages(),
              grant + rights.messages()));
    }
  }

  private void keys() {
    KeyReport keys = facts.keys;
    if (!keys.immortal.isEmpty()) {
      add(
          RedisFinding.KEYS_WITHOUT_EXPIRY,
          KeyReport.some(keys.immortal) + " (" + keys.scope() + ")");
    }
    if (!keys.foreign.isEmpty()) {
      add(RedisFinding.FOREIGN_DATA, KeyReport.some(keys.foreign) + " (" + keys.scope() + ")");
    }
  }
}
