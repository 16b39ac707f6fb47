package dev.sluice.redis;

import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.netty.buffer.ByteBuf;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One script call. */
final class ScriptCall<T> extends Call<T> {
  private final ScriptRunner runner;
  final Script script;
  private final CallKeys keys;
  private final byte @Nullable [] word;
  private final long[] numbers;
  private final Function<Reply, T> decoder;
  private boolean withText;

  /**
   * A call by the script's hash.
   *
   * @param word the first argument, if it is not a number
   */
  ScriptCall(
      ScriptRunner runner,
      Script script,
      CallKeys keys,
      byte @Nullable [] word,
      long[] numbers,
      Function<Reply, T> decoder) {
    super(runner, script.verb, new Reply(script.verb), decoder);
    this.runner = runner;
    this.script = script;
    this.keys = keys;
    this.word = word;
    this.numbers = numbers;
    this.decoder = decoder;
  }

  /** The same call with the script's text, for a server that does not know the script yet. */
  ScriptCall<T> withText() {
    ScriptCall<T> again = new ScriptCall<>(runner, script, keys, word, numbers, decoder);
    again.withText = true;
    return again;
  }

  boolean sentText() {
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
    Wire.writeCount(out, 3 + keys.count + (word == null ? 0 : 1) + numbers.length);
    out.writeBytes(head);
    out.writeBytes(keys.words);
    if (word != null) {
      Wire.writeWord(out, word);
    }
    for (long number : numbers) {
      Wire.writeWord(out, number);
    }
  }

  @Override
  public ProtocolKeyword getType() {
    return withText ? CommandType.EVAL : CommandType.EVALSHA;
  }
}
