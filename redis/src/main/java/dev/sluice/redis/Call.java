package dev.sluice.redis;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.RedisCommand;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * One request: the command that Lettuce sends and the stage that the caller waits on, in one
 * object, because this is the hot path.
 */
abstract class Call<T> extends CompletableFuture<T> implements RedisCommand<String, String, T> {
  private final ScriptRunner runner;
  final String verb;
  private final Function<Reply, T> decoder;
  final long sentAt;
  private final Reply reply;

  Call(ScriptRunner runner, String verb, Reply reply, Function<Reply, T> decoder) {
    this.runner = runner;
    this.verb = verb;
    this.decoder = decoder;
    this.sentAt = System.nanoTime();
    this.reply = reply;
  }

  /**
   * A key as people see it.
   *
   * @param index from 1
   */
  abstract String key(int index);

  /** Whose keys these are, for people. */
  abstract String owner();

  /** Lettuce has read the whole reply. */
  @Override
  public void complete() {
    runner.answered(this);
    if (isDone()) {
      return; // too late: it was given up
    }
    if (reply.hasError()) {
      runner.refused(this, reply.getError());
      return;
    }
    try {
      complete(decoder.apply(reply));
    } catch (RuntimeException e) {
      super.completeExceptionally(e);
    }
  }

  /** Lettuce gave up. */
  @Override
  public boolean completeExceptionally(Throwable failure) {
    return super.completeExceptionally(runner.explain(this, failure));
  }

  /** Ends the call without asking for an explanation. */
  void fail(Throwable failure) {
    super.completeExceptionally(failure);
  }

  @Override
  public void cancel() {
    runner.cancelled(this);
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

  /** Not for sending, but for routing by key. */
  @Override
  public CommandArgs<String, String> getArgs() {
    return new CommandArgs<>(StringCodec.UTF8).addKey(key(1));
  }
}
