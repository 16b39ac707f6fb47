package dev.sluice.redis;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One script call: the command that Lettuce sends and the stage that the caller waits on, in one
 * object, because this is the hot path.
 */
final class ScriptCall<T> extends CompletableFuture<T> implements RedisCommand<String, String, T> {
  private final ScriptRunner runner;
  final Script script;
  final CallKeys keys;
  private final byte @Nullable [] client;
  private final long[] numbers;
  private final Function<Reply, T> decoder;
  final long sentAt;
  private boolean withText;
  private final Reply reply;

  ScriptCall(
      ScriptRunner runner,
      Script script,
      CallKeys keys,
      byte @Nullable [] client,
      long[] numbers,
      Function<Reply, T> decoder) {
    this.runner = runner;
    this.script = script;
    this.keys = keys;
    this.client = client;
    this.numbers = numbers;
    this.decoder = decoder;
    this.sentAt = System.nanoTime();
    this.reply = new Reply(script.verb);
  }

  /** The same call with the script's text, for a server that does not know the script yet. */
  ScriptCall<T> withText() {
    ScriptCall<T> again = new ScriptCall<>(runner, script, keys, client, numbers, decoder);
    again.withText = true;
    return again;
  }

  boolean sentText() {
    return withText;
  }

  @Override
  public void encode(ByteBuf out) {
    byte[] head = withText ? script.byText(keys.count) : script.bySha(keys.count);
    Wire.writeCount(out, 3 + keys.count + (client == null ? 0 : 1) + numbers.length);
    out.writeBytes(head);
    out.writeBytes(keys.words);
    if (client != null) {
      Wire.writeWord(out, client);
    }
    for (long number : numbers) {
      Wire.writeWord(out, number);
    }
  }

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
    return new CommandArgs<>(StringCodec.UTF8).addKey(keys.key(1));
  }

  @Override
  public ProtocolKeyword getType() {
    return withText ? CommandType.EVAL : CommandType.EVALSHA;
  }
}
