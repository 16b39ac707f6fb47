package dev.sluice.redis.command;

import static java.util.Objects.requireNonNull;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.RedisCommand;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One request: the command that Lettuce sends and the stage of the caller in one object, because
 * this is the hot path.
 */
public abstract class Call<T> extends CompletableFuture<T>
    implements RedisCommand<String, String, T> {

  /** The connection that a call was sent over. Its methods are called by the driver's threads. */
  public interface Carrier {
    /** The whole reply was read. */
    void answered(Call<?> call);

    /** Whether the call continues in spite of an error reply. */
    boolean goesOn(Call<?> call, String error);

    /** What the driver's failure means to the caller. */
    Throwable explain(Call<?> call, Throwable failure);

    /** The driver gave the call up. */
    void cancelled(Call<?> call);
  }

  final RedisFailures failures;
  public final String verb;
  final Function<Reply, T> decoder;
  private final Reply reply;

  /** The time of the first send. */
  public long sentAt = System.nanoTime();

  /** The call that this retry stands for; written before it is sent. */
  private @Nullable Call<T> origin;

  /** The number of redirections, counted where it was first sent. */
  public int redirects;

  /** Whether a timer ends the call after its timeout; only the first send sets it. */
  public boolean limited;

  /** Tracked where it was first sent. */
  private volatile boolean repeated;

  private boolean asking;

  private @Nullable Carrier carrier;

  Call(RedisFailures failures, String verb, Reply reply, Function<Reply, T> decoder) {
    this.failures = failures;
    this.verb = verb;
    this.decoder = decoder;
    this.reply = reply;
  }

  /** Returns a retry of this request for the same caller. */
  public abstract Call<T> again();

  /** Makes a copy a retry. */
  final <C extends Call<T>> C repeat(C copy) {
    Call<T> first = origin == null ? this : origin;
    Call<T> made = copy;
    made.origin = first;
    made.sentAt = first.sentAt;
    first.repeated = true;
    copy.whenComplete(
        (value, failure) -> {
          if (failure == null) {
            first.complete(value);
          } else {
            first.fail(failure);
          }
        });
    return copy;
  }

  /** Whether it was sent more than once. */
  public final boolean wasRepeated() {
    return first().repeated;
  }

  /** The future of the caller. */
  public final Call<T> first() {
    return origin == null ? this : origin;
  }

  /** The slot of its keys; negative if it has no key. */
  public abstract int slot();

  /** Marks the call as sent to the server that takes over the slot, after ASKING. */
  public final void ask() {
    asking = true;
  }

  public final boolean isAsking() {
    return asking;
  }

  /** Called before the call is sent to that server. */
  public final void on(Carrier to) {
    carrier = to;
  }

  /** The connection that it was last sent to. */
  private Carrier carrier() {
    return requireNonNull(carrier);
  }

  Reply emptyReply() {
    return reply.empty();
  }

  /**
   * A key for messages.
   *
   * @param index from 1
   */
  abstract String key(int index);

  /** The owner of the keys, for messages. */
  abstract String owner();

  /** Lettuce has read the whole reply. */
  @Override
  public void complete() {
    carrier().answered(this);
    if (isDone()) {
      return; // too late: it was given up
    }
    if (reply.hasError()) {
      String error = reply.getError();
      if (!carrier().goesOn(this, error)) {
        fail(failures.of(verb, owner(), this::key, error));
      }
      return;
    }
    try {
      complete(decoder.apply(reply));
    } catch (RuntimeException e) {
      super.completeExceptionally(e);
    }
  }

  /** Lettuce gave up the command. */
  @Override
  public boolean completeExceptionally(Throwable failure) {
    return super.completeExceptionally(carrier().explain(this, failure));
  }

  /** Ends the call without a failure. */
  public void fail(Throwable failure) {
    super.completeExceptionally(failure);
  }

  @Override
  public void cancel() {
    carrier().cancelled(this);
  }

  @Override
  @SuppressWarnings("unchecked") // Lettuce feeds the output and leaves its type to the command
  public CommandOutput<String, String, T> getOutput() {
    return (CommandOutput<String, String, T>) (CommandOutput<String, String, ?>) reply;
  }

  @Override
  public void setOutput(CommandOutput<String, String, T> output) {
    throw new UnsupportedOperationException();
  }

  /** A key that only routes the call. */
  @Override
  public CommandArgs<String, String> getArgs() {
    return new CommandArgs<>(StringCodec.UTF8).addKey(key(1));
  }
}
