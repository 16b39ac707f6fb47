package dev.sluice.testkit;

import dev.sluice.spi.BloomBackend;
import dev.sluice.spi.BloomHeader;
import dev.sluice.spi.BloomPart;
import dev.sluice.spi.BloomReply;
import dev.sluice.spi.BloomTouch;
import dev.sluice.testkit.FlakyBackend.Verb;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The Bloom filters behind a {@link FlakyBackend}. */
final class FlakyBlooms implements BloomBackend {
  private final BloomBackend store;
  private final Line line;

  /** What becomes of a call. */
  interface Line {
    <T> CompletionStage<T> send(Verb verb, Supplier<CompletionStage<T>> call);
  }

  FlakyBlooms(BloomBackend store, Line line) {
    this.store = store;
    this.line = line;
  }

  private <T> CompletionStage<T> keep(Supplier<CompletionStage<T>> call) {
    return line.send(Verb.TEND, call);
  }

  @Override
  public CompletionStage<BloomReply> touch(BloomTouch touch) {
    return line.send(Verb.TOUCH, () -> store.touch(touch));
  }

  @Override
  public CompletionStage<@Nullable BloomHeader> header(BloomPart part) {
    return keep(() -> store.header(part));
  }

  @Override
  public CompletionStage<Opened> open(
      BloomPart part, BloomHeader.Opening opening, BloomHeader wanted) {
    return keep(() -> store.open(part, opening, wanted));
  }

  @Override
  public CompletionStage<Long> mark(BloomPart part, long epoch, BloomHeader.State state) {
    return keep(() -> store.mark(part, epoch, state));
  }

  @Override
  public CompletionStage<Boolean> promote(
      String filter, long partition, long nextEpoch, long presentEpoch) {
    return keep(() -> store.promote(filter, partition, nextEpoch, presentEpoch));
  }

  @Override
  public CompletionStage<Void> abandon(String filter, long partition, long nextEpoch) {
    return keep(() -> store.abandon(filter, partition, nextEpoch));
  }

  @Override
  public CompletionStage<Void> reserve(BloomPart part, long bytes) {
    return keep(() -> store.reserve(part, bytes));
  }

  @Override
  public CompletionStage<Long> count(BloomPart part, long fromByte, long toByte) {
    return keep(() -> store.count(part, fromByte, toByte));
  }

  @Override
  public CompletionStage<byte[]> read(BloomPart part, long fromByte, long toByte) {
    return keep(() -> store.read(part, fromByte, toByte));
  }

  @Override
  public CompletionStage<Boolean> merge(BloomPart part, long epoch, long fromByte, byte[] bytes) {
    return keep(() -> store.merge(part, epoch, fromByte, bytes));
  }

  @Override
  public CompletionStage<Void> sweep(BloomPart part) {
    return keep(() -> store.sweep(part));
  }

  @Override
  public CompletionStage<Boolean> drop(BloomPart part) {
    return keep(() -> store.drop(part));
  }

  @Override
  public CompletionStage<Boolean> expire(BloomPart part, long millis) {
    return keep(() -> store.expire(part, millis));
  }

  @Override
  public CompletionStage<Long> timeToLive(BloomPart part) {
    return keep(() -> store.timeToLive(part));
  }
}
