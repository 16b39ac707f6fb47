package dev.sluice.bench.systems;

/** The rate limiters that are measured side by side. */
public enum LimitKind implements Peer {
  SLUICE("sluice", "Sluice, this build: gcra unless the workload says otherwise, tryAcquire"),
  REDISSON("redisson", "Redisson RRateLimiter, OVERALL, default settings, tryAcquire"),
  BUCKET4J(
      "bucket4j",
      "Bucket4j over Lettuce (compare and swap), default settings, default optimisation,"
          + " tryConsume"),
  RAW(
      "raw",
      "floor: Lettuce, one connection, one GCRA script: TIME, GET, SET PX, a reply of four"
          + " numbers");

  /** Its chapter. */
  public static final String CHAPTER = "limits";

  private final String id;
  private final String description;

  LimitKind(String id, String description) {
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
  public LimitSystem open(String uri) {
    return switch (this) {
      case SLUICE -> new SluiceLimits(uri);
      case REDISSON -> new RedissonLimits(uri);
      case BUCKET4J -> new Bucket4jLimits(uri);
      case RAW -> new RawLimits(uri);
    };
  }
}
