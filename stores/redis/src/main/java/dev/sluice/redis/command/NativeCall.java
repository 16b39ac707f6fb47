package dev.sluice.redis.command;

import dev.sluice.redis.keys.CallKeys;
import dev.sluice.redis.keys.Wire;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;
import java.util.function.Function;

/** One built-in command of the server, on one key or on none. */
public final class NativeCall<T> extends Call<T> {

  /** A command, and its name in wire form. */
  public record Command(String name, byte[] word) implements ProtocolKeyword {
    public static Command of(String name) {
      return new Command(name, Wire.bytes(Wire.bulk(name)));
    }

    @Override
    public byte[] getBytes() {
      return Wire.bytes(name);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private final Command command;
  private final CallKeys key;
  private final int arguments;
  private final Consumer<ByteBuf> writer;

  /**
   * A call.
   *
   * @param verb what it does, for people
   * @param key the only key, if any
   * @param arguments how many words follow the key
   * @param writer writes them
   */
  public NativeCall(
      RedisFailures failures,
      String verb,
      Command command,
      CallKeys key,
      int arguments,
      Consumer<ByteBuf> writer,
      Reply reply,
      Function<Reply, T> decoder) {
    super(failures, verb, reply, decoder);
    this.command = command;
    this.key = key;
    this.arguments = arguments;
    this.writer = writer;
  }

  @Override
  public NativeCall<T> again() {
    return repeat(
        new NativeCall<>(failures, verb, command, key, arguments, writer, emptyReply(), decoder));
  }

  @Override
  public int slot() {
    return key.slot();
  }

  @Override
  String key(int index) {
    return key.count == 0 ? "" : key.key(index);
  }

  @Override
  String owner() {
    return key.name();
  }

  @Override
  public void encode(ByteBuf out) {
    Wire.writeCount(out, 1 + key.count + arguments);
    out.writeBytes(command.word());
    out.writeBytes(key.words);
    writer.accept(out);
  }

  @Override
  public ProtocolKeyword getType() {
    return command;
  }
}
