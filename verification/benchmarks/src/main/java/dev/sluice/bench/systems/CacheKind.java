package dev.sluice.bench.systems;

/** The caches that are measured side by side. */
public enum CacheKind implements Peer {
  SLUICE("sluice", "Sluice GuardedCache, this build, default settings, codec of bytes"),
  REDISSON(
      "redisson",
      "Redisson, keys as text, values as bytes; near: RLocalCachedMap, else RMapCache, with a"
          + " MapLoader where values are loaded; default settings, so the map as a whole has no"
          + " expiry"),
  JETCACHE(
      "jetcache",
      "JetCache over Lettuce, keys as text, its default encoder (Java serialisation); near: Caffeine"
          + " in front of it; penetration protect where values are loaded"),
  CAFFEINE("caffeine", "floor: Caffeine alone, getIfPresent, as large, expireAfterWrite"),
  RAW("raw", "floor: Lettuce, one connection: GET; where values are loaded: GET, load, SET PX");

  /** Its chapter. */
  public static final String CHAPTER = "cache";

  private final String id;
  private final String description;

  CacheKind(String id, String description) {
    this.id = id;
    this.description = description;
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public String description() {
    return description;
  }

  @Override
  public String chapter() {
    return CHAPTER;
  }

  /** Opens a client of the server at {@code redis://host:port}. */
  public CacheSystem open(String uri) {
    return switch (this) {
      case SLUICE -> new SluiceCaches(uri);
      case REDISSON -> new RedissonCaches(uri);
      case JETCACHE -> new JetCaches(uri);
      case CAFFEINE -> new CaffeineCaches();
      case RAW -> new RawCaches(uri);
    };
  }
}
