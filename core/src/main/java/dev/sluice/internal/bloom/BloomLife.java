package dev.sluice.internal.bloom;

import static dev.sluice.internal.bloom.BloomSteps.forEach;

import dev.sluice.MissingDataException;
import dev.sluice.SluiceException;
import dev.sluice.bloom.BloomInfo;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Creation;
import dev.sluice.spi.BloomBackend;
import dev.sluice.spi.BloomHeader;
import dev.sluice.spi.BloomHeader.Opening;
import dev.sluice.spi.BloomHeader.State;
import dev.sluice.spi.BloomPart;
import dev.sluice.text.Names;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The life cycle of a filter: creates, counts, merges and deletes it. Safe for use by many threads.
 */
final class BloomLife {
  private static final long RESERVE_STEP_BYTES = 4 << 20;
  private static final long COUNT_STEP_BYTES = 1 << 20;
  private static final long MERGE_STEP_BYTES = 128 << 10;

  /**
   * Above this size the strings grow as bits are set, because a filter may never need all of that
   * memory.
   */
  private static final long MAX_RESERVED_BITS = 1L << 32;

  private static final int LEFTOVERS_LOOKED_FOR = 8;
  private static final int WAIT_MILLIS = 20;
  private static final int MAX_WAITS = 500; // 10 s: an abandoned creation is taken over after 5 s

  private final BloomBackend backend;
  private final String name;
  private final BloomProtocol line;

  BloomLife(BloomBackend backend, String name, BloomProtocol line) {
    this.backend = backend;
    this.name = name;
    this.line = line;
  }

  // ---- creation ----

  CompletableFuture<Creation> create(BloomSpec spec) {
    return create(spec, 0);
  }

  private CompletableFuture<Creation> create(BloomSpec spec, int waits) {
    BloomHeader wanted = BloomHeader.of(spec, State.BUILDING);
    return backend
        .open(BloomPart.of(name, 0), Opening.CREATE, wanted)
        .toCompletableFuture()
        .thenCompose(
            opened -> {
              BloomHeader header = opened.header();
              if (opened.written()) {
                return complete(header, false)
                    .thenCompose(
                        whole ->
                            whole
                                ? CompletableFuture.completedFuture(Creation.CREATED)
                                : create(spec, waits + 1));
              }
              if (header.state() == State.BUILDING) {
                if (waits >= MAX_WAITS) {
                  throw new SluiceException(
                      "another process has been creating it for 10 s and has not finished", null);
                }
                return BloomSteps.later(WAIT_MILLIS, () -> create(spec, waits + 1));
              }
              line.forget();
              return CompletableFuture.completedFuture(
                  header.hasLayoutOf(wanted)
                          && header.expectedInsertions() == wanted.expectedInsertions()
                          && header.falsePositiveRate() == wanted.falsePositiveRate()
                      ? Creation.EXISTS
                      : Creation.EXISTS_WITH_OTHER_SPEC);
            });
  }

  /**
   * Creates the other partitions of a generation, and marks the first as complete.
   *
   * @return false if another process has taken over
   */
  CompletableFuture<Boolean> complete(BloomHeader header, boolean next) {
    BloomPart first = new BloomPart(name, 0, next);
    long begun = System.nanoTime();
    CompletionStage<Boolean> whole =
        forEach(
                1,
                header.partitions(),
                p ->
                    backend.open(
                        new BloomPart(name, p, next), Opening.PART, header.forPartition(p)))
            .thenCompose(made -> next ? BloomSteps.DONE : dropLeftovers(header.partitions()))
            .thenCompose(made -> reserve(header, next))
            .thenCompose(reserved -> next ? BloomSteps.DONE : BloomProtocol.outliveTrust(begun))
            .thenCompose(
                waited ->
                    header.state() == State.READY
                        ? CompletableFuture.completedFuture(true)
                        : backend
                            .mark(first, header.epoch(), State.READY)
                            .thenApply(epoch -> epoch == header.epoch()));
    return whole
        .toCompletableFuture()
        .thenApply(
            is -> {
              if (is && !next) {
                line.forget();
              }
              return is;
            });
  }

  /**
   * Removes partitions of a larger filter whose first one was lost, because no client uses them and
   * they take up memory. Their number stands in each of them; a few places are looked at.
   */
  CompletableFuture<Void> dropLeftovers(long from) {
    AtomicLong end = new AtomicLong(from);
    return forEach(
            from,
            from + LEFTOVERS_LOOKED_FOR,
            p ->
                backend
                    .header(BloomPart.of(name, p))
                    .thenAccept(
                        found -> {
                          if (found != null) {
                            end.accumulateAndGet(Math.max(p + 1, found.partitions()), Math::max);
                          }
                        }))
        .thenCompose(done -> forEach(from, end.get(), p -> backend.drop(BloomPart.of(name, p))));
  }

  private CompletableFuture<Void> reserve(BloomHeader header, boolean next) {
    if (header.partitions() > MAX_RESERVED_BITS / header.bits()) {
      return BloomSteps.DONE;
    }
    long steps = (header.bytes() + RESERVE_STEP_BYTES - 1) / RESERVE_STEP_BYTES;
    return forEach(
        0,
        header.partitions(),
        p -> {
          BloomPart part = new BloomPart(name, p, next);
          return inTurn(
              steps,
              step ->
                  backend.reserve(part, Math.min(header.bytes(), (step + 1) * RESERVE_STEP_BYTES)));
        });
  }

  /** Runs one step after the other. */
  private static CompletableFuture<Void> inTurn(
      long steps, LongFunction<CompletionStage<Void>> step) {
    CompletableFuture<Void> all = BloomSteps.DONE;
    for (long i = 0; i < steps; i++) {
      long number = i;
      all = all.thenCompose(done -> step.apply(number));
    }
    return all;
  }

  // ---- end ----

  CompletableFuture<Void> clear() {
    return line.load()
        .thenCompose(
            header -> {
              BloomHeader present = required(header, name);
              return backend.open(BloomPart.of(name, 0), Opening.RESET, present.anew());
            })
        .thenCompose(opened -> complete(opened.header(), false))
        .thenAccept(whole -> {}); // if not: a later clearing or creation has emptied it too
  }

  private static BloomHeader required(@Nullable BloomHeader header, String filter) {
    if (header == null) {
      throw BloomProtocol.none(filter);
    }
    return header;
  }

  CompletableFuture<Boolean> delete(@Nullable BloomSpec spec) {
    long own = spec == null ? 1 : spec.partitions();
    return line.load()
        .thenCompose(
            header ->
                backend
                    .header(new BloomPart(name, 0, true))
                    .thenCompose(
                        next ->
                            drop(header == null ? own : header.partitions(), false)
                                .thenCombine(
                                    drop(next == null ? 0 : next.partitions(), true),
                                    (dropped, others) -> dropped)))
        .thenCompose(
            dropped -> {
              line.forget();
              return dropLeftovers(1).thenApply(done -> dropped);
            });
  }

  private CompletableFuture<Boolean> drop(long partitions, boolean next) {
    LongAdder there = new LongAdder();
    return forEach(
            0,
            partitions,
            p ->
                backend
                    .drop(new BloomPart(name, p, next))
                    .thenAccept(was -> there.add(was ? 1 : 0)))
        .thenApply(done -> there.sum() > 0);
  }

  CompletableFuture<Boolean> expire(long millis) {
    return line.load()
        .thenCompose(
            header -> {
              if (header == null) {
                return CompletableFuture.completedFuture(false);
              }
              return forEach(
                      0, header.partitions(), p -> backend.expire(BloomPart.of(name, p), millis))
                  .thenApply(done -> true);
            });
  }

  // ---- counting ----

  CompletableFuture<Optional<BloomInfo>> info(boolean withTimeToLive) {
    return line.load()
        .thenCompose(
            header ->
                header == null || header.state() == State.BUILDING
                    ? CompletableFuture.completedFuture(Optional.<BloomInfo>empty())
                    : info(header, withTimeToLive).thenApply(Optional::of));
  }

  private CompletableFuture<BloomInfo> info(BloomHeader header, boolean withTimeToLive) {
    LongAdder missing = new LongAdder();
    LongAdder set = new LongAdder();
    DoubleAdder elements = new DoubleAdder();
    DoubleAdder rate = new DoubleAdder();
    AtomicLong soonest = new AtomicLong(Long.MAX_VALUE);
    return forEach(
            0,
            header.partitions(),
            p -> {
              BloomPart part = BloomPart.of(name, p);
              CompletionStage<?> counted =
                  backend
                      .header(part)
                      .thenCompose(
                          own -> {
                            if (own == null || !own.isGeneration(header)) {
                              missing.increment();
                              rate.add(1);
                              return BloomSteps.DONE;
                            }
                            return count(part, own)
                                .thenAccept(
                                    bits -> {
                                      set.add(bits);
                                      elements.add(own.estimate(bits));
                                      rate.add(Math.pow((double) bits / own.bits(), own.hashes()));
                                    });
                          });
              return withTimeToLive
                  ? counted
                      .thenCompose(done -> backend.timeToLive(part))
                      .thenAccept(
                          millis ->
                              soonest.accumulateAndGet(
                                  millis < 0 ? Long.MAX_VALUE : millis, Math::min))
                  : counted;
            })
        .thenApply(
            done ->
                new BloomInfo(
                    name,
                    header.expectedInsertions(),
                    header.falsePositiveRate(),
                    header.hashes(),
                    header.bits(),
                    header.partitions(),
                    missing.sum(),
                    set.sum(),
                    Math.round(elements.sum()),
                    rate.sum() / header.partitions(),
                    header.epoch(),
                    header.state() == State.REBUILDING,
                    soonest.get() == Long.MAX_VALUE
                        ? Optional.empty()
                        : Optional.of(Duration.ofMillis(soonest.get()))));
  }

  private CompletableFuture<Long> count(BloomPart part, BloomHeader header) {
    LongAdder sum = new LongAdder();
    long steps = (header.bytes() - BloomHeader.BYTES + COUNT_STEP_BYTES - 1) / COUNT_STEP_BYTES;
    return forEach(
            0,
            steps,
            step -> {
              long from = BloomHeader.BYTES + step * COUNT_STEP_BYTES;
              long to = Math.min(header.bytes(), from + COUNT_STEP_BYTES);
              return backend.count(part, from, to).thenAccept(sum::add);
            })
        .thenApply(done -> sum.sum());
  }

  // ---- merging ----

  CompletableFuture<Void> union(String other) {
    return line.load()
        .thenCombine(
            backend.header(BloomPart.of(other, 0)),
            (target, source) -> new BloomHeader[] {required(target, name), required(source, other)})
        .thenCompose(
            both -> {
              if (!both[0].hasLayoutOf(both[1])) {
                throw new IllegalArgumentException(
                    "a union needs filters of one size: "
                        + size(name, both[0])
                        + ", "
                        + size(other, both[1]));
              }
              return forEach(0, both[0].partitions(), p -> union(p, both[0], other, both[1]))
                  .thenCompose(done -> line.load())
                  .thenAccept(
                      last -> {
                        if (last == null || !last.isGeneration(both[0])) {
                          throw incomplete();
                        }
                      });
            });
  }

  private IllegalStateException incomplete() {
    return new IllegalStateException(
        "Bloom filter "
            + Names.quoted(name)
            + " was deleted, or is being created or rebuilt; nothing is lost, and the union is not"
            + " complete");
  }

  private static String size(String filter, BloomHeader header) {
    return Names.quoted(filter)
        + " has "
        + header.partitions()
        + " x "
        + header.bits()
        + " bits and "
        + header.hashes()
        + " of each element";
  }

  private CompletableFuture<Void> union(
      long partition, BloomHeader target, String other, BloomHeader source) {
    BloomPart from = BloomPart.of(other, partition);
    BloomPart to = BloomPart.of(name, partition);
    long steps = (target.bytes() - BloomHeader.BYTES + MERGE_STEP_BYTES - 1) / MERGE_STEP_BYTES;
    return inTurn(
            steps,
            step -> {
              long first = BloomHeader.BYTES + step * MERGE_STEP_BYTES;
              return backend
                  .read(from, first, Math.min(target.bytes(), first + MERGE_STEP_BYTES))
                  .thenCompose(bytes -> backend.merge(to, target.epoch(), first, bytes))
                  .thenAccept(
                      done -> {
                        if (!done) {
                          throw incomplete();
                        }
                      });
            })
        // asked last: had it gone before, what was read was not what was in it
        .thenCompose(done -> backend.header(from))
        .thenAccept(
            own -> {
              if (own == null || !own.isGeneration(source)) {
                throw new MissingDataException(
                    "partition "
                        + partition
                        + " of Bloom filter "
                        + Names.quoted(other)
                        + " was lost; rebuild that filter, then repeat the union",
                    null);
              }
            });
  }
}
