package dev.sluice.redis.connection;

import dev.sluice.redis.command.Call;
import dev.sluice.redis.keys.CallKeys;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Sends all calls over one connection. */
public final class SingleRoute implements Route {
  private final String describe;
  private final CommandConnection connection;

  public SingleRoute(
      String describe,
      StatefulRedisConnection<String, String> opened,
      boolean ownsConnection,
      Duration timeout) {
    this.describe = describe;
    this.connection = new CommandConnection(describe, this, ownsConnection, timeout);
    connection.connected(opened);
  }

  @Override
  public void send(Call<?> call) {
    connection.send(call);
  }

  @Override
  public CommandConnection connection(CallKeys keys) {
    return connection;
  }

  @Override
  public boolean redirects(Call<?> call, CommandConnection from, String error) {
    return false;
  }

  @Override
  public void troubled(CommandConnection troubled) {
    // the connection finds its way back by itself
  }

  @Override
  public CompletionStage<KeyScanCursor<String>> scan(ScanCursor from, ScanArgs what) {
    return connection.opened().thenCompose(opened -> opened.async().scan(from, what));
  }

  @Override
  public Map<String, CompletionStage<StatefulRedisConnection<String, String>>> nodes() {
    return Map.of(describe, connection.opened());
  }

  /** Closes the connection without waiting. */
  public CompletableFuture<Void> leave() {
    return connection.leave();
  }

  @Override
  public void close() {
    connection.close();
  }
}
