package dev.sluice.redis.verbs;

import dev.sluice.redis.command.NativeCall;
import dev.sluice.redis.command.Reply;
import dev.sluice.redis.command.Script;
import dev.sluice.redis.connection.ScriptRunner;
import dev.sluice.redis.keys.BloomKeys;
import dev.sluice.redis.keys.KeySpace;
import dev.sluice.redis.keys.Wire;
import dev.sluice.spi.BloomBackend;
import dev.sluice.spi.BloomHeader;
import dev.sluice.spi.BloomPart;
import dev.sluice.spi.BloomReply;
import dev.sluice.spi.BloomTouch;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The Bloom filters of a Redis backend. Elements are one native command each, or many of them; what
 * changes a header is a script. Safe for use by many threads.
 */
public final class RedisBlooms implements BloomBackend {
  private static final NativeCall.Command BITFIELD = NativeCall.Command.of("BITFIELD");
  private static final NativeCall.Command BITFIELD_RO = NativeCall.Command.of("BITFIELD_RO");
  private static final NativeCall.Command BITCOUNT = NativeCall.Command.of("BITCOUNT");
  private static final NativeCall.Command GETRANGE = NativeCall.Command.of("GETRANGE");
  private static final NativeCall.Command PEXPIRE = NativeCall.Command.of("PEXPIRE");
  private static final NativeCall.Command PTTL = NativeCall.Command.of("PTTL");

  private static final int EPOCH_BIT = 128;
  private static final byte[] GET_NUMBER = words("GET", "i64");
  private static final byte[] GET_STAMP =
      words("GET", "i64", "0", "GET", "i64", Integer.toString(EPOCH_BIT));
  private static final int WORDS_OF_STAMP = 6;
  private static final byte[] GET_BIT = words("GET", "u1");
  private static final byte[] SET_BIT = words("SET", "u1");
  private static final byte[] ONE = words("1");
  private static final byte[] GROW = words("INCRBY", "u8");
  private static final byte[] BY_NOTHING = words("0");

  private final ScriptRunner runner;
  private final BloomKeys keys;
  private final Script open;
  private final Script mark;
  private final Script promote;
  private final Script abandon;
  private final Script merge;
  private final Script drop;

  public RedisBlooms(ScriptRunner runner, KeySpace space, UnaryOperator<String> change) {
    this.runner = runner;
    this.keys = new BloomKeys(space);
    this.open = Script.load("bloom/bloom_open", change);
    this.mark = Script.load("bloom/bloom_mark", change);
    this.promote = Script.load("bloom/bloom_promote", change);
    this.abandon = Script.load("bloom/bloom_abandon", change);
    this.merge = Script.load("bloom/bloom_merge", change);
    this.drop = Script.load("bloom/bloom_drop", change);
  }

  private static byte[] words(String... words) {
    StringBuilder all = new StringBuilder();
    for (String word : words) {
      all.append(Wire.bulk(word));
    }
    return Wire.bytes(all.toString());
  }

  private <T> CompletionStage<T> send(
      String verb,
      NativeCall.Command command,
      BloomPart part,
      int arguments,
      Consumer<ByteBuf> writer,
      Function<Reply, T> decoder) {
    return runner.send(
        new NativeCall<>(
            runner.failures(),
            verb,
            command,
            keys.of(part),
            arguments,
            writer,
            new Reply(verb),
            decoder));
  }

  @Override
  public CompletionStage<BloomReply> touch(BloomTouch touch) {
    long[] bits = touch.bits();
    boolean set = touch.set();
    return send(
        set ? "bloom add" : "bloom check",
        set ? BITFIELD : BITFIELD_RO,
        touch.part(),
        WORDS_OF_STAMP + (set ? 4 : 3) * bits.length,
        out -> {
          out.writeBytes(GET_STAMP);
          for (long bit : bits) {
            out.writeBytes(set ? SET_BIT : GET_BIT);
            Wire.writeWord(out, BloomHeader.FIRST_BIT + bit);
            if (set) {
              out.writeBytes(ONE);
            }
          }
        },
        reply -> {
          int k = touch.hashes();
          boolean[] full = new boolean[touch.elements()];
          for (int i = 0; i < full.length; i++) {
            boolean all = true;
            for (int j = i * k; all && j < (i + 1) * k; j++) {
              all = reply.number(2 + j) != 0;
            }
            full[i] = all;
          }
          return new BloomReply(reply.number(0), reply.number(1), full);
        });
  }

  @Override
  public CompletionStage<@Nullable BloomHeader> header(BloomPart part) {
    return send(
        "bloom header",
        BITFIELD_RO,
        part,
        3 * BloomHeader.WORDS,
        out -> {
          for (int i = 0; i < BloomHeader.WORDS; i++) {
            out.writeBytes(GET_NUMBER);
            Wire.writeWord(out, Long.SIZE * i);
          }
        },
        reply -> {
          long[] stored = new long[BloomHeader.WORDS];
          for (int i = 0; i < stored.length; i++) {
            stored[i] = reply.number(i);
          }
          return BloomHeader.read(stored, part, "key '" + keys.of(part).key(1) + "'");
        });
  }

  @Override
  public CompletionStage<Opened> open(
      BloomPart part, BloomHeader.Opening opening, BloomHeader wanted) {
    long[] numbers = new long[2 + BloomHeader.WORDS];
    numbers[0] = opening.ordinal();
    System.arraycopy(wanted.words(part.filter()), 0, numbers, 1, BloomHeader.WORDS);
    numbers[1 + BloomHeader.WORDS] = BloomHeader.ABANDONED_MICROS;
    return runner.run(
        open,
        keys.of(part),
        null,
        numbers,
        reply -> {
          long[] stored = new long[BloomHeader.WORDS];
          for (int i = 0; i < stored.length; i++) {
            stored[i] = reply.number(1 + 2 * i) << 32 | reply.number(2 + 2 * i);
          }
          BloomHeader header = BloomHeader.read(stored, part, "key '" + keys.of(part).key(1) + "'");
          if (header == null) {
            throw new IllegalStateException("no header was written");
          }
          return new Opened(reply.number(0) == 1, header);
        });
  }

  @Override
  public CompletionStage<Long> mark(BloomPart part, long epoch, BloomHeader.State state) {
    long[] numbers = {epoch, state.ordinal()};
    return runner.run(mark, keys.of(part), null, numbers, reply -> reply.number(0));
  }

  @Override
  public CompletionStage<Boolean> promote(
      String filter, long partition, long nextEpoch, long presentEpoch) {
    long[] numbers = {nextEpoch, presentEpoch, partition};
    return runner.run(promote, keys.both(filter, partition), null, numbers, RedisBlooms::done);
  }

  private static boolean done(Reply reply) {
    return reply.number(0) == 1;
  }

  @Override
  public CompletionStage<Void> abandon(String filter, long partition, long nextEpoch) {
    CompletableFuture<Boolean> abandoned =
        runner.run(
            abandon, keys.both(filter, partition), null, new long[] {nextEpoch}, RedisBlooms::done);
    return abandoned.thenAccept(was -> {});
  }

  @Override
  public CompletionStage<Void> reserve(BloomPart part, long bytes) {
    return send(
            "bloom reserve",
            BITFIELD,
            part,
            4,
            out -> { // adds nothing to the last byte, and so changes nothing that others set
              out.writeBytes(GROW);
              Wire.writeWord(out, 8 * (bytes - 1));
              out.writeBytes(BY_NOTHING);
            },
            Reply::count)
        .thenAccept(count -> {});
  }

  @Override
  public CompletionStage<Long> count(BloomPart part, long fromByte, long toByte) {
    return send(
        "bloom count", BITCOUNT, part, 2, range(fromByte, toByte), reply -> reply.number(0));
  }

  private static Consumer<ByteBuf> range(long fromByte, long toByte) {
    return out -> {
      Wire.writeWord(out, fromByte);
      Wire.writeWord(out, toByte - 1);
    };
  }

  @Override
  public CompletionStage<byte[]> read(BloomPart part, long fromByte, long toByte) {
    String verb = "bloom read";
    return runner.send(
        new NativeCall<>(
            runner.failures(),
            verb,
            GETRANGE,
            keys.of(part),
            2,
            range(fromByte, toByte),
            Reply.ofBytes(verb),
            Reply::bytes));
  }

  @Override
  public CompletionStage<Boolean> merge(BloomPart part, long epoch, long fromByte, byte[] bytes) {
    long[] numbers = {epoch, fromByte};
    return runner.run(merge, keys.merging(part), numbers, bytes, RedisBlooms::done);
  }

  @Override
  public CompletionStage<Void> sweep(BloomPart part) {
    return runner
        .run(drop, keys.of(part), null, new long[] {1}, RedisBlooms::done)
        .thenAccept(was -> {});
  }

  @Override
  public CompletionStage<Boolean> drop(BloomPart part) {
    return runner.run(drop, keys.of(part), null, new long[] {0}, RedisBlooms::done);
  }

  @Override
  public CompletionStage<Boolean> expire(BloomPart part, long millis) {
    return send(
        "bloom expire",
        PEXPIRE,
        part,
        1,
        out -> Wire.writeWord(out, millis),
        reply -> reply.number(0) == 1);
  }

  @Override
  public CompletionStage<Long> timeToLive(BloomPart part) {
    return send("bloom expiry", PTTL, part, 0, out -> {}, reply -> reply.number(0));
  }
}
