package dev.sluice.bench.systems;

/** The Bloom filters that are measured side by side. */
public enum BloomKind implements Peer {
  SLUICE("sluice", "Sluice, this build"),
  REDISSON("redisson", "Redisson RBloomFilter, default settings and codec"),
  RAW(
      "raw",
      "floor: Lettuce, one connection, one BITFIELD with the same bits; no header, no checks, every"
          + " bulk one command");

  /** Its chapter. */
  public static final String CHAPTER = "bloom";

  private final String id;
  private final String description;

  BloomKind(String id, String description) {
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
  public BloomSystem open(String uri) {
    return switch (this) {
      case SLUICE -> new SluiceBlooms(uri);
      case REDISSON -> new RedissonBlooms(uri);
      case RAW -> new RawBlooms(uri);
    };
  }
}
