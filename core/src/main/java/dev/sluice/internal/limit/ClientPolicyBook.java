package dev.sluice.internal.limit;

import static java.util.Objects.requireNonNull;

import dev.sluice.BackendException;
import dev.sluice.ForeignDataException;
import dev.sluice.internal.call.Failures;
import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Limit;
import dev.sluice.limit.PolicyBook;
import dev.sluice.limit.PolicyEntry;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.spi.ClientParts;
import dev.sluice.spi.NoteBackend;
import dev.sluice.text.Names;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Stores policies in permanent notes, one for each limiter. Safe for use by many threads. */
final class ClientPolicyBook implements PolicyBook {
  private static final System.Logger LOG = System.getLogger("dev.sluice.limit");
  private static final String BOARD = "policies";

  /**
   * The board with one note, replaced after each change: cheaper to read each second than the book.
   */
  private static final String NEWS = "policynews";

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(700);
  private static final int LOOKS_BETWEEN_READS = 60;
  private static final int MAX_VERSIONS = 20;
  private static final int MAX_TRIES = 100;

  private final ClientParts parts;
  private final Supplier<List<RateLimiter>> limiters;
  private final NoteBackend notes;
  private final Map<RateLimiter, Applied> applied = new ConcurrentHashMap<>();
  // guarded by this
  private Runnable cancel = () -> {};
  private boolean following;
  private boolean closed;
  private int looks;
  private String news = "";
  private Map<String, PolicyEntry> known = Map.of();
  private final Set<String> complaints = new HashSet<>();

  /** The settings of a limiter, and the policy from the book. */
  private record Applied(RateLimiterOptions settings, RateLimiterOptions policy) {}

  ClientPolicyBook(ClientParts parts, Supplier<List<RateLimiter>> limiters) {
    this.parts = parts;
    this.limiters = limiters;
    this.notes = parts.backend().notes();
  }

  @Override
  public PolicyBook follow() {
    boolean begins;
    synchronized (this) {
      begins = !following;
      following = true;
    }
    if (begins) {
      look();
    }
    return this;
  }

  @Override
  public Optional<PolicyEntry> find(String limiter) {
    return history(limiter).stream().findFirst();
  }

  @Override
  public List<PolicyEntry> history(String limiter) {
    String text = texts().get(Names.check(limiter));
    return text == null ? List.of() : PolicyText.read(limiter, text);
  }

  @Override
  public List<PolicyEntry> all() {
    List<PolicyEntry> entries = new ArrayList<>();
    new TreeMap<>(texts())
        .forEach((limiter, text) -> entries.add(PolicyText.read(limiter, text).get(0)));
    return entries;
  }

  @Override
  public PolicyEntry set(String limiter, RateLimiterOptions policy, String author, String reason) {
    requireNonNull(policy, "policy must not be null");
    return write(limiter, before -> policy, author, reason);
  }

  @Override
  public PolicyEntry revert(String limiter, int version, String author, String reason) {
    return write(
        limiter,
        before ->
            before.stream()
                .filter(entry -> entry.version() == version)
                .findFirst()
                .map(
                    entry ->
                        RateLimiterOptions.of(entry.limits())
                            .overrides(entry.overrides())
                            .plans(entry.plans()))
                .orElseThrow(
                    () ->
                        new IllegalArgumentException(
                            before.isEmpty()
                                ? "the policy book has no entry of limiter " + Names.quoted(limiter)
                                : "version must be one that the book has of limiter "
                                    + Names.quoted(limiter)
                                    + ", "
                                    + before.stream().map(PolicyEntry::version).toList()
                                    + ": "
                                    + version)),
        author,
        reason);
  }

  private PolicyEntry write(
      String limiter,
      Function<List<PolicyEntry>, RateLimiterOptions> policy,
      String author,
      String reason) {
    Names.check(limiter);
    checkLength("author", author, 1, 100);
    checkLength("reason", reason, 0, 200);
    for (int tries = 0; tries < MAX_TRIES; tries++) {
      Map<String, String> texts = texts();
      String text = texts.get(limiter);
      if (text == null && texts.size() >= NoteBackend.MAX_NOTES) {
        throw new IllegalStateException(
            "the policy book has " + texts.size() + " limiters, as many as it can have");
      }
      List<PolicyEntry> entries =
          new ArrayList<>(text == null ? List.of() : PolicyText.read(limiter, text));
      RateLimiterOptions next = policy.apply(entries);
      PolicyEntry entry =
          new PolicyEntry(
              limiter,
              version(limiter, next.version(), entries),
              next.limits(),
              next.overrides(),
              next.plans(),
              author,
              reason,
              Instant.now());
      entries.add(0, entry);
      String after = PolicyText.write(entries, MAX_VERSIONS, NoteBackend.MAX_BYTES);
      if (await(notes.replace(BOARD, limiter, text, after))) {
        announce();
        return entry;
      }
    }
    throw new BackendException(
        "the policy of limiter "
            + Names.quoted(limiter)
            + " was changed concurrently in every attempt",
        null);
  }

  private int version(String limiter, int wanted, List<PolicyEntry> entries) {
    int present = entries.isEmpty() ? 0 : entries.get(0).version();
    if (wanted > 0) {
      if (wanted <= present) {
        throw new IllegalArgumentException(
            "version must be above that of the present entry, " + present + ": " + wanted);
      }
      return wanted;
    }
    for (RateLimiter each : limiters.get()) {
      if (each.name().equals(limiter)) {
        present = Math.max(present, each.options().version());
      }
    }
    if (present >= 65_535) {
      throw new IllegalStateException(
          "limiter " + Names.quoted(limiter) + " has the highest version, 65535, already");
    }
    return present + 1;
  }

  private static void checkLength(String what, String text, int least, int most) {
    if (text.length() < least || text.length() > most) {
      throw new IllegalArgumentException(
          what + " must be " + least + " to " + most + " characters: " + text.length());
    }
  }

  private Map<String, String> texts() {
    return await(notes.all(BOARD));
  }

  private static <T> T await(CompletionStage<T> stage) {
    return Failures.await(stage.toCompletableFuture(), "policy book");
  }

  /** A process that misses it reads the book within a minute. */
  private void announce() {
    notes
        .put(NEWS, "latest", UUID.randomUUID().toString(), NoteBackend.MAX_TTL_MICROS)
        .whenComplete((done, failure) -> debug(failure));
  }

  // ---- following ----

  private void look() {
    if (limiters.get().isEmpty()) {
      planAndApply();
      return;
    }
    Failures.call(() -> notes.all(NEWS)).whenComplete(this::looked);
  }

  private void looked(@Nullable Map<String, String> found, @Nullable Throwable failure) {
    debug(failure);
    boolean reads;
    String latest = found == null ? "" : found.getOrDefault("latest", "");
    synchronized (this) {
      reads = found != null && (looks == 0 || !latest.equals(news));
    }
    if (!reads) {
      planAndApply();
      return;
    }
    Failures.call(() -> notes.all(BOARD))
        .whenComplete(
            (texts, failed) -> {
              debug(failed);
              if (texts != null) {
                read(texts, latest);
              }
              planAndApply();
            });
  }

  private void read(Map<String, String> texts, String latest) {
    Map<String, PolicyEntry> entries;
    synchronized (this) {
      entries = new HashMap<>(known); // what cannot be read stays as it was
    }
    texts.forEach(
        (limiter, text) -> {
          try {
            entries.put(limiter, PolicyText.read(limiter, text).get(0));
          } catch (ForeignDataException e) {
            complain(String.valueOf(e.getMessage()));
          }
        });
    synchronized (this) {
      known = Map.copyOf(entries);
      news = latest;
      looks = LOOKS_BETWEEN_READS;
    }
  }

  private void planAndApply() {
    try {
      parts.callbacks().execute(this::apply);
    } finally {
      synchronized (this) {
        looks = Math.max(0, looks - 1);
        if (!closed) {
          cancel = parts.scheduler().schedule(this::look, LOOK_NANOS);
        }
      }
    }
  }

  /** Gives each limiter the policy of the book, unless it has that or a later one. */
  private void apply() {
    Map<String, PolicyEntry> entries;
    synchronized (this) {
      entries = known;
    }
    for (RateLimiter limiter : limiters.get()) {
      PolicyEntry entry = entries.get(limiter.name());
      RateLimiterOptions now = limiter.options();
      if (entry != null && entry.version() > now.version()) {
        try {
          Applied last = applied.get(limiter);
          RateLimiterOptions settings =
              last != null && last.policy() == now ? last.settings() : now;
          RateLimiterOptions policy = over(entry, settings);
          limiter.update(policy);
          applied.put(limiter, new Applied(settings, policy));
        } catch (IllegalArgumentException e) {
          complain(
              "version "
                  + entry.version()
                  + " of the policy of limiter "
                  + Names.quoted(limiter.name())
                  + " was not applied: "
                  + e.getMessage());
        }
      }
    }
  }

  /** Limits and version of the entry, and the tiers of each key and plan in it. */
  private static RateLimiterOptions over(PolicyEntry entry, RateLimiterOptions settings) {
    Map<String, List<Limit>> overrides = new HashMap<>(settings.overrides());
    overrides.putAll(entry.overrides());
    Map<String, List<Limit>> plans = new HashMap<>(settings.plans());
    plans.putAll(entry.plans());
    return settings
        .overrides(Map.of())
        .plans(Map.of())
        .limits(entry.limits())
        .overrides(overrides)
        .plans(plans)
        .version(entry.version(), CarryOver.KEEP);
  }

  /** Once. */
  private void complain(String about) {
    boolean isNew;
    synchronized (this) {
      isNew = complaints.size() < 1000 && complaints.add(about);
    }
    if (isNew) {
      LOG.log(System.Logger.Level.WARNING, "{0}", PolicyText.visible(about));
    }
  }

  private static void debug(@Nullable Throwable failure) {
    if (failure != null) {
      LOG.log(System.Logger.Level.DEBUG, "the policy book was not reached", failure);
    }
  }

  /** Stops following the book; limiters keep their present policies. */
  synchronized void close() {
    closed = true;
    cancel.run();
  }
}
