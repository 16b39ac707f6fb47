package dev.sluice.redis.connection;

import dev.sluice.redis.keys.CallKeys;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Everything goes over one connection. */
public final class SingleRoute implements Route {
  private final String describe;
  private final Line line;

  public SingleRoute(
      String describe,
      StatefulRedisConnection<String, String> connection,
      boolean ownsConnection,
      Duration timeout) {
    this.describe = describe;
    this.line = new Line(describe, this, ownsConnection, timeout);
    line.connected(connection);
  }

  @Override
  public void send(Call<?> call) {
    line.send(call);
  }

  @Override
  public Line line(CallKeys keys) {
    return line;
  }

  @Override
  public boolean redirects(Call<?> call, Line from, String error) {
    return false;
  }

  @Override
  public void troubled(Line troubled) {
    // the connection finds its way back by itself
  }

  @Override
  public CompletionStage<KeyScanCursor<String>> scan(ScanCursor from, ScanArgs what) {
    return line.opened().thenCompose(connection -> connection.async().scan(from, what));
  }

  @Override
  public Map<String, CompletionStage<StatefulRedisConnection<String, String>>> nodes() {
    return Map.of(describe, line.opened());
  }

  /** Gives the connection up without waiting for its end. */
  public CompletableFuture<Void> leave() {
    return line.leave();
  }

  @Override
  public void close() {
    line.close();
  }
}
