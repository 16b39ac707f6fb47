package dev.sluice.redis.doctor;

import dev.sluice.Finding;
import dev.sluice.Finding.Severity;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Findings about Redis servers. The table in docs/doctor.md has a row for each. */
public enum RedisFinding {
  SILENT(
      Severity.ERROR,
      "calls that are under way end with an unknown outcome",
      "look at the load of the server (SLOWLOG GET) and at the network"),
  NOT_TOLD(
      Severity.WARNING,
      "settings that break guarantees are not detected",
      "use a user with +info +config|get +acl|whoami +acl|getuser"),
  OLD_VERSION(
      Severity.ERROR, "scripts need commands that this version lacks", "update to 6.2 or newer"),
  REDIS_CELL(
      Severity.INFO,
      "none: Sluice has CL.THROTTLE without the module",
      "no loadmodule for redis-cell"),

  EVICTION_POLICY(
      Severity.ERROR,
      "a held lock that is evicted is free for the next caller; limits start from zero",
      "CONFIG SET maxmemory-policy noeviction"),
  NO_MEMORY_LIMIT(
      Severity.INFO,
      "the server grows until the machine runs out of memory and the system kills it",
      "CONFIG SET maxmemory 1gb, or another value below this machine's memory"),
  MEMORY_NEARLY_FULL(
      Severity.WARNING,
      "when memory is full, locks, permits and values are refused",
      "raise maxmemory with CONFIG SET, or move other data to another server"),

  NO_PERSISTENCE(
      Severity.WARNING,
      "a restart loses all holders: two clients may hold a lock until the first lease ends",
      "appendonly yes and appendfsync always"),
  SNAPSHOTS_ONLY(
      Severity.WARNING,
      "a restart restores the holders of minutes ago: two clients may hold a lock until the first"
          + " lease ends",
      "appendonly yes and appendfsync always"),
  FSYNC(
      Severity.WARNING,
      "a crash of the machine loses the last grants: two clients may hold a lock until the first"
          + " lease ends",
      "CONFIG SET appendfsync always"),
  NOT_DURABLE(
      Severity.ERROR,
      "a node of a quorum that lost its grants votes again immediately: two clients hold one lock,"
          + " and tokens repeat",
      "appendonly yes and appendfsync always, or durable=false in the URL"),
  WRITE_ERRORS(
      Severity.ERROR,
      "the server refuses writes or will lose them with its next restart",
      "free disk space on the server, check the permissions of its folder, then BGSAVE"),

  REPLICA(
      Severity.ERROR,
      "every acquire and every decision is refused with READONLY",
      "connect to the master, or find it by Sentinel: redis-sentinel://host:26379/#master"),
  WRITABLE_REPLICA(
      Severity.ERROR,
      "grants made here do not reach the master: two clients hold one lock",
      "CONFIG SET replica-read-only yes, and put the master in the URL"),
  MIN_REPLICAS(
      Severity.WARNING,
      "an isolated master keeps granting while its replica is promoted: two clients hold one lock",
      "CONFIG SET min-replicas-to-write 1"),
  REPLICAS_UNASKED(
      Severity.WARNING,
      "a fail-over may lose the last grants and count-downs: two clients hold one lock",
      "?replicas=1 or ?replicas=all in the URL, or ReplicaPolicy in the builder"),
  TOO_FEW_REPLICAS(
      Severity.ERROR,
      "every acquire and every decision is refused with NOREPLICAS",
      "restart the replicas, or lower min-replicas-to-write with CONFIG SET"),
  NO_REPLICA(
      Severity.WARNING,
      "no server takes over if this one fails; its names are refused until it is back",
      "start a replica on another machine"),
  FEW_SENTINELS(
      Severity.WARNING,
      "if one of them fails, no fail-over is agreed on, or clients do not find the new master",
      "run three Sentinels on three machines, and put all of them in the URL"),

  CLUSTER_NODE(
      Severity.ERROR,
      "names in the slots of other nodes are refused with MOVED",
      "use redis-cluster:// instead of redis://"),
  CLUSTER_SLOTS(
      Severity.ERROR,
      "names in slots without a node, or all names, are refused with CLUSTERDOWN",
      "redis-cli --cluster fix HOST:PORT"),
  REFRESH_SOURCES(
      Severity.WARNING,
      "if only a server answers that was removed from the cluster, the client loses the others and"
          + " does not find them again",
      "ClusterTopologyRefreshOptions.builder().dynamicRefreshSources(false)"),

  CLIENTS_NEARLY_FULL(
      Severity.WARNING,
      "processes that start or reconnect are refused",
      "raise maxclients with CONFIG SET"),
  IDLE_TIMEOUT(
      Severity.WARNING,
      "idle connections are closed; a call sent at that moment has an unknown outcome",
      "CONFIG SET timeout 0"),
  SLOW(
      Severity.WARNING,
      "limits miss their deadline of 50 ms, and short leases are lost before they are renewed",
      "look for long commands (SLOWLOG GET), a slow disk or a distant network"),
  CLOCK(
      Severity.WARNING,
      "tokens start lower after a fail-over that loses data; log times differ",
      "run an NTP client on the server and on this machine"),

  NO_PASSWORD(
      Severity.ERROR,
      "anyone who reaches the port can release every lock and read every value",
      "ACL SETUSER default off, and a user with the rules in docs/operations.md"),
  NO_TLS(
      Severity.WARNING,
      "passwords and values can be read and changed on the network",
      "set tls-port and port 0 on the server, and use rediss:// in the URL"),
  TLS_UNVERIFIED(
      Severity.ERROR,
      "an attacker on the network can impersonate the server",
      "remove verifyPeer from the URL; use ?ca=FILE for your own certificate authority"),
  RIGHTS(Severity.ERROR, "calls that need these rights are refused with NOPERM", "ACL SETUSER"),
  RIGHTS_OF_PART(
      Severity.INFO,
      "none, if the application does not use this part",
      "add the rules of this part in docs/operations.md"),
  MESSAGES(
      Severity.WARNING,
      "waiting callers get no message and poll: a hand-over takes up to half a second",
      "ACL SETUSER"),

  KEYS_WITHOUT_EXPIRY(
      Severity.WARNING,
      "these keys never expire; Sluice sets an expiry on each, so another program removed it",
      "PEXPIRE them, or DEL those that are not held; look for PERSIST in other programs"),
  FOREIGN_DATA(
      Severity.ERROR,
      "calls on these names fail, so that data of other programs is not overwritten",
      "DEL or RENAME them, and keep other programs away from keys with this prefix"),

  SAME_SERVER(
      Severity.ERROR,
      "its vote counts twice: if it fails, the majority is lost, and with fewer servers than votes"
          + " two clients may hold one lock",
      "put each server in the URL once"),
  SAME_DATA(
      Severity.ERROR,
      "members of a quorum must not share data: what one loses or changes, the other does too",
      "REPLICAOF NO ONE on the replica, then FLUSHALL it, or leave it out of the URL"),
  CLOCKS_APART(
      Severity.WARNING,
      "after a loss of data, tokens wait for the slowest clock; leases end at different times",
      "run an NTP client on every server"),
  EVEN_COUNT(
      Severity.WARNING,
      "an even number tolerates no more failures than the odd number below it",
      "put 3, 5, 7 or 9 servers in the URL"),
  TOO_FEW_NODES(
      Severity.ERROR,
      "a majority of two is two: one failure stops everything",
      "put at least 3 independent servers in the URL"),
  NO_MAJORITY(
      Severity.ERROR,
      "nothing can be acquired or renewed",
      "restart the servers that do not answer");

  private final Severity severity;
  private final String risk;
  private final String fix;

  RedisFinding(Severity severity, String risk, String fix) {
    this.severity = severity;
    this.risk = risk;
    this.fix = fix;
  }

  public String id() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the finding for this store. */
  Finding at(String where, String what) {
    return at(where, severity, what);
  }

  /** The finding with another severity. */
  Finding at(String where, Severity severity, String what) {
    return new Finding(severity, id(), where, what, risk, fix);
  }

  /** The finding with the risk for the parts in use; null for the general one. */
  Finding at(String where, Severity severity, String what, @Nullable String riskInUse) {
    return new Finding(severity, id(), where, what, riskInUse == null ? risk : riskInUse, fix);
  }

  /** The finding with the risk for the parts in use, and with a fix for this store. */
  Finding at(String where, Severity severity, String what, String riskInUse, String fix) {
    return new Finding(severity, id(), where, what, riskInUse, fix);
  }

  /** The finding with a line for this store. */
  Finding at(String where, String what, String fix) {
    return new Finding(severity, id(), where, what, risk, fix);
  }
}
