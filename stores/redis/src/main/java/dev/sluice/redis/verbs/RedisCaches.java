package dev.sluice.redis.verbs;

import dev.sluice.redis.command.NativeCall;
import dev.sluice.redis.command.Reply;
import dev.sluice.redis.command.Script;
import dev.sluice.redis.command.ScriptCall;
import dev.sluice.redis.connection.CommandConnection;
import dev.sluice.redis.connection.LazySubscription;
import dev.sluice.redis.connection.RareCommands;
import dev.sluice.redis.connection.ScriptRunner;
import dev.sluice.redis.connection.StoreClock;
import dev.sluice.redis.keys.CacheKeys;
import dev.sluice.redis.keys.CallKeys;
import dev.sluice.redis.keys.KeySpace;
import dev.sluice.redis.keys.StoredValue;
import dev.sluice.redis.keys.Wire;
import dev.sluice.spi.CacheBackend;
import dev.sluice.spi.CacheEntry;
import dev.sluice.spi.CacheKey;
import dev.sluice.spi.CacheLog;
import dev.sluice.spi.CacheReply;
import dev.sluice.spi.CacheRequest;
import dev.sluice.spi.CacheValue;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanCursor;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The guarded caches of a Redis backend. A read is one GET, every decision one script. Safe for use
 * by many threads.
 */
public final class RedisCaches implements CacheBackend {
  private static final NativeCall.Command GET = NativeCall.Command.of("GET");
  private static final NativeCall.Command TIME = NativeCall.Command.of("TIME");
  private static final NativeCall.Command SET = NativeCall.Command.of("SET");
  private static final NativeCall.Command XRANGE = NativeCall.Command.of("XRANGE");

  private static final CallKeys NO_KEYS = new CallKeys("the clock", List.of());
  private static final String NOBODY = "-";
  private static final int PAGE = 1000;

  /** A longer string is set by a separate command, because a script copies it twice. */
  public static final int LONG = 256 * 1024;

  private static final long PARKED_MILLIS = 60_000;
  private static final int WORDS_OF_AN_ENTRY = 3;

  private final ScriptRunner runner;
  private final LazySubscription subscription;
  private final RareCommands rare;
  private final @Nullable String whyNotStrong;
  private final CacheKeys keys;
  private final String id = UUID.randomUUID().toString();
  private final AtomicLong parked = new AtomicLong();
  private final Script begin;
  private final Script keep;
  private final Script fill;
  private final Script abandon;
  private final Script intend;
  private final Script invalidate;
  private final Script put;
  private final Script tag;
  private final Script append;

  public RedisCaches(
      ScriptRunner runner,
      LazySubscription subscription,
      RareCommands rare,
      @Nullable String whyNotStrong,
      KeySpace space,
      UnaryOperator<String> change) {
    this.runner = runner;
    this.keys = new CacheKeys(space);
    this.subscription = subscription;
    this.rare = rare;
    this.whyNotStrong = whyNotStrong;
    this.begin = Script.load("cache/cache_begin", change);
    this.keep = Script.load("cache/cache_keep", change);
    this.fill = Script.load("cache/cache_fill", change);
    this.abandon = Script.load("cache/cache_abandon", change);
    this.intend = Script.load("cache/cache_intend", change);
    this.invalidate = Script.load("cache/cache_invalidate", change);
    this.put = Script.load("cache/cache_put", change);
    this.tag = Script.load("cache/cache_tag", change);
    this.append = Script.load("cache/cache_append", UnaryOperator.identity());
  }

  @Override
  public @Nullable String whyNotStrong() {
    return whyNotStrong;
  }

  // ---- one key ----

  @Override
  public CompletionStage<@Nullable CacheEntry> read(CacheKey key) {
    CallKeys value = keys.of(key).value();
    CommandConnection connection = runner.route().connection(value);
    StoreClock clock = clockOf(connection);
    if (connection != null && clock.isDue()) {
      askTime(connection);
    }
    return read(value, stored -> entry(stored, clock));
  }

  private CompletableFuture<@Nullable CacheEntry> read(
      CallKeys value, Function<StoredValue, @Nullable CacheEntry> judge) {
    String verb = "cache read";
    return runner.send(
        new NativeCall<@Nullable CacheEntry>(
            runner.failures(),
            verb,
            GET,
            value,
            0,
            out -> {},
            Reply.parsing(verb, StoredValue::parse),
            reply -> {
              StoredValue stored = stored(value, reply);
              return stored == null ? null : judge.apply(stored);
            }));
  }

  /** The clock of each server; while a clock is unknown, nothing is fresh. */
  private static StoreClock clockOf(@Nullable CommandConnection connection) {
    return connection == null ? new StoreClock(System::nanoTime) : connection.clock;
  }

  private @Nullable StoredValue stored(CallKeys keys, Reply reply) {
    if (reply.parsed() instanceof StoredValue.Foreign foreign) {
      throw runner.failures().foreign(keys.key(1), foreign.what());
    }
    return (StoredValue) reply.parsed();
  }

  /** Without the store's time, nothing is fresh. */
  private static @Nullable CacheEntry entry(StoredValue stored, StoreClock clock) {
    return clock.isKnown()
        ? stored.at(clock.now())
        : new CacheEntry(stored.bytes(), 0, stored.tags(), stored.tagVersion());
  }

  /** The reply arrives before the replies to later requests. */
  private void askTime(CommandConnection connection) {
    String verb = "time";
    long sentAt = connection.clock.nanos();
    runner.send(
        new NativeCall<>(
            runner.failures(),
            verb,
            TIME,
            NO_KEYS,
            0,
            out -> {},
            new Reply(verb),
            reply -> {
              List<String> words = reply.words(); // seconds and microseconds
              connection.clock.heard(
                  Long.parseLong(words.get(0)) * 1_000_000 + Long.parseLong(words.get(1)), sentAt);
              return true;
            }),
        connection);
  }

  private <T> CompletableFuture<T> send(
      String verb,
      NativeCall.Command command,
      CallKeys on,
      int arguments,
      Consumer<ByteBuf> writer,
      Function<Reply, T> decoder) {
    return runner.send(
        new NativeCall<>(
            runner.failures(), verb, command, on, arguments, writer, new Reply(verb), decoder));
  }

  /** Every script on a key replies with a number and its time. */
  private <T> CompletableFuture<T> run(
      Script script,
      CacheKey key,
      String client,
      long[] numbers,
      ScriptCall.@Nullable Payload payload,
      Function<Reply, T> decoder) {
    return run(script, keys.of(key).both(), client, numbers, payload, decoder);
  }

  private <T> CompletableFuture<T> run(
      Script script,
      CallKeys on,
      String client,
      long[] numbers,
      ScriptCall.@Nullable Payload payload,
      Function<Reply, T> decoder) {
    StoreClock clock = clockOf(runner.route().connection(on));
    long sentAt = clock.nanos();
    return runner.run(
        script,
        on,
        numbers,
        Wire.bytes(client),
        payload,
        script == begin ? verb -> Reply.parsing(verb, StoredValue::parse) : Reply::new,
        reply -> {
          clock.heard(reply.number(1), sentAt);
          return decoder.apply(reply);
        });
  }

  private static boolean done(Reply reply) {
    return reply.number(0) == 1;
  }

  @Override
  public CompletionStage<CacheReply> begin(CacheRequest request) {
    long[] numbers = {
      request.attempt(), request.leaseMicros(), request.aim() == CacheRequest.Aim.LOAD ? 0 : 1
    };
    return run(
            begin,
            request.key(),
            ScriptRunner.checkClient(request.client()),
            numbers,
            null,
            reply -> {
              CacheReply begun = begun(request.key(), reply);
              if (begun instanceof CacheReply.Busy || begun instanceof CacheReply.Intended) {
                subscription.expect(0); // a waiter for the value polls twice a second
              }
              return new Begun(begun, reply.number(1));
            })
        .thenCompose(
            begun ->
                begun.reply() == null
                    ? readLong(request, begun.micros())
                    : CompletableFuture.<CacheReply>completedFuture(begun.reply()));
  }

  /**
   * An answer of the script.
   *
   * @param reply null for a hit on a value that did not come along
   * @param micros the store's time
   */
  private record Begun(@Nullable CacheReply reply, long micros) {}

  /**
   * The value was fresh at that time; a later check by another clock could disagree repeatedly. If
   * it has gone since, the script is asked for a lease, and for no hit.
   */
  private CompletionStage<CacheReply> readLong(CacheRequest request, long micros) {
    return read(keys.of(request.key()).value(), stored -> stored.at(micros))
        .thenCompose(
            entry ->
                entry != null && entry.isFresh()
                    ? CompletableFuture.<CacheReply>completedFuture(new CacheReply.Hit(entry))
                    : begin(
                        new CacheRequest(
                            request.key(),
                            request.client(),
                            request.attempt(),
                            request.leaseMicros(),
                            CacheRequest.Aim.REFRESH)));
  }

  /** Null for a hit whose value was not sent. */
  private @Nullable CacheReply begun(CacheKey key, Reply reply) {
    return switch ((int) reply.number(0)) {
      case 0 -> {
        StoredValue stored = stored(keys.of(key).value(), reply);
        CacheEntry entry = stored == null ? null : stored.at(reply.number(1));
        if (entry == null) {
          throw new IllegalStateException("a hit without a value at " + key);
        }
        yield new CacheReply.Hit(entry);
      }
      case 1 -> new CacheReply.Granted();
      case 2 -> new CacheReply.Busy(reply.number(2));
      case 3 -> new CacheReply.Intended(reply.number(2));
      default -> null;
    };
  }

  @Override
  public CompletionStage<Boolean> keep(
      CacheKey key, String client, long attempt, long leaseMicros) {
    long[] numbers = {attempt, leaseMicros};
    return run(keep, key, ScriptRunner.checkClient(client), numbers, null, RedisCaches::done);
  }

  @Override
  public CompletionStage<Boolean> fill(
      CacheKey key, String client, long attempt, CacheValue value) {
    return store(fill, key, ScriptRunner.checkClient(client), attempt, value);
  }

  private CompletableFuture<Boolean> store(
      Script script, CacheKey key, String client, long attempt, CacheValue value) {
    long[] numbers = {attempt, value.ttlMicros(), value.staleMicros()};
    byte[] head = StoredValue.head(value);
    byte[] rest = StoredValue.rest(value);
    if (rest.length <= LONG) {
      ScriptCall.Payload payload = new ScriptCall.Payload(head, rest);
      return run(script, key, client, numbers, payload, RedisCaches::done);
    }
    String where = id + ":" + parked.incrementAndGet();
    CompletableFuture<Boolean> parking =
        send(
            "cache park",
            SET,
            keys.parked(key, where),
            3,
            out -> {
              Wire.writeWord(out, head, rest);
              Wire.writeWord(out, Wire.bytes("PX"));
              Wire.writeWord(out, PARKED_MILLIS);
            },
            reply -> true);
    CallKeys all = keys.withParked(key, where);
    // both are sent in parallel; if the first was refused, its reason counts
    return parking.thenCombine(
        run(script, all, client, numbers, null, RedisCaches::done), (any, stored) -> stored);
  }

  @Override
  public CompletionStage<Void> abandon(CacheKey key, String client, long attempt) {
    long[] numbers = {attempt};
    return run(abandon, key, ScriptRunner.checkClient(client), numbers, null, RedisCaches::done)
        .thenAccept(was -> {});
  }

  @Override
  public CompletionStage<Boolean> intend(
      CacheKey key, String client, long attempt, long ttlMicros) {
    long[] numbers = {attempt, ttlMicros};
    return run(intend, key, ScriptRunner.checkClient(client), numbers, null, RedisCaches::done);
  }

  @Override
  public CompletionStage<Void> invalidate(CacheKey key, String client, long attempt) {
    String who = attempt == 0 ? NOBODY : ScriptRunner.checkClient(client);
    return run(invalidate, key, who, new long[] {attempt}, null, RedisCaches::done)
        .thenAccept(was -> {});
  }

  @Override
  public CompletionStage<Void> put(CacheKey key, CacheValue value) {
    return store(put, key, NOBODY, 0, value).thenAccept(was -> {});
  }

  // ---- a whole cache ----

  @Override
  public CompletionStage<Void> clear(String cache) {
    // twice: a lease that the first pass was to meet may have become a value behind its back
    return clear(cache, ScanCursor.INITIAL).thenCompose(any -> clear(cache, ScanCursor.INITIAL));
  }

  /** Sends one page of keys at a time, and waits for it before the next. */
  private CompletionStage<Void> clear(String cache, ScanCursor from) {
    return rare.scan(from, keys.pattern(cache), PAGE)
        .thenCompose(
            page ->
                invalidateAll(page)
                    .thenCompose(
                        any ->
                            page.isFinished()
                                ? CompletableFuture.completedFuture(null)
                                : clear(cache, page)));
  }

  private CompletionStage<Void> invalidateAll(KeyScanCursor<String> page) {
    Set<CacheKey> found = new LinkedHashSet<>();
    for (String key : page.getKeys()) {
      CacheKey ours = keys.parseKey(key);
      if (ours != null) {
        found.add(ours);
      }
    }
    return CompletableFuture.allOf(
        found.stream()
            .map(key -> invalidate(key, NOBODY, 0).toCompletableFuture())
            .toArray(CompletableFuture[]::new));
  }

  @Override
  public CompletionStage<Long> tagVersion(String cache) {
    return version("cache tag version", keys.version(cache));
  }

  private CompletableFuture<Long> version(String verb, CallKeys on) {
    return send(
        verb,
        GET,
        on,
        0,
        out -> {},
        reply -> {
          String text = reply.words().get(0);
          try {
            return text.isEmpty() ? 0 : Long.parseLong(text);
          } catch (NumberFormatException e) {
            throw runner.failures().foreign(on.key(1), "text that is not a number");
          }
        });
  }

  @Override
  public CompletionStage<Void> invalidateTag(String cache, String tag, long keepMicros) {
    CallKeys on = keys.versionAndTag(cache, tag);
    StoreClock clock = clockOf(runner.route().connection(on));
    long sentAt = clock.nanos();
    return runner.run(
        this.tag,
        on,
        null,
        new long[] {keepMicros},
        reply -> {
          clock.heard(reply.number(1), sentAt);
          return null;
        });
  }

  @Override
  public CompletionStage<Long> invalidatedAt(String cache, List<String> tags) {
    CompletableFuture<Long> greatest = CompletableFuture.completedFuture(0L);
    for (String one : tags) { // all of them are sent in parallel
      greatest = greatest.thenCombine(version("cache tag", keys.tag(cache, one)), Math::max);
    }
    return greatest;
  }

  // ---- the log; a place is "id key", so that an id that a new log gives again is not the old one

  @Override
  public CompletionStage<String> append(String cache, String key) {
    return runner.run(
        append,
        keys.log(cache),
        new long[0],
        Wire.bytes(key),
        reply -> reply.words().get(0) + ' ' + key);
  }

  @Override
  public CompletionStage<CacheLog> log(String cache, String after) {
    byte[] id = Wire.bytes(after.substring(0, Math.max(0, after.indexOf(' '))));
    if (id.length == 0) {
      throw new IllegalArgumentException("not a position in a log: '" + after + "'");
    }
    return send(
        "cache log",
        XRANGE,
        keys.log(cache),
        4,
        out -> {
          Wire.writeWord(out, id);
          Wire.writeWord(out, Wire.bytes("+"));
          Wire.writeWord(out, Wire.bytes("COUNT"));
          Wire.writeWord(out, PAGE + 1);
        },
        reply -> page(after, reply.words()));
  }

  /** Each entry is its id, the name of its only field, and a key. */
  private static CacheLog page(String after, List<String> words) {
    if (words.size() < WORDS_OF_AN_ENTRY || !after.equals(words.get(0) + ' ' + words.get(2))) {
      return new CacheLog(false, after, List.of());
    }
    List<String> keys = new ArrayList<>(words.size() / WORDS_OF_AN_ENTRY);
    String end = after;
    for (int i = WORDS_OF_AN_ENTRY; i + 2 < words.size(); i += WORDS_OF_AN_ENTRY) {
      keys.add(words.get(i + 2));
      end = words.get(i) + ' ' + words.get(i + 2);
    }
    return new CacheLog(true, end, keys);
  }

  @Override
  public CompletionStage<Void> listenForLoads(String client, Consumer<CacheKey> listener) {
    return subscription.listen(client, box -> box.listenForLoads(client, listener));
  }

  @Override
  public void unlistenForLoads(String client) {
    subscription.unlisten(box -> box.unlistenForLoads(client));
  }
}
