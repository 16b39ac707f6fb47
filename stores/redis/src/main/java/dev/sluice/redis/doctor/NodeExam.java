package dev.sluice.redis.doctor;

import dev.sluice.redis.command.RedisFailures;
import dev.sluice.redis.command.Reply;
import dev.sluice.redis.keys.KeySpace;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the facts of one server that the doctor needs. Blocks; each question has the request
 * timeout, all of them together five. Reads, and where a right to write is tried, in a form that
 * changes nothing.
 */
public final class NodeExam {
  /** Never includes a setting that holds a secret, such as requirepass or masterauth. */
  static final List<String> SETTINGS =
      List.of(
          "save",
          "appendfsync",
          "min-replicas-to-write",
          "replica-read-only",
          "timeout",
          "bind",
          "protected-mode",
          "maxclients");

  private static final int TIMEOUTS = 5;
  private static final int PINGS = 25;
  private static final int PAGES = 20;
  private static final int PAGE = 500;
  private static final int MAX_KEYS = 1000;
  private static final int TRIES = 3;
  private static final int REST_MILLIS = 100;

  private record Word(String name) implements ProtocolKeyword {
    @Override
    public byte[] getBytes() {
      return name.getBytes(StandardCharsets.US_ASCII);
    }
  }

  /** The server did not answer. */
  private static final class Silence extends Exception {
    private static final long serialVersionUID = 1L;

    Silence(String what) {
      super(what);
    }
  }

  private final NodeFacts facts;
  private final RedisAsyncCommands<String, String> commands;
  private final Supplier<? extends Future<?>> listening;
  private final Duration timeout;
  private final long end;

  /**
   * An examination that begins now.
   *
   * @param where the server, without secrets
   * @param connection asked through; left open
   * @param space where the keys and channels begin
   * @param listening subscribes to an inbox, and gives that up
   * @param timeout for one question
   */
  NodeExam(
      String where,
      StatefulRedisConnection<String, String> connection,
      KeySpace space,
      Supplier<? extends Future<?>> listening,
      Duration timeout) {
    this.facts = new NodeFacts(where, space);
    this.commands = connection.async();
    this.listening = listening;
    this.timeout = timeout;
    this.end = System.nanoTime() + TIMEOUTS * timeout.toNanos();
  }

  /** The credentials of the URL. */
  NodeExam from(@Nullable RedisURI uri) {
    if (uri == null) {
      return this;
    }
    facts.tls = uri.isSsl();
    facts.verified = uri.getVerifyMode() == SslVerifyMode.FULL;
    facts.far = uri.getHost() != null && uri.getSocket() == null && isFar(uri.getHost());
    facts.sentinels = uri.getSentinelMasterId() == null ? -1 : uri.getSentinels().size();
    return this;
  }

  /** The server is intentionally one of a cluster. */
  NodeExam forCluster(boolean cluster) {
    facts.forCluster = cluster;
    return this;
  }

  /** Whether grants count only once replicas confirm them. */
  NodeExam waitingForReplicas(boolean waits) {
    facts.replicasUnasked = !waits;
    return this;
  }

  private static boolean isFar(String host) {
    try {
      return !InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return true;
    }
  }

  /** Runs all commands; facts read before the server fell silent are kept. */
  NodeFacts run() {
    try {
      info();
      settings();
      user();
      rights();
      clock();
      keys();
    } catch (Silence e) {
      facts.silent = e.getMessage();
    }
    return facts;
  }

  private void info() throws Silence {
    String text = told("INFO", commands.info());
    if (text == null) {
      return;
    }
    for (String line : text.split("\r?\n")) {
      int colon = line.indexOf(':');
      if (line.startsWith("module:name=redis-cell,")) {
        facts.cell = true;
      } else if (colon > 0) {
        facts.info.put(line.substring(0, colon), line.substring(colon + 1));
      }
    }
    if (facts.info("cluster_enabled").equals("1")) {
      String cluster = told("CLUSTER INFO", commands.clusterInfo());
      for (String line : cluster == null ? new String[0] : cluster.split("\r?\n")) {
        int colon = line.indexOf(':');
        if (colon > 0) {
          facts.cluster.put(line.substring(0, colon), line.substring(colon + 1));
        }
      }
    }
  }

  private void settings() throws Silence {
    List<RedisFuture<Map<String, String>>> asked = new ArrayList<>();
    for (String name : SETTINGS) { // one by one, as 6.2 wants it
      asked.add(commands.configGet(name));
    }
    for (RedisFuture<Map<String, String>> one : asked) {
      Map<String, String> answer = told("CONFIG GET", one);
      if (answer != null) {
        facts.config.putAll(answer);
      }
    }
  }

  private void user() throws Silence {
    facts.user = told("ACL WHOAMI", commands.aclWhoami());
    List<Object> everybody = told("ACL GETUSER", commands.aclGetuser("default"));
    facts.open = everybody != null && flags(everybody).containsAll(List.of("on", "nopass"));
  }

  private static List<?> flags(List<Object> user) {
    int at = user.indexOf("flags");
    return at >= 0 && at + 1 < user.size() && user.get(at + 1) instanceof List<?> flags
        ? flags
        : List.of();
  }

  private void rights() throws Silence {
    Map<String, RedisFuture<Reply>> asked = new LinkedHashMap<>();
    facts
        .rights
        .harmless()
        .forEach(
            (command, form) -> {
              CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8);
              form.subList(1, form.size()).forEach(arguments::add);
              asked.put(
                  command,
                  commands.dispatch(
                      new Word(command.toUpperCase(Locale.ROOT)), new Reply(command), arguments));
            });
    for (var one : asked.entrySet()) {
      tried(one.getKey(), one.getValue());
    }
    listens();
  }

  /** Uses a separate connection, because a dropped one is opened again. */
  private void listens() throws Silence {
    for (int left = TRIES - 1; ; left--) {
      try {
        tried("subscribe", listening.get());
        return;
      } catch (Silence e) {
        if (left == 0) {
          throw e;
        }
        rest();
      }
    }
  }

  private static void rest() throws Silence {
    try {
      TimeUnit.MILLISECONDS.sleep(REST_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Silence("interrupted at 'SUBSCRIBE'");
    }
  }

  private void tried(String command, Future<?> answer) throws Silence {
    try {
      await(command.toUpperCase(Locale.ROOT), answer);
    } catch (RedisCommandExecutionException e) {
      facts.rights.refused(command, e);
    }
  }

  private void clock() throws Silence {
    long[] nanos = new long[PINGS];
    NodeFacts.Clock best = null;
    for (int i = 0; i < PINGS; i++) {
      long sent = System.nanoTime();
      List<String> time = answerOrNull("TIME", commands.time());
      long heard = System.nanoTime();
      if (time == null) {
        return;
      }
      nanos[i] = heard - sent;
      long server = Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
      NodeFacts.Clock sample =
          new NodeFacts.Clock(
              server - Math.floorDiv(heard, 1000L) - 1, server - Math.floorDiv(sent, 1000L));
      if (best == null || sample.high() - sample.low() < best.high() - best.low()) {
        best = sample;
      }
    }
    Arrays.sort(nanos);
    facts.clock = best;
    facts.latency = new NodeFacts.Latency(nanos[PINGS / 2], nanos[PINGS - 1]);
  }

  private void keys() throws Silence {
    ScanCursor at = ScanCursor.INITIAL;
    ScanArgs arguments = ScanArgs.Builder.matches(facts.space.open() + "*").limit(PAGE);
    for (int page = 0; page < PAGES && facts.keys.seen < MAX_KEYS && !at.isFinished(); page++) {
      KeyScanCursor<String> found = answerOrNull("SCAN", commands.scan(at, arguments));
      if (found == null) {
        return;
      }
      look(found.getKeys());
      at = found;
    }
    facts.keys.all = at.isFinished();
  }

  private void look(List<String> keys) throws Silence {
    List<String> ours = keys.stream().filter(key -> KeyReport.kind(key) != null).toList();
    List<RedisFuture<String>> types = ours.stream().map(commands::type).toList();
    List<RedisFuture<Long>> lives = ours.stream().map(commands::pttl).toList();
    for (int i = 0; i < ours.size(); i++) {
      String key = ours.get(i);
      String kind = KeyReport.kind(key);
      String type = answerOrNull("TYPE", types.get(i));
      Long life = answerOrNull("PTTL", lives.get(i));
      if (kind != null && type != null) {
        facts.keys.add(key, kind, type, life == null ? 0 : life);
      }
    }
  }

  /** Null if the server refuses, which is recorded. */
  private <T> @Nullable T told(String question, Future<T> answer) throws Silence {
    T told = answerOrNull(question, answer);
    if (told == null) {
      facts.untold.add(question);
    }
    return told;
  }

  /** Null if the server refuses. */
  private <T> @Nullable T answerOrNull(String question, Future<T> answer) throws Silence {
    try {
      return await(question, answer);
    } catch (RedisCommandExecutionException e) {
      return null;
    }
  }

  private <T> T await(String question, Future<T> answer) throws Silence {
    long left = Math.min(timeout.toNanos(), end - System.nanoTime());
    try {
      return answer.get(Math.max(0, left), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      while (cause instanceof CompletionException && cause.getCause() != null) {
        cause = cause.getCause();
      }
      if (cause instanceof RedisCommandExecutionException refused) {
        throw refused;
      }
      throw new Silence(
          "'" + question + "' was not answered: " + (cause == null ? e : cause).getMessage());
    } catch (TimeoutException e) {
      throw new Silence(
          left < timeout.toNanos()
              ? "it answers so slowly that nothing was asked after '" + question + "'"
              : "it did not answer '" + question + "' within " + RedisFailures.shortly(timeout));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Silence("interrupted at '" + question + "'");
    }
  }
}
