package dev.sluice.internal.bloom;

import dev.sluice.SluiceException;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.internal.call.Failures;
import dev.sluice.spi.BloomBackend;
import dev.sluice.spi.BloomHeader;
import dev.sluice.spi.BloomHeader.Opening;
import dev.sluice.spi.BloomHeader.State;
import dev.sluice.spi.BloomPart;
import dev.sluice.state.BloomHashing.Hash;
import dev.sluice.text.Names;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One rebuild of one filter, on the caller's thread. */
final class BloomRebuild {
  /*
   * 0. Where there is no filter, or its first partition was lost, a header is put there that no
   *    client uses. When that is done, no client relies on the rest of the lost filter: adds to it
   *    would be lost.
   * 1. The next generation is made beside the one in use, and what an earlier rebuild left there is
   *    deleted.
   * 2. Every string in use gets a flag that there is a next one. Adds go to both from then on.
   * 3. The elements are read and added to the next one.
   * 4. Each partition is replaced in one step. The first partition is the last, because its header
   *    is that of the filter. By then no string of the old generation may be left.
   *
   * A step is refused unless both generations are those of steps 1 and 2. So a clearing, a creation
   * or another rebuild in between makes this one fail, and no add is lost.
   */
  private static final int ELEMENTS_AT_ONCE = 10_000;
  private static final long MAX_PARTITIONS = 1 << 24;

  private final BloomBackend backend;
  private final String name;
  private final BloomProtocol line;
  private final BloomLife life;
  private final BloomSpec spec;

  BloomRebuild(BloomBackend backend, String name, BloomProtocol line, BloomSpec spec) {
    if (spec.partitions() > MAX_PARTITIONS) {
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
    BloomHeader found = await(line.load());
    boolean lost = found == null || found.state() == State.BUILDING;
    BloomHeader old = lost ? hold() : found;
    boolean swapped = false;
    BloomHeader next = null;
    long partitions = Math.max(spec.partitions(), old.partitions());
    try {
      if (partitions > MAX_PARTITIONS) {
        throw new IllegalArgumentException("a rebuild has at most 2^24 partitions: " + partitions);
      }
      if (lost) {
        await(BloomProtocol.outliveTrust(System.nanoTime()));
      }
      next = make(old);
      long[] present = announce(partitions, old.epoch());
      fill(next, elements);
      retire(next, partitions);
      swap(next, present);
      swapped = true;
      long made = next.partitions();
      await(BloomSteps.forEach(made, partitions, p -> backend.drop(BloomPart.of(name, p))));
      if (lost) {
        await(life.dropLeftovers(made));
      }
    } finally {
      line.forget();
      if (!swapped) {
        giveUp(next, partitions);
        if (lost) {
          release(old);
        }
      }
    }
  }

  /** Writes a header where none exists. */
  private BloomHeader hold() {
    BloomHeader wanted = BloomHeader.of(spec, State.BUILDING);
    BloomBackend.Opened opened =
        await(backend.open(BloomPart.of(name, 0), Opening.CREATE, wanted).toCompletableFuture());
    if (!opened.written()) {
      throw new IllegalStateException(
          "Bloom filter "
              + Names.quoted(name)
              + " is being created at this moment; rebuild it later");
    }
    return opened.header();
  }

  /**
   * Removes the unfinished generation. A client that takes it over at this moment notices, and
   * repeats the step.
   */
  private void release(BloomHeader held) {
    BloomPart first = BloomPart.of(name, 0);
    backend
        .header(first)
        .thenCompose(
            there ->
                there != null && there.isGeneration(held) && there.state() == State.BUILDING
                    ? backend.drop(first)
                    : CompletableFuture.completedFuture(false))
        .handle((done, failure) -> done)
        .toCompletableFuture()
        .join();
  }

  private BloomHeader make(BloomHeader old) {
    BloomHeader wanted =
        BloomHeader.of(spec, spec.partitions() == 1 ? State.READY : State.BUILDING)
            .after(old.epoch());
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

  /** Marks every string in use as having a next generation; returns the generations found. */
  private long[] announce(long partitions, long epoch) {
    long[] present = new long[(int) partitions];
    await(
        BloomSteps.forEach(
            0,
            partitions,
            p ->
                backend
                    .mark(BloomPart.of(name, p), epoch, State.REBUILDING)
                    .thenAccept(found -> present[(int) p] = found)));
    if (present[0] != epoch) {
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
   * partition is replaced. A client that still has the old size would query them, and get "absent"
   * for elements of the new generation.
   */
  private void retire(BloomHeader next, long partitions) {
    await(
        BloomSteps.forEach(
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

  private void giveUp(@Nullable BloomHeader next, long partitions) {
    if (next == null) {
      return;
    }
    // without an answer: the failure that led here is the one to tell
    BloomSteps.forEach(0, partitions, p -> backend.abandon(name, p, next.epoch()))
        .handle((done, failure) -> null)
        .join();
  }

  private SluiceException superseded() {
    return new SluiceException(
        "the rebuild of Bloom filter "
            + Names.quoted(name)
            + " was overtaken by another rebuild, a creation or a clearing, or one of the two"
            + " generations was lost; the generation in use stays",
        null);
  }

  private <T> T await(CompletableFuture<T> stage) {
    return Failures.await(stage, "Bloom filter " + Names.quoted(name));
  }
}
