package dev.sluice.bench.systems;

/** Who claims limited stock, side by side. No peer has anything like it, so there is a floor. */
public enum StockKind implements Peer {
  SLUICE(
      "sluice", "Sluice, this build: claims of one unit in a drained sale, five seconds to answer"),
  RAW(
      "raw",
      "floor: Lettuce, EVALSHA of one script: whether the claimant is in a hash, DECR of a count,"
          + " HSET, XADD; each claim a call of its own");

  /** Its chapter. */
  public static final String CHAPTER = "inventory";

  /** Calls that one thread of {@link Habit#STREAMED} has under way. */
  static final int UNDER_WAY = 256;

  /** More than anybody claims. */
  static final long PLENTY = 1_000_000_000;

  private final String id;
  private final String description;

  StockKind(String id, String description) {
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

  /**
   * Opens a client.
   *
   * @param uri of the server
   */
  public LockSystem open(String uri) {
    return switch (this) {
      case SLUICE -> new SluiceStocks(uri);
      case RAW -> new RawStocks(uri);
    };
  }

  static IllegalArgumentException notOfStock(Habit habit) {
    return new IllegalArgumentException("stock is never " + habit);
  }
}
