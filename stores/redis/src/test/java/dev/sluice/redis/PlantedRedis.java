package dev.sluice.redis;

import dev.sluice.redis.connection.StoreConnection;
import java.util.List;
import java.util.function.UnaryOperator;

/** Opens backends whose scripts are changed: for planted faults and clocks. */
public final class PlantedRedis {
  private PlantedRedis() {}

  /** A backend over open connections that sends changed scripts. */
  public static RedisBackend over(StoreConnection connection, UnaryOperator<String> change) {
    return new RedisBackend(connection, List::of, change);
  }
}
