package dev.sluice.bench.systems;

/** What is measured without a server, and without a process of the bench's own. */
public enum InProcessKind implements Peer {
  SLUICE("sluice", "Sluice, this build, memory:"),
  REENTRANT_LOCK("ReentrantLock", "floor: java.util.concurrent.locks.ReentrantLock"),
  CAFFEINE("caffeine", "floor: Caffeine alone, getIfPresent, as large, expireAfterWrite"),
  BARE("bare", "floor: the least that the same decision takes, see each workload");

  /** Its chapter. */
  public static final String CHAPTER = "in-process";

  private final String id;
  private final String description;

  InProcessKind(String id, String description) {
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
}
