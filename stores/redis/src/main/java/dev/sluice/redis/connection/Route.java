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

/** Chooses the server of a call. Safe for use by many threads. */
public interface Route extends CommandConnection.Owner, AutoCloseable {

  /** Sends a call, after earlier calls for the same keys. */
  void send(Call<?> call);

  /** The present connection to the server of some keys; null if there is none. */
  @Nullable CommandConnection connection(CallKeys keys);

  /** One step through all keys of all servers. */
  CompletionStage<KeyScanCursor<String>> scan(ScanCursor from, ScanArgs what);

  /** A connection to each server that answers calls, by the server's name. */
  Map<String, CompletionStage<StatefulRedisConnection<String, String>>> nodes();

  @Override
  void close();
}
