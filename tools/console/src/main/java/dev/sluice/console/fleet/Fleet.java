package dev.sluice.console.fleet;

import dev.sluice.console.audit.EventLog;
import dev.sluice.console.http.Json;
import dev.sluice.console.http.Numbers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The processes that report their counts, and the growth rates of the counts. Not safe for use by
 * many threads: the sampler's lock guards it.
 */
public final class Fleet {
  private static final List<String> LIMITER_COUNTS =
      List.of("ok", "no", "trips", "lease", "memo", "away");
  private static final List<String> CACHE_COUNTS =
      List.of(
          "near",
          "hits",
          "misses",
          "guarded",
          "loads",
          "failed",
          "micros",
          "refused",
          "stale",
          "fallback",
          "rejected");
  private static final List<String> LOCK_COUNTS = List.of("turns", "grants", "losses");
  private static final int MAX_HOT = 10;

  /** The counts of one object in one process, and their growth per second. */
  static final class Counts {
    final Map<String, Long> totals = new HashMap<>();
    final Map<String, Double> rates = new HashMap<>();
    List<Map<String, Object>> hot = List.of();
    List<String> policy = List.of();
    long version;
    long pending;
  }

  /** One process. */
  static final class Member {
    final String client;
    String name = "";
    String host = "";
    long pid;
    long since;
    long sequence;
    long millis;
    long seenAt;
    boolean cut;
    double seconds;
    Map<String, Counts> limiters = Map.of();
    Map<String, Counts> caches = Map.of();
    Map<String, Counts> locks = Map.of();
    List<String> filters = List.of();

    Member(String client) {
      this.client = client;
    }

    String label() {
      return name;
    }
  }

  private final Map<String, Member> members = new TreeMap<>();
  private final EventLog events;
  private final long quietUntil;
  private int unreadable;

  /**
   * For a minute, reports no process as joined, because each needs some seconds to see the console.
   */
  public Fleet(EventLog events, long now) {
    this.events = events;
    this.quietUntil = now + 60_000;
  }

  /** Adds the present content of the board. */
  public void update(Map<String, String> reports, long now) {
    unreadable = 0;
    reports.forEach(
        (client, text) -> {
          try {
            read(client, Json.object(text), now);
          } catch (IllegalArgumentException e) {
            unreadable++;
          }
        });
    members
        .values()
        .removeIf(
            member -> {
              boolean gone = !reports.containsKey(member.client);
              if (gone) {
                events.add("info", "process.left", "process", member.label());
              }
              return gone;
            });
  }

  private void read(String client, Map<String, Object> json, long now) {
    if (Json.count(json, "v") != PresenceBoards.FORM || client.length() > 64) {
      throw new IllegalArgumentException("another form");
    }
    Member member = members.get(client);
    boolean isNew = member == null;
    if (member == null) {
      member = new Member(client);
      members.put(client, member);
    }
    long sequence = Json.count(json, "seq");
    if (!isNew && sequence == member.sequence) {
      return; // the report that was read before
    }
    long millis = Json.count(json, "t");
    member.seconds = isNew ? 0 : Math.max(0.001, (millis - member.millis) / 1000.0);
    member.sequence = sequence;
    member.millis = millis;
    member.seenAt = now;
    member.name = Json.text(json, "process", 100, "?");
    member.host = Json.text(json, "host", 255, "");
    member.pid = Json.count(json, "pid");
    member.since = Math.min(now, Json.count(json, "since")); // a page could not show every number
    member.cut = Boolean.TRUE.equals(json.get("cut"));
    member.filters = Json.texts(json, "filters", 100);
    member.limiters =
        counts(Json.objects(json, "limiters", 40), LIMITER_COUNTS, member.limiters, member.seconds);
    member.caches =
        counts(Json.objects(json, "caches", 40), CACHE_COUNTS, member.caches, member.seconds);
    Map<String, Counts> before = member.locks;
    member.locks = counts(Json.objects(json, "locks", 60), LOCK_COUNTS, before, member.seconds);
    if (isNew) {
      if (now > quietUntil) {
        events.add("info", "process.joined", "process", member.label());
      }
    } else {
      logLosses(member, before);
    }
  }

  private void logLosses(Member member, Map<String, Counts> before) {
    member.locks.forEach(
        (name, counts) -> {
          Counts known = before.get(name);
          long lost = total(counts, "losses") - (known == null ? 0 : total(known, "losses"));
          if (lost > 0) {
            events.add(
                "warning",
                "lock.lost",
                "name",
                name,
                "process",
                member.label(),
                "count",
                Long.toString(lost));
          }
        });
  }

  private static Map<String, Counts> counts(
      List<Map<String, Object>> rows, List<String> fields, Map<String, Counts> before, double s) {
    Map<String, Counts> counts = new LinkedHashMap<>();
    for (Map<String, Object> row : rows) {
      String name = Json.text(row, "n", 512, "");
      Counts known = before.get(name);
      Counts now = counts.computeIfAbsent(name, n -> new Counts());
      for (String field : fields) {
        long total = now.totals.merge(field, Json.count(row, field), Long::sum);
        if (known != null && s > 0) {
          now.rates.put(field, Math.max(0, total - total(known, field)) / s);
        }
      }
      if (now.policy.isEmpty()) {
        now.policy = Json.texts(row, "p", 8);
        now.version = Json.count(row, "ver");
        now.hot = Json.objects(row, "hot", MAX_HOT);
      }
      now.pending = Json.count(row, "pending");
    }
    return counts;
  }

  static long total(Counts counts, String field) {
    return counts.totals.getOrDefault(field, 0L);
  }

  static double rate(Counts counts, String field) {
    return counts.rates.getOrDefault(field, 0.0);
  }

  // ---- what pages show ----

  public int size() {
    return members.size();
  }

  public int unreadable() {
    return unreadable;
  }

  /** The name of the process with this client id, or null. */
  @Nullable
  public String nameOf(String client) {
    Member member = members.get(client);
    return member == null ? null : member.label();
  }

  public List<Map<String, Object>> processes() {
    List<Map<String, Object>> list = new ArrayList<>();
    for (Member member : members.values()) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("name", member.name);
      row.put("client", member.client);
      row.put("host", member.host);
      row.put("pid", member.pid);
      row.put("since", member.since);
      row.put("seen", member.seenAt);
      row.put("limiters", member.limiters.size());
      row.put("caches", member.caches.size());
      row.put("losses", sum(member.locks.values(), counts -> total(counts, "losses")));
      row.put("cut", member.cut);
      list.add(row);
    }
    return list;
  }

  private static double sum(Iterable<Counts> all, ToDoubleFunction<Counts> number) {
    double sum = 0;
    for (Counts each : all) {
      sum += number.applyAsDouble(each);
    }
    return sum;
  }

  /** Losses of a lock that processes have reported. */
  public long losses(String lock) {
    long losses = 0;
    for (Member member : members.values()) {
      Counts counts = member.locks.get(lock);
      losses += counts == null ? 0 : total(counts, "losses");
    }
    return losses;
  }

  public TreeSet<String> filters() {
    TreeSet<String> names = new TreeSet<>();
    members.values().forEach(member -> names.addAll(member.filters));
    return names;
  }

  /** The policies of a limiter, one for each process that reports it. */
  List<List<String>> policies(String limiter) {
    return members.values().stream()
        .filter(member -> member.limiters.containsKey(limiter))
        .map(member -> member.limiters.get(limiter).policy)
        .toList();
  }

  /** The highest version of a limiter's policies; -1 if no process has this limiter. */
  long version(String limiter) {
    long highest = -1;
    for (Member member : members.values()) {
      Counts counts = member.limiters.get(limiter);
      highest = counts == null ? highest : Math.max(highest, counts.version);
    }
    return highest;
  }

  public List<Map<String, Object>> limiters() {
    Map<String, Map<String, Object>> rows = new TreeMap<>();
    Map<String, Map<String, Double>> hot = new HashMap<>();
    Map<String, Map<String, Map<String, Object>>> policies = new HashMap<>();
    for (Member member : members.values()) {
      member.limiters.forEach(
          (name, counts) -> {
            add(rows.computeIfAbsent(name, Fleet::named), counts, LIMITER_COUNTS);
            Map<String, Double> keys = hot.computeIfAbsent(name, n -> new HashMap<>());
            for (Map<String, Object> key : counts.hot) {
              double rate = Json.count(key, "c") / Math.max(0.5, member.seconds);
              keys.merge(Json.text(key, "k", 100, "?"), rate, Double::sum);
            }
            policies
                .computeIfAbsent(name, n -> new TreeMap<>())
                .merge(
                    counts.version + " " + counts.policy,
                    policy(counts),
                    (a, b) -> {
                      a.merge("processes", 1, (x, y) -> (Integer) x + 1);
                      return a;
                    });
          });
    }
    rows.forEach(
        (name, row) -> {
          List<Map<String, Object>> inForce =
              List.copyOf(policies.getOrDefault(name, Map.of()).values());
          row.put("policies", inForce);
          row.put("policy", text(inForce));
          double ok = (Double) row.getOrDefault("okRate", 0.0);
          double no = (Double) row.getOrDefault("noRate", 0.0);
          row.put("refusedShare", ok + no > 0 ? no / (ok + no) : 0.0);
          row.put("hot", top(hot.getOrDefault(name, Map.of())));
        });
    return List.copyOf(rows.values());
  }

  /** The newest of the policies in force. */
  private static String text(List<Map<String, Object>> policies) {
    return policies.stream()
        .max(Comparator.comparingLong(policy -> Json.count(policy, "version")))
        .map(policy -> String.join(" + ", Json.texts(policy, "limits", 8)))
        .orElse("");
  }

  private static Map<String, Object> policy(Counts counts) {
    Map<String, Object> policy = new LinkedHashMap<>();
    policy.put("limits", counts.policy);
    policy.put("version", counts.version);
    policy.put("processes", 1);
    return policy;
  }

  private static List<Map<String, Object>> top(Map<String, Double> keys) {
    return keys.entrySet().stream()
        .sorted(
            Map.Entry.<String, Double>comparingByValue()
                .reversed()
                .thenComparing(Map.Entry.comparingByKey()))
        .limit(MAX_HOT)
        .map(
            entry -> {
              Map<String, Object> key = new LinkedHashMap<>();
              key.put("key", entry.getKey());
              key.put("rate", Numbers.round(entry.getValue()));
              return key;
            })
        .toList();
  }

  public List<Map<String, Object>> caches() {
    Map<String, Map<String, Object>> rows = new TreeMap<>();
    for (Member member : members.values()) {
      member.caches.forEach(
          (name, counts) -> {
            Map<String, Object> row = rows.computeIfAbsent(name, Fleet::named);
            add(row, counts, CACHE_COUNTS);
            row.merge("pending", counts.pending, (a, b) -> (Long) a + (Long) b);
          });
    }
    return List.copyOf(rows.values());
  }

  private static Map<String, Object> named(String name) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("name", name);
    row.put("processes", 0);
    return row;
  }

  /** Adds totals by their names, and rates with the suffix {@code Rate}. */
  private static void add(Map<String, Object> row, Counts counts, List<String> fields) {
    row.merge("processes", 1, (a, b) -> (Integer) a + 1);
    for (String field : fields) {
      row.merge(field, total(counts, field), (a, b) -> (Long) a + (Long) b);
      row.merge(
          field + "Rate",
          Numbers.round(rate(counts, field)),
          (a, b) -> Numbers.round((Double) a + (Double) b));
    }
  }

  /** The numbers of this second, for the charts. */
  public void series(Map<String, Double> into) {
    if (members.values().stream().noneMatch(member -> member.seconds > 0)) {
      return; // no process has reported its counts twice
    }
    double admitted = 0;
    double refused = 0;
    for (Map<String, Object> row : limiters()) {
      double ok = (Double) row.getOrDefault("okRate", 0.0);
      double no = (Double) row.getOrDefault("noRate", 0.0);
      admitted += ok;
      refused += no;
      into.put("limiter.ok/" + row.get("name"), ok);
      into.put("limiter.no/" + row.get("name"), no);
    }
    into.put("limits.admitted", Numbers.round(admitted));
    into.put("limits.refused", Numbers.round(refused));
    double hits = 0;
    double loads = 0;
    double stale = 0;
    for (Map<String, Object> row : caches()) {
      double found =
          (Double) row.getOrDefault("nearRate", 0.0) + (Double) row.getOrDefault("hitsRate", 0.0);
      double loaded = (Double) row.getOrDefault("loadsRate", 0.0);
      hits += found;
      loads += loaded;
      stale += (Double) row.getOrDefault("staleRate", 0.0);
      into.put("cache.hits/" + row.get("name"), Numbers.round(found));
      into.put("cache.loads/" + row.get("name"), loaded);
    }
    into.put("caches.hits", Numbers.round(hits));
    into.put("caches.loads", Numbers.round(loads));
    into.put("caches.stale", Numbers.round(stale));
  }
}
