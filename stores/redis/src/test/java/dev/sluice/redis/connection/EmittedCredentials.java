package dev.sluice.redis.connection;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import java.time.Duration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Emits credentials when they change, as providers of clouds do. Safe for use by many threads. */
final class EmittedCredentials implements RedisCredentialsProvider {
  private final Sinks.Many<RedisCredentials> sink = Sinks.many().replay().latest();

  EmittedCredentials(String user, String password) {
    emit(user, password);
  }

  void emit(String user, String password) {
    sink.emitNext(
        RedisCredentials.just(user, password),
        Sinks.EmitFailureHandler.busyLooping(Duration.ofSeconds(30)));
  }

  @Override
  public Mono<RedisCredentials> resolveCredentials() {
    return sink.asFlux().next();
  }

  @Override
  public boolean supportsStreaming() {
    return true;
  }

  @Override
  public Flux<RedisCredentials> credentials() {
    return sink.asFlux();
  }
}
