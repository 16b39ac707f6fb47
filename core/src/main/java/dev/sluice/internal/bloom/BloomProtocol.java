package dev.sluice.internal.bloom;

import static dev.sluice.internal.bloom.BloomSteps.DONE;

import dev.sluice.ForeignDataException;
import dev.sluice.MissingDataException;
import dev.sluice.internal.call.Failures;
import dev.sluice.spi.BloomBackend;
import dev.sluice.spi.BloomHeader;
import dev.sluice.spi.BloomPart;
import dev.sluice.spi.BloomReply;
import dev.sluice.spi.BloomTouch;
import dev.sluice.state.BloomHashing.Hash;
import dev.sluice.text.Names;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The bits of one filter: the valid header, the strings to read or write, and the meaning of a
 * reply. Safe for use by many threads.
 */
final class BloomProtocol {
  /*
   * A client remembers the header of the first partition, which is the header of the filter, and
   * sends one command per element without reading it first. Every reply brings the format and the
   * epoch of the string that was touched. If they are the ones remembered, the answer counts. If
   * not, the header is read again: either another filter was created, and the request is repeated
   * with its size; or the header is the one remembered, and this string was deleted or belongs to
   * another generation. Then its content is unknown: a query returns "maybe", an add fails.
   *
   * That is enough while the string touched is the first partition itself. Another
   * partition may be what is left of a filter whose first one was lost, while a new filter, with
   * fewer partitions, is in use elsewhere and cannot know of it. So a remembered header is valid
   * for other partitions for a short time only, counted from before the request that read it was
   * sent. A client that writes a header where none was waits longer than that before the filter
   * can be used.
   *
   * While a new generation is being built the header has a flag. The command that sets the
   * bits returns that flag, so a client that adds after the flag was set adds to the new
   * generation too. A client that added earlier did so before the builder opened its source.
   */

  /** 1,000 elements of seven bits took 1.5 ms of the server; this is half of that. */
  private static final int BITS_PER_REQUEST = 4096;

  private static final int WAIT_MILLIS = 4;
  private static final int MAX_TRIES = 500;

  private static final long TRUST_NANOS = 80_000_000;

  /** The validity of a header, plus a quarter for clock drift. */
  private static final long OUTLIVES_TRUST_NANOS = 100_000_000;

  private final BloomBackend backend;
  private final String name;
  private final AtomicBoolean refreshing = new AtomicBoolean();
  private volatile @Nullable Known known;
  private volatile @Nullable BloomHeader coming;

  BloomProtocol(BloomBackend backend, String name) {
    this.backend = backend;
    this.name = name;
  }

  /** The last header read, and the time at which that request was sent. */
  private record Known(BloomHeader header, long askedAt) {}

  /** A batch of elements of a call, with the indexes of their answers. */
  record Batch(Hash[] hashes, int[] places, boolean[] answers) {
    static Batch of(Hash[] hashes) {
      return new Batch(
          hashes, IntStream.range(0, hashes.length).toArray(), new boolean[hashes.length]);
    }

    Batch only(int[] some) {
      return new Batch(hashes, some, answers);
    }

    void unknown() {
      for (int place : places) {
        answers[place] = true;
      }
    }

    void found(BloomReply reply) {
      for (int i = 0; i < places.length; i++) {
        answers[places[i]] = reply.full()[i];
      }
    }

    void added(BloomReply reply) {
      for (int i = 0; i < places.length; i++) {
        answers[places[i]] |= !reply.full()[i];
      }
    }
  }

  private void know(@Nullable BloomHeader header, long askedAt) {
    known =
        header == null || header.state() == BloomHeader.State.BUILDING
            ? null
            : new Known(header, askedAt);
  }

  /** The next call reads the header again. */
  void forget() {
    known = null;
  }

  /**
   * Waits until no client relies any more on a header of an earlier time.
   *
   * @param since when it was known not to stand there, on the clock of this JVM
   */
  static CompletableFuture<Void> outliveTrust(long since) {
    long left = OUTLIVES_TRUST_NANOS - (System.nanoTime() - since);
    return left <= 0 ? DONE : BloomSteps.later(TimeUnit.NANOSECONDS.toMillis(left) + 1, () -> DONE);
  }

  /** Reads the header of the filter; null if it does not exist. */
  CompletableFuture<@Nullable BloomHeader> load() {
    long askedAt = System.nanoTime();
    return backend
        .header(BloomPart.of(name, 0))
        .toCompletableFuture()
        .thenApply(
            header -> {
              know(header, askedAt);
              return header;
            });
  }

  private CompletableFuture<@Nullable BloomHeader> header() {
    Known last = known;
    if (last == null) {
      return load();
    }
    if (last.header.partitions() > 1
        && System.nanoTime() - last.askedAt > TRUST_NANOS / 2
        && refreshing.compareAndSet(false, true)) {
      load().whenComplete((header, failure) -> refreshing.set(false)); // ahead of need
    }
    return CompletableFuture.completedFuture(last.header);
  }

  /** Whether a header is still valid for a string that has just answered. */
  private boolean speaksFor(BloomHeader header, BloomPart part) {
    Known last = known;
    return part.partition() == 0
        || last != null
            && last.header.isGeneration(header)
            && System.nanoTime() - last.askedAt < TRUST_NANOS;
  }

  // ---- asking ----

  /** Sets the answers of elements that are certainly absent to false. */
  CompletableFuture<Void> check(Batch batch) {
    return check(batch, 0)
        .exceptionallyCompose(
            failure -> {
              if (Failures.unwrap(failure) instanceof ForeignDataException) {
                batch.unknown();
                return DONE;
              }
              return CompletableFuture.failedFuture(failure);
            });
  }

  private CompletableFuture<Void> check(Batch batch, int tries) {
    return header()
        .thenCompose(
            header -> {
              if (header == null || header.state() == BloomHeader.State.BUILDING) {
                batch.unknown();
                return DONE;
              }
              return touch(
                  header,
                  false,
                  false,
                  batch,
                  (part, some) ->
                      reply -> {
                        if (header.matches(reply) && speaksFor(header, part)) {
                          some.found(reply);
                          return DONE;
                        }
                        return load()
                            .thenCompose(
                                fresh -> {
                                  boolean same = fresh != null && fresh.isGeneration(header);
                                  if (same && header.matches(reply)) {
                                    some.found(reply);
                                  } else if (same || fresh == null || tries >= MAX_TRIES) {
                                    some.unknown();
                                  } else {
                                    return check(some, tries + 1);
                                  }
                                  return DONE;
                                });
                      });
            });
  }

  // ---- adding ----

  /** Sets the answers of elements that may have been present to false. */
  CompletableFuture<Void> add(Batch batch) {
    return add(batch, 0);
  }

  private CompletableFuture<Void> add(Batch batch, int tries) {
    return header()
        .thenCompose(
            header -> {
              if (header == null) {
                throw none(name);
              }
              if (header.state() == BloomHeader.State.BUILDING) {
                return again(batch, tries, "its creation did not end; create it");
              }
              if (tries > MAX_TRIES) {
                throw missing("another process creates it again and again; retry later");
              }
              return touch(
                  header,
                  false,
                  true,
                  batch,
                  (part, some) ->
                      reply ->
                          header.matches(reply) && speaksFor(header, part)
                              ? added(header, some, reply, tries)
                              : missed(header, part, some, reply, tries));
            });
  }

  private CompletableFuture<Void> again(Batch batch, int tries, String problem) {
    if (tries >= MAX_TRIES) {
      throw missing(problem);
    }
    return BloomSteps.later(WAIT_MILLIS, () -> add(batch, tries + 1));
  }

  static MissingDataException none(String name) {
    return new MissingDataException(
        "Bloom filter " + Names.quoted(name) + ": it does not exist; create it", null);
  }

  private MissingDataException missing(String problem) {
    return new MissingDataException("Bloom filter " + Names.quoted(name) + ": " + problem, null);
  }

  private CompletableFuture<Void> added(
      BloomHeader header, Batch batch, BloomReply reply, int tries) {
    batch.added(reply);
    return reply.rebuilding() ? addToNext(header, batch, tries) : DONE;
  }

  /** Bits were or may have been set in an unexpected string. */
  private CompletableFuture<Void> missed(
      BloomHeader header, BloomPart part, Batch batch, BloomReply reply, int tries) {
    return sweep(part, reply)
        .thenCompose(swept -> load())
        .thenCompose(
            fresh -> {
              if (fresh == null) {
                throw missing(
                    "it was lost from the store; create it and add every element, or rebuild it");
              }
              if (!fresh.isGeneration(header)) {
                return tries < MAX_TRIES
                    ? add(batch, tries + 1)
                    : again(batch, tries, "it is created again all the time");
              }
              if (header.matches(reply)) {
                return added(header, batch, reply, tries);
              }
              String gone =
                  "its partition "
                      + part.partition()
                      + " has gone from the store, and what was in it is not known";
              if (reply.hasHeader() && reply.epoch() > header.epoch()) {
                return again(batch, tries, gone); // another process is changing the generation
              }
              throw missing(gone);
            });
  }

  /** Setting bits in an absent string has created a string, which no client reads. */
  private CompletableFuture<Void> sweep(BloomPart part, BloomReply reply) {
    return reply.format() == 0 ? backend.sweep(part).toCompletableFuture() : DONE;
  }

  // ---- while a new generation is being built ----

  private CompletableFuture<Void> addToNext(BloomHeader header, Batch batch, int tries) {
    BloomHeader remembered = coming;
    CompletableFuture<@Nullable BloomHeader> asked =
        remembered == null || remembered.isGeneration(header) // in use by now: there is another
            ? backend.header(new BloomPart(name, 0, true)).toCompletableFuture()
            : CompletableFuture.completedFuture(remembered);
    return asked.thenCompose(
        next -> {
          coming = next;
          if (next == null) {
            return load()
                .thenCompose(
                    fresh -> {
                      if (fresh == null) {
                        throw missing(
                            "it was lost from the store; create it and add every element, or"
                                + " rebuild it");
                      }
                      // the same: the rebuild was given up, or has lost its generation and fails
                      return fresh.isGeneration(header) ? DONE : add(batch, tries + 1);
                    });
          }
          return touch(
                  next,
                  true,
                  true,
                  batch,
                  (part, some) ->
                      reply ->
                          next.matches(reply)
                              ? DONE
                              : sweep(part, reply)
                                  .thenCompose(swept -> follow(header, next, some, tries)))
              .thenCompose(done -> backend.header(new BloomPart(name, 0, true)))
              .thenCompose(
                  last ->
                      load()
                          .thenCompose(fresh -> wasNext(header, next, last, fresh, batch, tries)));
        });
  }

  /**
   * The generation was the next one only if its first partition exists or the rebuild has ended,
   * and the other generation is still in use. Otherwise two swaps, or another rebuild with fewer
   * partitions, may have happened.
   */
  private CompletableFuture<Void> wasNext(
      BloomHeader header,
      BloomHeader next,
      @Nullable BloomHeader last,
      @Nullable BloomHeader fresh,
      Batch batch,
      int tries) {
    if (fresh != null && fresh.isGeneration(header) && (last == null || last.isGeneration(next))) {
      return DONE;
    }
    coming = null;
    return add(batch, tries + 1);
  }

  /** The partition of the next generation did not exist; it may be in use by now. */
  private CompletableFuture<Void> follow(
      BloomHeader header, BloomHeader next, Batch batch, int tries) {
    coming = null;
    return touch(
        next,
        false,
        true,
        batch,
        (present, some) ->
            reply ->
                next.matches(reply)
                    ? DONE
                    : sweep(present, reply)
                        .thenCompose(swept -> backend.header(new BloomPart(name, 0, true)))
                        .thenCompose(
                            fresh ->
                                // remembered from an earlier rebuild; if it is the same, this
                                // partition was lost, and the rebuild cannot end well
                                fresh != null && !fresh.isGeneration(next) && tries < MAX_TRIES
                                    ? addToNext(header, some, tries + 1)
                                    : DONE));
  }

  /**
   * Adds only to the generation that is being built.
   *
   * @return false if it is not there any more
   */
  CompletableFuture<Boolean> addTo(BloomHeader next, Hash[] hashes) {
    AtomicBoolean whole = new AtomicBoolean(true);
    return touch(
            next,
            true,
            true,
            Batch.of(hashes),
            (part, some) ->
                reply -> {
                  if (next.matches(reply)) {
                    return DONE;
                  }
                  whole.set(false);
                  return sweep(part, reply);
                })
        .thenApply(done -> whole.get());
  }

  // ---- requests ----

  /** Handles a reply for some elements of one string. */
  interface Handler
      extends BiFunction<BloomPart, Batch, Function<BloomReply, CompletableFuture<Void>>> {}

  private CompletableFuture<Void> touch(
      BloomHeader header, boolean next, boolean set, Batch batch, Handler handler) {
    if (batch.places.length == 1) {
      return send(header, next, set, batch, handler);
    }
    List<Batch> requests = split(header, batch);
    return BloomSteps.forEach(
        0, requests.size(), i -> send(header, next, set, requests.get((int) i), handler));
  }

  private CompletableFuture<Void> send(
      BloomHeader header, boolean next, boolean set, Batch batch, Handler handler) {
    int k = header.hashes();
    long[] bits = new long[batch.places.length * k];
    for (int i = 0; i < batch.places.length; i++) {
      batch.hashes[batch.places[i]].bits(header.bits(), bits, i * k, k);
    }
    Hash first = batch.hashes[batch.places[0]];
    BloomPart part = new BloomPart(name, first.partition(header.partitions()), next);
    return backend
        .touch(new BloomTouch(part, k, bits, set))
        .toCompletableFuture()
        .thenCompose(handler.apply(part, batch));
  }

  /** Requests of a bounded size, each to one partition. */
  private static List<Batch> split(BloomHeader header, Batch batch) {
    record Placed(long partition, int place) {}
    Placed[] placed =
        Arrays.stream(batch.places)
            .mapToObj(
                place -> new Placed(batch.hashes[place].partition(header.partitions()), place))
            .toArray(Placed[]::new);
    if (header.partitions() > 1) {
      Arrays.sort(placed, Comparator.comparingLong(Placed::partition));
    }
    int most = Math.max(1, BITS_PER_REQUEST / header.hashes());
    List<Batch> requests = new ArrayList<>();
    for (int from = 0; from < placed.length; ) {
      int to = from + 1;
      while (to < placed.length
          && to - from < most
          && placed[to].partition == placed[from].partition) {
        to++;
      }
      requests.add(batch.only(Arrays.stream(placed, from, to).mapToInt(Placed::place).toArray()));
      from = to;
    }
    return requests;
  }
}
