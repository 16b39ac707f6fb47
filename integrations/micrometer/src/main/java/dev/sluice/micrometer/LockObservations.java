package dev.sluice.micrometer;

import static java.util.Objects.requireNonNull;

import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockObserver;
import dev.sluice.lock.LockOptions;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Timers and spans of locks by one instrumentation, as the handlers of an {@link
 * ObservationRegistry} create them.
 *
 * <ul>
 *   <li>{@code sluice.lock.acquire}, from the question to the answer; {@code outcome} is {@code
 *       acquired}, {@code busy} (asked once), {@code timeout} (waited without success) or {@code
 *       error}.
 *   <li>{@code sluice.lock.held}, from the grant to the end of the lease; {@code outcome} is {@code
 *       released} or {@code lost}. Events: {@code renewed}, {@code doubt} (a renewal is overdue)
 *       and {@code certain} (it came after all).
 * </ul>
 *
 * <p>Both carry {@code name}: that of the configured pattern, {@value #OTHER} for all other locks,
 * so that names with ids in them make no separate meters. Spans also carry {@code
 * sluice.lock.token}, and the full name where that is asked for.
 *
 * <pre>{@code
 * Sluice.builder().uri(uri).observer(LockObservations.of(registry).named("orders/*")).build();
 * }</pre>
 *
 * <p>An immutable value; safe for use by many threads.
 *
 * @since 0.1
 */
public final class LockObservations implements LockObserver {

  /** The observation of one acquire. */
  public static final String ACQUIRE = "sluice.lock.acquire";

  /** The observation of one lease. */
  public static final String HELD = "sluice.lock.held";

  /** Replaces the names of locks that no pattern matches. */
  public static final String OTHER = "other";

  private static final String NAME = "name";
  private static final String OUTCOME = "outcome";
  private static final Observation.Event RENEWED = Observation.Event.of("renewed");
  private static final Observation.Event DOUBT = Observation.Event.of("doubt");
  private static final Observation.Event CERTAIN = Observation.Event.of("certain");

  private final ObservationRegistry registry;
  private final List<String> patterns;
  private final boolean fullNames;

  private LockObservations(ObservationRegistry registry, List<String> patterns, boolean fullNames) {
    this.registry = registry;
    this.patterns = patterns;
    this.fullNames = fullNames;
  }

  /**
   * Observes every lock as {@value #OTHER}.
   *
   * @param registry where observations go
   * @return an observer for {@code Sluice.builder().observer(...)}
   */
  public static LockObservations of(ObservationRegistry registry) {
    requireNonNull(registry, "registry must not be null");
    return new LockObservations(registry, List.of(), false);
  }

  /**
   * Sets which lock names are tags. Each pattern is a value of the tag {@code name}, so there
   * should be few.
   *
   * @param patterns full names, or beginnings that end in {@code *}; the first that matches counts
   * @return a changed copy
   */
  public LockObservations named(String... patterns) {
    return named(List.of(patterns));
  }

  /**
   * Sets which lock names are tags.
   *
   * @param patterns see {@link #named(String...)}
   * @return a changed copy
   */
  public LockObservations named(List<String> patterns) {
    for (String pattern : patterns) {
      int star = pattern.indexOf('*');
      if (pattern.isEmpty() || (star >= 0 && star < pattern.length() - 1)) {
        throw new IllegalArgumentException(
            "a pattern must be a name, or a beginning and '*' at its end: '" + pattern + "'");
      }
    }
    return new LockObservations(registry, List.copyOf(patterns), fullNames);
  }

  /**
   * Adds the full name of the lock to spans, as {@code sluice.lock.name}. Timers never carry it.
   *
   * @return a changed copy
   */
  public LockObservations fullNamesOnSpans() {
    return new LockObservations(registry, patterns, true);
  }

  @Override
  public AcquireObserver onAcquire(String name, LockOptions options) {
    @Nullable Observation parent = registry.getCurrentObservation();
    Observation acquire = start(ACQUIRE, "acquire lock", name, parent);
    return new AcquireObserver() {
      @Override
      public LeaseObserver onGranted(Lease lease) {
        String token = Long.toString(lease.token());
        acquire.highCardinalityKeyValue("sluice.lock.token", token);
        end(acquire, "acquired");
        Observation held = start(HELD, "hold lock", name, parent);
        held.highCardinalityKeyValue("sluice.lock.token", token);
        return new Held(held);
      }

      @Override
      public void onRefused(boolean waited) {
        end(acquire, waited ? "timeout" : "busy");
      }

      @Override
      public void onFailed(Throwable failure) {
        acquire.error(failure);
        end(acquire, "error");
      }
    };
  }

  private Observation start(
      String observation, String span, String lock, @Nullable Observation parent) {
    Observation started =
        Observation.createNotStarted(observation, registry)
            .contextualName(span)
            .parentObservation(parent)
            .lowCardinalityKeyValue(NAME, groupOf(lock));
    if (fullNames) {
      started.highCardinalityKeyValue("sluice.lock.name", lock);
    }
    return started.start();
  }

  private static void end(Observation observation, String outcome) {
    observation.lowCardinalityKeyValue(OUTCOME, outcome).stop();
  }

  private String groupOf(String name) {
    for (String pattern : patterns) {
      boolean matches =
          pattern.endsWith("*")
              ? name.startsWith(pattern.substring(0, pattern.length() - 1))
              : name.equals(pattern);
      if (matches) {
        return pattern;
      }
    }
    return OTHER;
  }

  private record Held(Observation observation) implements LeaseObserver {
    @Override
    public void onChange(LeaseState state) {
      switch (state) {
        case IN_DOUBT -> observation.event(DOUBT);
        case HELD -> observation.event(CERTAIN);
        case LOST -> end(observation, "lost");
        case RELEASED -> end(observation, "released");
      }
    }

    @Override
    public void onRenewed() {
      observation.event(RENEWED);
    }
  }
}
