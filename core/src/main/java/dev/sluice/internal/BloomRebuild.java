package dev.sluice.internal;

import dev.sluice.SluiceException;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.spi.BloomBackend;
import dev.sluice.spi.BloomHashing.Hash;
import dev.sluice.spi.BloomHeader;
import dev.sluice.spi.BloomHeader.Opening;
import dev.sluice.spi.BloomHeader.State;
import dev.sluice.spi.BloomPart;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** One rebuild of one filter, on the caller's thread. */
final class BloomRebuild {
  /*
   * 1. The next generation is made beside the one in use. What an earlier rebuild left there goes.
   * 2. Every string in use says that there is a next one; adds go to both from then on.
   * 3. The elements are read and added to the next one.
   * 4. Each partition changes places in one step, the first one last, because it speaks for all; by
   *    then no string of the old generation may be left. A step is refused unless both generations are those of steps 1 and 2, so a clearing, a
   *    creation or another rebuild in between makes this one fail and never forgets an add.
   */
  private static final int ELEMENTS_AT_ONCE = 10_000;
  private static final long MOST_PARTITIONS = 1 << 24;

  private final BloomBackend backend;
  private final String name;
  private final BloomLine line;
  private final BloomLife life;
  private final BloomSpec spec;

  BloomRebuild(BloomBackend backend, String name, BloomLine line, BloomSpec spec) {
    if (spec.partitions() > MOST_PARTITIONS) {
      throw new IllegalArgumentException(
          "a rebuild has at most 2^24 partitions: " + spec.partitions());
    }
    this.backend = backend;
    this.name = name;
    this.line = line;
    this.life = new BloomLife(backend, name, line);
    this.spec = spec;
  }

  void run(Supplier<Stream<Hash>> elements) {
    BloomHeader next = make();
    boolean swapped = false;
    long[] present = new long[0];
    try {
      BloomHeader old = await(line.load());
      if (old != null && old.state() == State.BUILDING) {
        throw new IllegalStateException(
            "Bloom filter '" + name + "' is being created at this moment; rebuild it later");
      }
      long partitions = Math.max(next.partitions(), old == null ? 1 : old.partitions());
      if (partitions > MOST_PARTITIONS) {
        throw new IllegalArgumentException("a rebuild has at most 2^24 partitions: " + partitions);
      }
      present = announce(partitions, old == null ? 0 : old.epoch());
      fill(next, elements);
      retire(next, partitions);
      if (old == null) {
        await(life.dropLeftovers(next.partitions()));
      }
      swap(next, present);
      swapped = true;
      BloomEngine.forEach(next.partitions(), partitions, p -> backend.drop(BloomPart.of(name, p)))
          .join();
    } finally {
      line.know(null);
      if (!swapped) {
        giveUp(next, Math.max(next.partitions(), present.length));
      }
    }
  }

  private BloomHeader make() {
    BloomHeader wanted = BloomHeader.of(spec, BloomLife.firstState(spec));
    BloomHeader next =
        await(
                backend
                    .open(new BloomPart(name, 0, true), Opening.RESET, wanted)
                    .toCompletableFuture())
            .header();
    if (!await(life.complete(next, true))) {
      throw superseded();
    }
    return next;
  }

  /** Says in every string in use that there is a next one; returns the generations found. */
  private long[] announce(long partitions, long epoch) {
    long[] present = new long[(int) partitions];
    await(
        BloomEngine.forEach(
            0,
            partitions,
            p ->
                backend
                    .mark(BloomPart.of(name, p), epoch, State.REBUILDING)
                    .thenAccept(found -> present[(int) p] = found)));
    if (present[0] != epoch && present[0] != 0) {
      throw superseded();
    }
    return present;
  }

  private void fill(BloomHeader next, Supplier<Stream<Hash>> elements) {
    try (Stream<Hash> all = elements.get()) {
      Iterator<Hash> rest = all.iterator();
      List<Hash> some = new ArrayList<>(ELEMENTS_AT_ONCE);
      while (rest.hasNext()) {
        some.add(rest.next());
        if (some.size() == ELEMENTS_AT_ONCE || !rest.hasNext()) {
          if (!await(line.addTo(next, some.toArray(Hash[]::new)))) {
            throw superseded();
          }
          some.clear();
        }
      }
    }
  }

  /**
   * Empties partitions that the next generation does not have. It must be done before the first
   * partition changes places: whoever still knew the old size would ask them, and be told that what
   * was added to the new generation is absent.
   */
  private void retire(BloomHeader next, long partitions) {
    await(
        BloomEngine.forEach(
            next.partitions(),
            partitions,
            p -> backend.open(BloomPart.of(name, p), Opening.PART, next.forPartition(p))));
  }

  private void swap(BloomHeader next, long[] present) {
    for (long p = next.partitions() - 1; p >= 0; p--) {
      if (!await(backend.promote(name, p, next.epoch(), present[(int) p]).toCompletableFuture())) {
        throw superseded();
      }
    }
  }

  private void giveUp(BloomHeader next, long partitions) {
    // without an answer: the failure that led here is the one to tell
    BloomEngine.forEach(0, partitions, p -> backend.abandon(name, p, next.epoch()))
        .handle((done, failure) -> null)
        .join();
  }

  private SluiceException superseded() {
    return new SluiceException(
        "the rebuild of Bloom filter '"
            + name
            + "' was overtaken by another rebuild, a creation or a clearing, or its new generation"
            + " was lost; the filter in use stays",
        null);
  }

  private <T> T await(CompletableFuture<T> stage) {
    return Failures.await(stage, "Bloom filter '" + name + "'");
  }
}
