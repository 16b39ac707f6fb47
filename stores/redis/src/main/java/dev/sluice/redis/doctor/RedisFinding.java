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
      "settings that break promises stay unseen",
      "examine with a user who may: +info +config|get +acl|whoami +acl|getuser"),
  OLD_VERSION(
      Severity.ERROR, "scripts and commands that are used are missing", "update to 6.2 or newer"),
  REDIS_CELL(
      Severity.INFO,
      "none: CL.THROTTLE is there without the module",
      "no loadmodule for redis-cell"),

  EVICTION_POLICY(
      Severity.ERROR,
      "a lock that is evicted while somebody holds it is free for the next one; counts of limits"
          + " start again",
      "CONFIG SET maxmemory-policy noeviction"),
  NO_MEMORY_LIMIT(
      Severity.INFO,
      "the server grows until the machine has no memory left and the system ends it",
      "CONFIG SET maxmemory 1gb, or what this machine can spare"),
  MEMORY_NEARLY_FULL(
      Severity.WARNING,
      "when memory is full, locks, permits and values are refused",
      "CONFIG SET maxmemory to more, or store less beside Sluice's keys"),

  NO_PERSISTENCE(
      Severity.WARNING,
      "a restart forgets who holds what: two may hold a lock until the first lease ends",
      "appendonly yes and appendfsync always"),
  SNAPSHOTS_ONLY(
      Severity.WARNING,
      "a restart comes back with holders of minutes ago: two may hold a lock until the first lease"
          + " ends",
      "appendonly yes and appendfsync always"),
  FSYNC(
      Severity.WARNING,
      "a crash of the machine forgets the last grants: two may hold a lock until the first lease"
          + " ends",
      "CONFIG SET appendfsync always"),
  NOT_DURABLE(
      Severity.ERROR,
      "a node of a quorum that forgot its grants votes again at once: two hold one lock, and tokens"
          + " repeat",
      "appendonly yes and appendfsync always, or durable=false in the URL"),
  WRITE_ERRORS(
      Severity.ERROR,
      "the server refuses writes or will lose them with its next restart",
      "make room on the disk of the server, check the rights of its folder, then BGSAVE"),

  REPLICA(
      Severity.ERROR,
      "every acquire and every decision is refused with READONLY",
      "name the master, or let Sentinel name it: redis-sentinel://host:26379/#master"),
  WRITABLE_REPLICA(
      Severity.ERROR,
      "grants are made here that the master knows nothing of: two hold one lock",
      "CONFIG SET replica-read-only yes, and name the master in the URL"),
  MIN_REPLICAS(
      Severity.WARNING,
      "a master that is cut off goes on granting while its replica is promoted: two hold one lock",
      "CONFIG SET min-replicas-to-write 1"),
  REPLICAS_UNASKED(
      Severity.WARNING,
      "a fail-over may lose the last grants and count-downs: two hold one lock",
      "?replicas=1 or ?replicas=all in the URL, or ReplicaPolicy in the builder"),
  TOO_FEW_REPLICAS(
      Severity.ERROR,
      "every acquire and every decision is refused with NOREPLICAS",
      "bring the replicas back, or CONFIG SET min-replicas-to-write to fewer"),
  NO_REPLICA(
      Severity.WARNING,
      "when this server fails nobody takes its place, and its names are refused until it is back",
      "start a replica of it on another machine"),
  FEW_SENTINELS(
      Severity.WARNING,
      "with one of them away nobody can agree on a fail-over, or learn of it",
      "run three Sentinels on three machines and name all of them in the URL"),

  CLUSTER_NODE(
      Severity.ERROR,
      "names whose slot is another node's are refused with MOVED",
      "redis-cluster:// in place of redis://"),
  CLUSTER_SLOTS(
      Severity.ERROR,
      "names of slots that nobody serves, or all names, are refused with CLUSTERDOWN",
      "redis-cli --cluster fix HOST:PORT"),
  REFRESH_SOURCES(
      Severity.WARNING,
      "when only a server answers that was removed from the cluster, the client forgets the others"
          + " and finds them no more",
      "ClusterTopologyRefreshOptions.builder().dynamicRefreshSources(false)"),

  CLIENTS_NEARLY_FULL(
      Severity.WARNING,
      "processes that start, or reconnect, are turned away",
      "CONFIG SET maxclients to more"),
  IDLE_TIMEOUT(
      Severity.WARNING,
      "idle connections are closed, and a call that is sent at that moment has an unknown outcome",
      "CONFIG SET timeout 0"),
  SLOW(
      Severity.WARNING,
      "limits miss their deadline of 50 ms, and short leases are lost before they are renewed",
      "look for long commands (SLOWLOG GET), a slow disk, a distant network"),
  CLOCK(
      Severity.WARNING,
      "tokens that follow this clock fall behind after a move to another server, and logs disagree",
      "run an NTP client on the server and on this machine"),

  NO_PASSWORD(
      Severity.ERROR,
      "whoever reaches the port may free every lock and read every value",
      "ACL SETUSER default off, and a user as in docs/operations.md"),
  NO_TLS(
      Severity.WARNING,
      "whoever sees the network reads passwords and values, and may change them on their way",
      "tls-port and port 0 at the server, rediss:// in the URL"),
  TLS_UNVERIFIED(
      Severity.ERROR,
      "whoever is between us and the server can pass for it",
      "no verifyPeer in the URL; ?ca=FILE where the authority is your own"),
  RIGHTS(Severity.ERROR, "calls that need them are refused with NOPERM", "ACL SETUSER"),
  RIGHTS_OF_PART(
      Severity.INFO,
      "none, where only the rest is used",
      "the rules in docs/operations.md, line by line"),
  MESSAGES(
      Severity.WARNING,
      "waiters are not told that it is their turn, and poll: hand-overs take up to half a second",
      "ACL SETUSER"),

  KEYS_WITHOUT_EXPIRY(
      Severity.WARNING,
      "they stay for ever; Sluice gives every one of them an expiry, so somebody took it away",
      "PEXPIRE them, or DEL what nobody holds; look for PERSIST in other programs"),
  FOREIGN_DATA(
      Severity.ERROR,
      "calls on these names fail, so that nothing foreign is overwritten",
      "DEL or RENAME them, and keep other programs off keys that begin as these do"),

  SAME_SERVER(
      Severity.ERROR,
      "its one vote counts twice: with it gone the majority is gone, and with fewer servers than"
          + " votes two may hold one lock",
      "name each server once"),
  SAME_DATA(
      Severity.ERROR,
      "members of a quorum must not share data: what one forgets or takes over the other one does",
      "REPLICAOF NO ONE on the replica, then FLUSHALL it, or leave it out of the URL"),
  CLOCKS_APART(
      Severity.WARNING,
      "tokens wait for the slowest clock after a loss of data, and leases end at different times",
      "run an NTP client on every server"),
  EVEN_COUNT(
      Severity.WARNING,
      "an even number survives no more failures than the odd one below it",
      "name 3, 5, 7 or 9 servers"),
  TOO_FEW_NODES(
      Severity.ERROR,
      "a majority of two is two: one failure stops all",
      "name at least 3 servers that share nothing"),
  NO_MAJORITY(
      Severity.ERROR,
      "nothing can be acquired or renewed",
      "bring the servers back that do not answer");

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

  Severity severity() {
    return severity;
  }

  /** The finding, at this place. */
  Finding at(String where, String what) {
    return at(where, severity, what);
  }

  /** The same where it matters more, or less, than as a rule. */
  Finding at(String where, Severity severity, String what) {
    return new Finding(severity, id(), where, what, risk, fix);
  }

  /** The same with the risk for the parts in use; null for the general one. */
  Finding at(String where, Severity severity, String what, @Nullable String riskInUse) {
    return new Finding(severity, id(), where, what, riskInUse == null ? risk : riskInUse, fix);
  }

  /** The same with a line that is made for the place. */
  Finding at(String where, String what, String fix) {
    return new Finding(severity, id(), where, what, risk, fix);
  }
}
