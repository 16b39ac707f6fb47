package dev.sluice.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** What an operator may want to know about a server. */
final class ServerNotes {
  private static final String CELL = "redis-cell";

  /** MODULE, which the driver has no word for. */
  private static final class Module implements ProtocolKeyword {
    @Override
    public byte[] getBytes() {
      return "MODULE".getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public String toString() {
      return "MODULE";
    }
  }

  private ServerNotes() {}

  /** Asks; a server that refuses to tell (by its ACL, or without modules) is not noted. */
  static CompletionStage<List<String>> ask(StatefulRedisConnection<String, String> connection) {
    CommandArgs<String, String> list = new CommandArgs<>(StringCodec.UTF8).add("LIST");
    return connection
        .async()
        .dispatch(new Module(), new ArrayOutput<>(StringCodec.UTF8), list)
        .thenApply(ServerNotes::of)
        .exceptionally(
            failure -> {
              Throwable cause =
                  failure instanceof CompletionException && failure.getCause() != null
                      ? failure.getCause()
                      : failure;
              if (cause instanceof RedisCommandExecutionException) {
                return List.of();
              }
              throw new CompletionException(cause);
            });
  }

  /** Reads the reply: for each module its fields and their values, one after the other. */
  static List<String> of(List<?> modules) {
    for (Object module : modules) {
      if (module instanceof List<?> fields) {
        for (int i = 0; i + 1 < fields.size(); i += 2) {
          if ("name".equals(fields.get(i)) && CELL.equals(fields.get(i + 1))) {
            return List.of("module redis-cell is loaded; Sluice does not use it");
          }
        }
      }
    }
    return List.of();
  }
}
