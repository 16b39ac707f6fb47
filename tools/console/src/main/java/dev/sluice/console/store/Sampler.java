package dev.sluice.console.store;

import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.bloom.BloomInfo;
import dev.sluice.console.audit.EventLog;
import dev.sluice.console.fleet.Fleet;
import dev.sluice.console.fleet.LimitChange;
import dev.sluice.console.fleet.PresenceBoards;
import dev.sluice.console.http.Json;
import dev.sluice.console.http.Refusal;
import dev.sluice.limit.Limit;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.PermitInfo;
import dev.sluice.spi.ClientParts;
import dev.sluice.spi.NoteBackend;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Samples the store and the processes once a second, while a page is watched and for a minute
 * longer, and every 15 seconds otherwise. It keeps the samples. A watcher gets the newest snapshot
 * of its page; a slow one misses some. Safe for use by many threads.
 *
 * <p>Its monitor guards the samples, and is held during calls of the store; that of {@link
 * Watchers} is held briefly.
 */
public final class Sampler implements AutoCloseable {
  private static final long STEP_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long IDLE_NANOS = Duration.ofSeconds(15).toNanos();
  private static final long MAX_IDLE_NANOS = Duration.ofMinutes(10).toNanos();
  private static final long WATCH_TTL_MICROS = 15_000_000;
  private static final long IDLE_TTL_MICROS = 45_000_000;

  /**
   * While no page is watched, the largest fraction of time that sampling may take is one in this
   * number.
   */
  private static final int IDLE_SHARE = 100;

  private static final long FRESH_MILLIS = 2_000;
  private static final long FILTERS_MILLIS = 5_000;
  private static final int EVENTS_OF_OVERVIEW = 8;
  private static final int MAX_EVENTS = 200;

  private final Sluice sluice;
  private final String id;
  private final String store;
  private final @Nullable NoteBackend notes;
  private final EventLog events;
  private final Hints hints;
  private final Findings findings;
  private final StoreView storeView;
  private final ExecutorService background =
      Executors.newSingleThreadExecutor(task -> daemon(task, "sluice-console-examine"));

  // guarded by this
  private final Fleet fleet;
  private final SampleHistory history = new SampleHistory();
  private StoreView.Found<LockInfo> locks = new StoreView.Found<>(List.of(), false);
  private StoreView.@Nullable Found<PermitInfo> permits;
  private StoreView.Found<StoreView.Stock> stocks = new StoreView.Found<>(List.of(), false);
  private long sampledAt;
  private long lookedAt; // the last time the store answered
  private @Nullable String problem;
  private @Nullable String fleetProblem;
  private Set<String> staleCaches = Set.of();
  private Set<String> askedFilters = Set.of();
  private final WaitCircles waits = new WaitCircles();

  // each written by one thread, read by many
  private volatile StoreView.Found<BloomInfo> filters = new StoreView.Found<>(List.of(), false);
  private volatile long filtersAt;

  private final Watchers watchers = new Watchers();

  Sampler(Sluice sluice, ClientParts parts, EventLog events, Hints hints) {
    this.hints = hints;
    this.sluice = sluice;
    this.id = UUID.randomUUID().toString();
    this.store = sluice.describe();
    this.notes = notes(parts);
    this.events = events;
    this.findings = new Findings(sluice, events, hints);
    this.fleet = new Fleet(events, System.currentTimeMillis());
    this.storeView = new StoreView(sluice, parts);
  }

  private static @Nullable NoteBackend notes(ClientParts parts) {
    try {
      return parts.backend().notes();
    } catch (UnsupportedOperationException e) {
      return null;
    }
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /** Samples until it is closed. */
  void start() {
    daemon(this::run, "sluice-console").start();
  }

  public Watchers watchers() {
    return watchers;
  }

  private void run() {
    long due = System.nanoTime() + IDLE_NANOS;
    watchers.sleep(IDLE_NANOS, true);
    while (!watchers.isClosed()) {
      long start = System.nanoTime();
      boolean published = false;
      Set<View> wanted = watchers.views(); // first: a page that comes meanwhile is watched next
      boolean watched = watchers.isAny(start);
      try {
        publish(wanted, watched);
        published = true;
      } catch (RuntimeException | Error e) { // the next look may succeed, and watchers wait for it
        System.getLogger("dev.sluice.console")
            .log(System.Logger.Level.WARNING, "a look at the store failed", e);
      }
      long now = System.nanoTime();
      if (watched) {
        // on the beat of the first look; but a slow store is not asked without pause
        due =
            Math.max(
                Math.min(due, start) + STEP_NANOS, now + Math.min(now - start, 5 * STEP_NANOS));
      } else {
        due = now + Math.max(IDLE_NANOS, Math.min(IDLE_SHARE * (now - start), MAX_IDLE_NANOS));
      }
      watchers.sleep(due - now, published);
    }
  }

  private void publish(Set<View> wanted, boolean watched) {
    Map<View, Map<String, Object>> fresh = new HashMap<>();
    synchronized (this) {
      sample(wanted.stream().map(View::page).collect(Collectors.toSet()), watched);
      wanted.forEach(view -> fresh.put(view, picture(view)));
    }
    watchers.publish(fresh);
  }

  // ---- looking ----

  private void sample(Set<Page> wanted, boolean watched) {
    long now = System.currentTimeMillis();
    @Nullable String failed = null;
    List<LockInfo> before = locks.list();
    try {
      StoreView.Found<LockInfo> seenLocks = storeView.locks();
      StoreView.Found<PermitInfo> seenPermits =
          wanted.contains(Page.LOCKS) ? storeView.permits() : permits;
      stocks = storeView.stocks();
      locks = seenLocks; // all or nothing: what is known of a store that is away is kept
      permits = seenPermits;
    } catch (SluiceException e) {
      failed = String.valueOf(e.getMessage());
    }
    if (failed == null) {
      lookAtFleet(now, watched);
      lookForCircles(now);
    }
    logReachability(failed, before, now);
    if (failed == null) {
      lookedAt = now;
    }
    problem = failed;
    sampledAt = now;
    note(now);
    if (watched && findings.isDue(now)) {
      examineLater(now);
    }
    Set<String> names = fleet.filters();
    if (wanted.contains(Page.FILTERS)
        && (now - filtersAt > FILTERS_MILLIS || !names.equals(askedFilters))) {
      filtersAt = now;
      askedFilters = names;
      inBackground(() -> filters = storeView.filters(names));
    }
  }

  private void lookAtFleet(long now, boolean watched) {
    if (notes == null) {
      fleetProblem = "this store has no notes of processes; Redis, SQL and memory have";
      return;
    }
    try {
      leaveMark(now, watched);
      Map<String, String> reports = PresenceBoards.answer(notes.all(PresenceBoards.REPORT));
      fleet.update(reports, now);
      fleetProblem = null;
    } catch (SluiceException e) {
      fleetProblem = String.valueOf(e.getMessage());
    }
    Set<String> stale =
        fleet.caches().stream()
            .filter(cache -> (Double) cache.getOrDefault("staleRate", 0.0) > 0)
            .map(cache -> String.valueOf(cache.get("name")))
            .collect(Collectors.toSet());
    stale.stream()
        .filter(name -> !staleCaches.contains(name))
        .forEach(name -> events.add("warning", "cache.stale", "name", name));
    staleCaches = stale;
  }

  private void lookForCircles(long now) {
    findings.circles(
        waits.find(locks.list(), now).stream()
            .map(
                circle ->
                    WaitCircles.finding(
                        circle,
                        client -> {
                          String name = fleet.nameOf(client);
                          return name == null ? client : name;
                        },
                        lock -> hints.sluice("unlock", lock, "--force")))
            .toList());
  }

  /** Returns whether a page is watched. */
  private void leaveMark(long now, boolean watched) {
    if (notes == null) {
      return;
    }
    Map<String, Object> mark = new LinkedHashMap<>();
    mark.put("v", PresenceBoards.FORM);
    String name = watched ? id : PresenceBoards.IDLE + id;
    long ttl = watched ? WATCH_TTL_MICROS : IDLE_TTL_MICROS;
    PresenceBoards.answer(notes.put(PresenceBoards.WATCH, name, Json.text(mark), ttl));
  }

  private static boolean hasLocks(List<LockInfo> locks) {
    return locks.stream().anyMatch(lock -> lock.lastToken() > 0);
  }

  private void logReachability(@Nullable String failed, List<LockInfo> before, long now) {
    if (failed != null && problem == null) {
      events.add("error", "store.away", "message", failed);
    } else if (failed == null && problem != null) {
      events.add("info", "store.back");
      if (hasLocks(before) && !hasLocks(locks.list())
          || EmptiedStore.isEmptied(before, locks, Duration.ofMillis(now - lookedAt))) {
        events.add("error", "store.emptied");
      }
    }
  }

  private void note(long now) {
    Map<String, Double> numbers = new LinkedHashMap<>();
    if (problem == null) {
      numbers.put(
          "locks.held",
          (double) locks.list().stream().filter(lock -> lock.holder().isPresent()).count());
      numbers.put(
          "locks.waiting",
          (double) locks.list().stream().mapToInt(lock -> lock.waiters().size()).sum());
      if (fleet.size() > 0) {
        fleet.series(numbers);
      }
      if (!stocks.list().isEmpty()) {
        noteStocks(numbers);
      }
    }
    history.add(now / 1000, numbers);
  }

  private void noteStocks(Map<String, Double> numbers) {
    double queued = 0;
    double held = 0;
    for (StoreView.Stock stock : stocks.list()) {
      queued += stock.info().queued();
      held += stock.info().held();
      numbers.put("stock.left/" + stock.name(), (double) stock.info().left());
    }
    numbers.put("inventory.queued", queued);
    numbers.put("inventory.held", held);
  }

  private void inBackground(Runnable task) {
    if (!watchers.isClosed()) {
      background.execute(
          () -> {
            try {
              task.run();
            } catch (RuntimeException | Error e) {
              System.getLogger("dev.sluice.console")
                  .log(System.Logger.Level.DEBUG, "a look at the store failed", e);
            }
          });
    }
  }

  /**
   * Starts an examination of the store, unless one began within the last five seconds.
   *
   * @return whether it started
   */
  public boolean examine() {
    long now = System.currentTimeMillis();
    if (!findings.mayExamine(now)) {
      return false;
    }
    examineLater(now);
    return true;
  }

  private void examineLater(long now) {
    findings.asked(now);
    inBackground(findings::examine);
  }

  // ---- pictures ----

  /** A view for callers that do not watch: the last one if it is fresh, else a new one. */
  public String once(View view) {
    Page page = view.page();
    synchronized (this) {
      boolean stale = System.currentTimeMillis() - sampledAt > FRESH_MILLIS;
      if (stale || page == Page.LOCKS || page == Page.FILTERS) {
        sample(Set.of(page), true);
      }
      return Json.text(picture(view));
    }
  }

  public synchronized Map<String, Object> history(View view) {
    return history.read(view.page().series, namesIn(picture(view)));
  }

  /** The names of the rows that a picture has. */
  private static Set<String> namesIn(Map<String, Object> picture) {
    return Stream.of("limiters", "caches", "inventories")
        .flatMap(list -> Json.objects(picture, list, View.MAX_ROWS).stream())
        .map(row -> String.valueOf(row.get("name")))
        .collect(Collectors.toSet());
  }

  private Map<String, Object> picture(View view) {
    Page page = view.page();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("page", page.word());
    json.put("at", sampledAt);
    json.put("lookedAt", lookedAt);
    json.put("store", store);
    json.put("reachable", problem == null);
    json.put("problem", problem == null ? "" : problem);
    json.put("fleetProblem", fleetProblem == null ? "" : fleetProblem);
    json.put("processes", fleet.size());
    json.put("unreadable", fleet.unreadable());
    switch (page) {
      case OVERVIEW -> overview(json);
      case LOCKS -> locks(json, view);
      case LIMITERS -> view.put(json, "limiters", fleet.limiters());
      case FILTERS -> {
        json.put("filters", filters.list().stream().map(StoreView::json).toList());
        json.put("more", filters.more());
        json.put("filtersAt", filtersAt);
      }
      case CACHES -> json.put("caches", fleet.caches());
      case INVENTORY -> {
        view.put(json, "inventories", stocks.list().stream().map(StoreView::json).toList());
        json.put("more", stocks.more());
        json.put("known", storeView.hasStocks());
      }
      case EVENTS -> json.put("events", events.newest(MAX_EVENTS));
    }
    json.put("series", history.latest(page.series, namesIn(json)));
    return json;
  }

  private void overview(Map<String, Object> json) {
    findings.put(json);
    json.put("members", fleet.processes());
    json.put("locksMore", locks.more());
    json.put("locksKnown", locks.list().size());
    json.put(
        "events", events.newest(EVENTS_OF_OVERVIEW).stream().limit(EVENTS_OF_OVERVIEW).toList());
  }

  private void locks(Map<String, Object> json, View view) {
    StoreView.Found<PermitInfo> found = permits;
    if (found != null) {
      View first = new View(view.page(), "", "waiting", true, 0, View.MAX_ROWS, "");
      List<Map<String, Object>> rows =
          found.list().stream().map(each -> StoreView.json(each, fleet)).toList();
      boolean cut = first.put(json, "permits", rows) > View.MAX_ROWS;
      json.put("permitsMore", found.more() || cut);
    } else {
      json.put("permits", List.of());
    }
    json.put("permitsKnown", found != null);
    view.put(
        json, "locks", locks.list().stream().map(lock -> StoreView.json(lock, fleet)).toList());
    json.put("more", locks.more());
  }

  /** Samples one lock, whether it is on a list or not. */
  public Map<String, Object> lock(String name) {
    LockInfo info = sluice.inspect().lock(name);
    synchronized (this) {
      return StoreView.json(info, fleet);
    }
  }

  // ---- changes ----

  /**
   * Computes the effect of a change of a limit, and changes nothing.
   *
   * @param inBook the version in the policy book, 0 if it has none
   * @throws Refusal if no process that shows its figures has the limiter
   */
  public synchronized LimitChange plan(String limiter, List<Limit> limits, int inBook) {
    return LimitChange.of(fleet, inBook, limiter, limits);
  }

  @Override
  public void close() {
    watchers.close();
    background.shutdownNow();
  }
}
