package dev.sluice.redis.connection;

import dev.sluice.redis.command.Call;
import dev.sluice.redis.keys.CallKeys;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Which server a call belongs to. Safe for use by many threads. */
public interface Route extends CommandConnection.Owner, AutoCloseable {

  /** Sends a call there, after those for the same keys that were sent before. */
  void send(Call<?> call);

  /** The connection to the server of some keys at present; null if there is none. */
  @Nullable CommandConnection connection(CallKeys keys);

  /** One step through all keys of all servers. */
  CompletionStage<KeyScanCursor<String>> scan(ScanCursor from, ScanArgs what);

  /** A connection to each server that answers calls, by what the server is called. */
  Map<String, CompletionStage<StatefulRedisConnection<String, String>>> nodes();

  @Override
  void close();
}
