package dev.sluice.redis.connection;

import dev.sluice.redis.command.RedisFailures;
import dev.sluice.spi.BackendSettings;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.netty.handler.ssl.NotSslRecordException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Configures Lettuce's clients, and describes why a connection failed. */
public final class Clients {
  private static final Duration FIRST_RECONNECT = Duration.ofMillis(10);
  private static final Duration LAST_RECONNECT = Duration.ofSeconds(1);

  /** Inserted before the command line where Netty's native transport is on the class path. */
  private static final Pattern NATIVE_CALL =
      Pattern.compile("^\\w+\\(\\.\\.\\) failed with error\\(-\\d+\\): ");

  private Clients() {}

  public static ClientResources resources() {
    EventLoops loops = new EventLoops();
    return DefaultClientResources.builder()
        .eventLoopGroupProvider(loops)
        .addressResolverGroup(loops.names())
        .computationThreadPoolSize(2)
        .commandLatencyRecorder(CommandLatencyRecorder.disabled())
        .reconnectDelay(Delay.fullJitter(FIRST_RECONNECT, LAST_RECONNECT, 1, TimeUnit.MILLISECONDS))
        .build();
  }

  public static ClientOptions.Builder options(BackendSettings settings) {
    return ClientOptions.builder()
        // what was not sent must not be sent much later
        .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
        // a provider that reports new credentials: AUTH again, over the open connections
        .reauthenticateBehavior(ClientOptions.ReauthenticateBehavior.ON_NEW_CREDENTIALS)
        // CommandConnection watches the time of every call; a timer for each would only race it
        .timeoutOptions(TimeoutOptions.create())
        .socketOptions(
            SocketOptions.builder()
                .connectTimeout(settings.requestTimeout())
                .tcpNoDelay(true)
                .build());
  }

  /** Uses the message of the innermost cause, or a clearer one where that does not help. */
  public static String reason(Throwable failure, RedisURI uri) {
    Throwable inner = innermost(failure);
    if (uri.isSsl() && inner instanceof RedisCommandTimeoutException) {
      // what a plain Redis makes of a TLS greeting is the first half of a line: it waits for the
      // rest
      return "the server does not speak TLS, or it did not answer within "
          + RedisFailures.shortly(uri.getTimeout());
    }
    return reason(failure);
  }

  static Throwable innermost(Throwable failure) {
    Throwable inner = failure;
    for (@Nullable Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
      inner = cause;
    }
    return inner;
  }

  /** Connects without a check of the expected topology. */
  public static String reason(Throwable failure) {
    Throwable inner = innermost(failure);
    if (inner instanceof NotSslRecordException) {
      return "the server does not speak TLS";
    }
    if (inner instanceof ClosedChannelException) {
      return "the connection was closed before the server answered";
    }
    String message = String.valueOf(inner.getMessage());
    if (message.startsWith("NOAUTH")) {
      return "a password is required, and none was given (NOAUTH)";
    }
    if (message.startsWith("Invalid first byte")) {
      return "the server does not speak the Redis protocol";
    }
    return inner.getMessage() == null
        ? inner.getClass().getSimpleName()
        : NATIVE_CALL.matcher(message).replaceFirst("");
  }
}
