package dev.sluice.redis;

import dev.sluice.spi.LatchBackend;
import dev.sluice.spi.LatchReply;
import dev.sluice.spi.Names;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** The latches of a {@link RedisBackend}: each verb is one script. Safe for use by many threads. */
final class RedisLatches implements LatchBackend {
  private final ScriptRunner scripts;
  private final Mail mail;
  private final Script set;
  private final Script down;
  private final Script look;

  RedisLatches(ScriptRunner scripts, Mail mail, UnaryOperator<String> change) {
    this.scripts = scripts;
    this.mail = mail;
    this.set = Script.load("latch_set", change);
    this.down = Script.load("latch_down", change);
    this.look = Script.load("latch_look", change);
  }

  private static CallKeys keys(String name) {
    String start = LockKeys.PREFIX + Names.encode(name);
    return new CallKeys(name, List.of(start + "}:latch", start + "}:latchers"));
  }

  @Override
  public CompletionStage<Boolean> trySet(
      String name, String client, long number, long count, long keepMicros) {
    return scripts.run(
        set,
        keys(name),
        ScriptRunner.checkClient(client),
        new long[] {number, count, keepMicros},
        reply -> reply.number(0) == 1);
  }

  @Override
  public CompletionStage<Long> countDown(String name, String client, long number, long by) {
    return scripts.run(
        down,
        keys(name),
        ScriptRunner.checkClient(client),
        new long[] {number, by},
        reply -> reply.number(0));
  }

  @Override
  public CompletionStage<LatchReply> look(String name, String waiter) {
    return scripts.run(
        look,
        keys(name),
        waiter.isEmpty() ? "" : ScriptRunner.checkClient(waiter),
        new long[0],
        reply -> new LatchReply(reply.number(0), reply.number(1), reply.number(2)));
  }

  @Override
  public CompletionStage<Void> listenForLatches(String client, Consumer<String> listener) {
    return mail.listen(client, box -> box.listenForLatches(client, listener));
  }

  @Override
  public void unlistenForLatches(String client) {
    mail.unlisten(box -> box.unlistenForLatches(client));
  }
}
