package dev.sluice.internal.bloom;

import static java.util.Objects.requireNonNull;

import dev.sluice.bloom.AsyncBloomFilter;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.BloomInfo;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Creation;
import dev.sluice.bloom.Funnel;
import dev.sluice.internal.call.Failures;
import dev.sluice.spi.BloomBackend;
import dev.sluice.state.BloomHashing;
import dev.sluice.state.BloomHashing.Hash;
import dev.sluice.text.Names;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A filter as callers use it: the blocking and the asynchronous form over the same requests. */
final class ClientBloomFilter<T> implements BloomFilter<T> {
  private final BloomBackend backend;
  private final Runnable checkOpen;
  private final Executor callbacks;
  private final String name;
  private final String what;
  private final Funnel<T> funnel;
  private final @Nullable BloomSpec spec;
  private final BloomProtocol line;
  private final BloomLife life;

  /**
   * A filter of a client.
   *
   * @param checkOpen throws if the client is closed
   * @param callbacks runs what blocks
   */
  ClientBloomFilter(
      BloomBackend backend,
      Runnable checkOpen,
      Executor callbacks,
      String name,
      Funnel<T> funnel,
      @Nullable BloomSpec spec) {
    this.backend = backend;
    this.checkOpen = checkOpen;
    this.callbacks = callbacks;
    this.name = name;
    this.what = "Bloom filter " + Names.quoted(name);
    this.funnel = funnel;
    this.spec = spec;
    this.line = new BloomProtocol(backend, name);
    this.life = new BloomLife(backend, name, line);
  }

  @Override
  public String name() {
    return name;
  }

  private Hash hash(T element) {
    requireNonNull(element, "element must not be null");
    return BloomHashing.hash(funnel.bytes(element));
  }

  private Hash[] hashes(Collection<? extends T> elements) {
    checkOpen.run();
    return requireNonNull(elements, "elements must not be null").stream()
        .map(this::hash)
        .toArray(Hash[]::new);
  }

  private BloomProtocol.Batch one(T element) {
    checkOpen.run();
    return new BloomProtocol.Batch(new Hash[] {hash(element)}, new int[1], new boolean[1]);
  }

  private CompletableFuture<Boolean> sendAdd(T element) {
    BloomProtocol.Batch batch = one(element);
    return line.add(batch).thenApply(done -> batch.answers()[0]);
  }

  private CompletableFuture<Boolean> sendCheck(T element) {
    BloomProtocol.Batch batch = one(element);
    return line.check(batch).thenApply(done -> batch.answers()[0]);
  }

  private CompletableFuture<Long> sendAddAll(Collection<? extends T> elements) {
    BloomProtocol.Batch batch = BloomProtocol.Batch.of(hashes(elements));
    return line.add(batch)
        .thenApply(
            done -> {
              long added = 0;
              for (boolean isNew : batch.answers()) {
                added += isNew ? 1 : 0;
              }
              return added;
            });
  }

  private CompletableFuture<List<Boolean>> sendCheckAll(Collection<? extends T> elements) {
    BloomProtocol.Batch batch = BloomProtocol.Batch.of(hashes(elements));
    return line.check(batch)
        .thenApply(
            done -> {
              List<Boolean> answers = new ArrayList<>(batch.answers().length);
              for (boolean maybe : batch.answers()) {
                answers.add(maybe);
              }
              return answers;
            });
  }

  private BloomLife open() {
    checkOpen.run();
    return life;
  }

  private CompletableFuture<Creation> sendCreate() {
    if (spec == null) {
      throw new IllegalStateException(
          what + " was opened without a size, and only one with a size can be created");
    }
    return open().create(spec);
  }

  private CompletableFuture<Boolean> sendExpire(Duration timeToLive) {
    requireNonNull(timeToLive, "timeToLive must not be null");
    long millis;
    try {
      millis = timeToLive.toMillis();
    } catch (ArithmeticException e) {
      millis = Long.MAX_VALUE;
    }
    if (millis < 1 || millis > MAX_TTL_MILLIS) {
      throw new IllegalArgumentException("timeToLive must be 1ms to 36500d: " + timeToLive);
    }
    return open().expire(millis);
  }

  private static final long MAX_TTL_MILLIS = Duration.ofDays(36_500).toMillis();

  private <R> R await(CompletableFuture<R> stage) {
    return Failures.await(stage, what);
  }

  @Override
  public Creation create() {
    return await(sendCreate());
  }

  @Override
  public boolean add(T element) {
    return await(sendAdd(element));
  }

  @Override
  public long addAll(Collection<? extends T> elements) {
    return await(sendAddAll(elements));
  }

  @Override
  public boolean mightContain(T element) {
    return await(sendCheck(element));
  }

  @Override
  public List<Boolean> mightContainAll(Collection<? extends T> elements) {
    return await(sendCheckAll(elements));
  }

  @Override
  public Optional<BloomInfo> info() {
    return await(open().info(true));
  }

  @Override
  public void clear() {
    await(open().clear());
  }

  @Override
  public boolean delete() {
    return await(open().delete(spec));
  }

  @Override
  public void union(BloomFilter<T> other) {
    await(sendUnion(other));
  }

  private CompletableFuture<Void> sendUnion(BloomFilter<T> other) {
    return open().union(requireNonNull(other, "other must not be null").name());
  }

  @Override
  public void rebuild(BloomSpec next, Supplier<? extends Stream<? extends T>> elements) {
    rebuilding(next, elements).run();
  }

  private Runnable rebuilding(BloomSpec next, Supplier<? extends Stream<? extends T>> elements) {
    requireNonNull(next, "spec must not be null");
    requireNonNull(elements, "elements must not be null");
    open();
    BloomRebuild rebuild = new BloomRebuild(backend, name, line, next);
    return () -> rebuild.run(() -> elements.get().<Hash>map(this::hash));
  }

  @Override
  public boolean expire(Duration timeToLive) {
    return await(sendExpire(timeToLive));
  }

  @Override
  public AsyncBloomFilter<T> async() {
    return new View();
  }

  /** Stages are copies, so that completing one affects no other caller. */
  private final class View implements AsyncBloomFilter<T> {
    @Override
    public CompletableFuture<Creation> create() {
      return sendCreate().copy();
    }

    @Override
    public CompletableFuture<Boolean> add(T element) {
      return sendAdd(element);
    }

    @Override
    public CompletableFuture<Long> addAll(Collection<? extends T> elements) {
      return sendAddAll(elements);
    }

    @Override
    public CompletableFuture<Boolean> mightContain(T element) {
      return sendCheck(element);
    }

    @Override
    public CompletableFuture<List<Boolean>> mightContainAll(Collection<? extends T> elements) {
      return sendCheckAll(elements);
    }

    @Override
    public CompletableFuture<Optional<BloomInfo>> info() {
      return open().info(true);
    }

    @Override
    public CompletableFuture<Void> clear() {
      return open().clear();
    }

    @Override
    public CompletableFuture<Boolean> delete() {
      return open().delete(spec);
    }

    @Override
    public CompletableFuture<Void> union(BloomFilter<T> other) {
      return sendUnion(other);
    }

    @Override
    public CompletableFuture<Void> rebuild(
        BloomSpec next, Supplier<? extends Stream<? extends T>> elements) {
      return CompletableFuture.runAsync(rebuilding(next, elements), callbacks);
    }

    @Override
    public CompletableFuture<Boolean> expire(Duration timeToLive) {
      return sendExpire(timeToLive);
    }
  }
}
