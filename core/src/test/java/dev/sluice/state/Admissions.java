package dev.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.limit.Limit;
import java.math.BigInteger;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Admitted calls with their times: the judge of every algorithm. It knows the definitions of the
 * bounds and nothing of how they are kept.
 */
final class Admissions {
  /** Permits that were used at a time. */
  record Use(long time, long amount) {}

  private final List<Use> uses = new ArrayList<>();

  Use add(long time, long amount) {
    Use use = new Use(time, amount);
    uses.add(use);
    return use;
  }

  /** They were given back, so they never were. */
  void remove(Use use) {
    uses.remove(use);
  }

  static long micros(Limit limit) {
    return limit.period().toNanos() / 1000;
  }

  /** Used after one time and up to another. */
  long usedIn(long after, long upTo) {
    long sum = 0;
    for (int i = uses.size() - 1; i >= 0; i--) {
      Use use = uses.get(i);
      if (use.time > after && use.time <= upTo) {
        sum += use.amount;
      }
    }
    return sum;
  }

  /** Checks the bound of the algorithm, in every span there is. */
  void check(Limit limit) {
    check(limit, 0);
  }

  /** The same where a span may hold some permits more. */
  void check(Limit limit, long more) {
    long most = limit.capacity() + more;
    List<Use> sorted = new ArrayList<>(uses);
    sorted.sort(Comparator.comparingLong(Use::time));
    long window = micros(limit);
    switch (limit.algorithm()) {
      case FIXED_WINDOW -> {
        long sum = 0;
        long current = -1;
        for (Use use : sorted) {
          sum = use.time / window == current ? sum + use.amount : use.amount;
          current = use.time / window;
          assertThat(sum).as("%s at %s", limit, use).isLessThanOrEqualTo(most);
        }
      }
      case EXPIRING_WINDOW -> {
        long sum = 0;
        long end = 0;
        for (Use use : sorted) {
          sum = use.time < end ? sum + use.amount : use.amount;
          end = use.time < end ? end : use.time + window;
          assertThat(sum).as("%s at %s", limit, use).isLessThanOrEqualTo(most);
        }
      }
      case SLIDING_LOG, SLIDING_WINDOW -> {
        long sum = 0;
        int first = 0;
        for (Use use : sorted) {
          sum += use.amount;
          while (sorted.get(first).time <= use.time - window) {
            sum -= sorted.get(first++).amount;
          }
          assertThat(sum).as("%s at %s", limit, use).isLessThanOrEqualTo(most);
        }
      }
      default -> checkEverySpan(limit, most, sorted);
    }
  }

  /** At most floor(w / T) + most in every closed span of length w. */
  private static void checkEverySpan(Limit limit, long most, List<Use> sorted) {
    BigInteger count = BigInteger.valueOf(limit.count());
    BigInteger period = BigInteger.valueOf(micros(limit));
    for (int from = 0; from < sorted.size(); from++) {
      long sum = 0;
      for (int to = from; to < sorted.size(); to++) {
        sum += sorted.get(to).amount;
        if (sum > most) {
          long span = sorted.get(to).time - sorted.get(from).time;
          BigInteger flown = BigInteger.valueOf(span).multiply(count).divide(period);
          assertThat(BigInteger.valueOf(sum))
              .as("%s from %s to %s", limit, sorted.get(from), sorted.get(to))
              .isLessThanOrEqualTo(flown.add(BigInteger.valueOf(most)));
        }
      }
    }
  }

  /** The decision by the definition alone; called in the order of time. */
  interface Ideal {
    boolean admits(long now, long cost);

    static Ideal of(Limit limit) {
      long window = micros(limit);
      return switch (limit.algorithm()) {
        case FIXED_WINDOW ->
            new Ideal() {
              private long current;
              private long used;

              @Override
              public boolean admits(long now, long cost) {
                if (now / window != current) {
                  current = now / window;
                  used = 0;
                }
                boolean passes = used + cost <= limit.capacity();
                used += passes ? cost : 0;
                return passes;
              }
            };
        case EXPIRING_WINDOW ->
            new Ideal() {
              private long end;
              private long used;

              @Override
              public boolean admits(long now, long cost) {
                if (now >= end) {
                  end = now + window;
                  used = 0;
                }
                boolean passes = used + cost <= limit.capacity();
                used += passes ? cost : 0;
                return passes;
              }
            };
        case SLIDING_LOG, SLIDING_WINDOW ->
            new Ideal() {
              private final Admissions log = new Admissions();

              @Override
              public boolean admits(long now, long cost) {
                boolean passes = log.usedIn(now - window, now) + cost <= limit.capacity();
                if (passes) {
                  log.add(now, cost);
                }
                return passes;
              }
            };
        default -> new Bucket(limit);
      };
    }
  }

  /** A bucket in exact fractions: everything times the period. */
  static final class Bucket implements Ideal {
    private final BigInteger capacity;
    private final BigInteger count;
    private final BigInteger period;
    private BigInteger level = BigInteger.ZERO;
    private long last;

    Bucket(Limit limit) {
      count = BigInteger.valueOf(limit.count());
      period = BigInteger.valueOf(limit.period().dividedBy(ChronoUnit.MICROS.getDuration()));
      capacity = BigInteger.valueOf(limit.capacity()).multiply(period);
    }

    @Override
    public boolean admits(long now, long cost) {
      level = level.subtract(BigInteger.valueOf(now - last).multiply(count)).max(BigInteger.ZERO);
      last = now;
      BigInteger next = level.add(BigInteger.valueOf(cost).multiply(period));
      boolean passes = next.compareTo(capacity) <= 0;
      level = passes ? next : level;
      return passes;
    }
  }
}
