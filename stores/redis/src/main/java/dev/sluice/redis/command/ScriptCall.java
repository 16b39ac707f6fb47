package dev.sluice.redis.command;

import dev.sluice.redis.keys.CallKeys;
import dev.sluice.redis.keys.Wire;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One script call. */
public final class ScriptCall<T> extends Call<T> {
  /**
   * The last argument, if it is long, as two segments.
   *
   * @param start its first bytes
   * @param rest its other bytes, not to be changed
   */
  public record Payload(byte[] start, byte[] rest) {}

  public final Script script;
  private final CallKeys keys;
  private final byte @Nullable [] word;
  private final long[] numbers;
  private final @Nullable Payload payload;
  private final Function<String, Reply> reply;
  private boolean withText;

  /**
   * A call by the script's hash.
   *
   * @param word the first argument, if it is not a number
   * @param payload the last one, if it is not a number
   * @param reply makes what waits for the reply to a verb
   */
  public ScriptCall(
      RedisFailures failures,
      Script script,
      CallKeys keys,
      byte @Nullable [] word,
      long[] numbers,
      @Nullable Payload payload,
      Function<String, Reply> reply,
      Function<Reply, T> decoder) {
    super(failures, script.verb, reply.apply(script.verb), decoder);
    this.script = script;
    this.keys = keys;
    this.word = word;
    this.numbers = numbers;
    this.payload = payload;
    this.reply = reply;
  }

  @Override
  public ScriptCall<T> again() {
    return repeat(new ScriptCall<>(failures, script, keys, word, numbers, payload, reply, decoder));
  }

  /** The call with the first key alone, while the other keys are unavailable. */
  public ScriptCall<T> alone() {
    CallKeys first = new CallKeys(keys.name(), List.of(keys.key(1)));
    return repeat(
        new ScriptCall<>(failures, script, first, word, numbers, payload, reply, decoder));
  }

  public boolean isAlone() {
    return script.runsAlone && keys.count == 1;
  }

  @Override
  public int slot() {
    return keys.slot();
  }

  /** Sends the script's text to a server that does not have it. */
  public void sendText() {
    withText = true;
  }

  public boolean sentText() {
    return withText;
  }

  @Override
  String key(int index) {
    return keys.key(index);
  }

  @Override
  String owner() {
    return keys.name();
  }

  @Override
  public void encode(ByteBuf out) {
    byte[] head = withText ? script.byText(keys.count) : script.bySha(keys.count);
    int words = (word == null ? 0 : 1) + numbers.length + (payload == null ? 0 : 1);
    Wire.writeCount(out, 3 + keys.count + words);
    out.writeBytes(head);
    out.writeBytes(keys.words);
    if (word != null) {
      Wire.writeWord(out, word);
    }
    for (long number : numbers) {
      Wire.writeWord(out, number);
    }
    if (payload != null) {
      Wire.writeWord(out, payload.start(), payload.rest());
    }
  }

  @Override
  public ProtocolKeyword getType() {
    return withText ? CommandType.EVAL : CommandType.EVALSHA;
  }
}
