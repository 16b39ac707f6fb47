package dev.sluice.bench.systems;

import io.lettuce.core.RedisClient;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The table of everything that is measured side by side, by chapter. */
public final class Candidates {
  private static final Map<String, List<Candidate>> TABLE = new LinkedHashMap<>();
  private static final String OURS = "Sluice, this build";

  /** Without a process of its own: JMH starts one. */
  private static final Candidate.Opener NO_PROCESS =
      (uri, ttl) -> {
        throw Library.cannot("process of its own");
      };

  static {
    redis("locks", "sluice", OURS, SluiceLibrary::connect);
    redis(
        "locks",
        "redisson",
        "Redisson RLock, lock() and unlock(), default settings, watchdog",
        RedissonLibrary::new);
    redis(
        "locks",
        "spring",
        "Spring Integration RedisLockRegistry, pub-sub mode, default expiry of 60 s",
        (uri, ttl) -> RedisLibraries.spring(uri));
    redis(
        "locks",
        "raw",
        "floor: Lettuce, SET NX PX and a compare-and-delete script; contended: again after 1 ms",
        (uri, ttl) -> new LettuceFloor(uri, false));
    redis(
        "locks",
        "raw-fenced",
        "floor: Lettuce, two scripts: SET NX PX and INCR of a token; compare and DEL",
        (uri, ttl) -> new LettuceFloor(uri, true));

    redis("quorum", "sluice", OURS + ", redis-quorum:// of five", SluiceLibrary::connect);
    redis(
        "quorum",
        "redisson",
        "Redisson MultiLock over one RLock on each of the five, watchdog",
        RedissonLibrary::new);
    redis(
        "quorum",
        "raw5",
        "floor: Lettuce, SET NX PX to all five at once, then a compare-and-delete script; each waits"
            + " for a majority; no token",
        (uri, ttl) -> RedisLibraries.quorumFloor(uri));

    redis(
        "limits",
        "sluice",
        OURS + ": gcra unless the workload says otherwise, tryAcquire",
        SluiceLibrary::connect);
    redis(
        "limits",
        "redisson",
        "Redisson RRateLimiter, OVERALL, default settings, tryAcquire",
        RedissonLibrary::new);
    redis(
        "limits",
        "bucket4j",
        "Bucket4j over Lettuce (compare and swap), default settings, default optimisation,"
            + " tryConsume",
        (uri, ttl) -> RedisLibraries.bucket4j(uri));
    redis(
        "limits",
        "raw",
        "floor: Lettuce, one connection, one GCRA script: TIME, GET, SET PX, a reply of four"
            + " numbers",
        (uri, ttl) -> new LettuceFloor(uri, false));

    redis("bloom", "sluice", OURS, SluiceLibrary::connect);
    redis(
        "bloom",
        "redisson",
        "Redisson RBloomFilter, default settings and codec",
        RedissonLibrary::new);
    redis(
        "bloom",
        "raw",
        "floor: Lettuce, one connection, one BITFIELD with the same bits; no header, no checks, every"
            + " bulk one command",
        (uri, ttl) -> new LettuceFloor(uri, false));

    redis(
        "cache",
        "sluice",
        "Sluice GuardedCache, this build, default settings, codec of bytes",
        SluiceLibrary::connect);
    redis(
        "cache",
        "redisson",
        "Redisson, keys as text, values as bytes; near: RLocalCachedMap, else RMapCache, with a"
            + " MapLoader where values are loaded; default settings, so the map as a whole has no"
            + " expiry",
        RedissonLibrary::new);
    redis(
        "cache",
        "jetcache",
        "JetCache over Lettuce, keys as text, its default encoder (Java serialisation); near:"
            + " Caffeine in front of it; penetration protect where values are loaded",
        (uri, ttl) -> new JetCacheLibrary(RedisClient.create(uri)));
    redis(
        "cache",
        "caffeine",
        "floor: Caffeine alone, getIfPresent, as large, expireAfterWrite",
        (uri, ttl) -> RedisLibraries.caffeine());
    redis(
        "cache",
        "raw",
        "floor: Lettuce, one connection: GET; where values are loaded: GET, load, SET PX",
        (uri, ttl) -> new LettuceFloor(uri, false));

    redis(
        "family",
        "sluice",
        OURS + ": semaphore, fair read-write lock and multi-lock, leases renewed",
        SluiceLibrary::connect);
    add(
        "family",
        "sluice-cluster",
        OURS + ", redis-cluster:// of three masters: locks",
        Engine.REDIS,
        3,
        SluiceLibrary::connect);
    redis(
        "family",
        "redisson",
        "Redisson RPermitExpirableSemaphore with leases of 30 s; RReadWriteLock and MultiLock with"
            + " their watchdog",
        RedissonLibrary::new);
    redis(
        "family",
        "raw",
        "floor: Lettuce, two scripts: a sorted set of expiries, or keys with PX, and INCR of a"
            + " token; again after 1 ms",
        (uri, ttl) -> new LettuceFloor(uri, false));

    redis(
        "inventory",
        "sluice",
        OURS + ": claims of one unit in a drained sale, five seconds to answer",
        SluiceLibrary::connect);
    redis(
        "inventory",
        "raw",
        "floor: Lettuce, EVALSHA of one script: whether the claimant is in a hash, DECR of a count,"
            + " HSET, XADD; each claim a call of its own",
        (uri, ttl) -> new LettuceFloor(uri, false));

    engine(Engine.ZOOKEEPER, "sluice-zk", OURS + ", zookeeper://", SluiceLibrary::connect);
    engine(
        Engine.ZOOKEEPER,
        "curator",
        "Curator InterProcessMutex, default settings, one object per thread: a shared one wakes all"
            + " its threads each time",
        (uri, ttl) -> ZooKeeperLibraries.curator(uri));
    engine(
        Engine.ZOOKEEPER,
        "raw-zk",
        "floor: ZooKeeper's own client, create and getChildren sent together, then delete; nobody"
            + " else may want the lock",
        (uri, ttl) -> ZooKeeperLibraries.floor(uri));
    String pooled = OURS + ", over HikariCP of " + SqlLibraries.POOL_SIZE;
    engine(Engine.POSTGRESQL, "sluice-pg", pooled, SluiceLibrary::overPool);
    engine(
        Engine.POSTGRESQL,
        "spring-jdbc",
        "Spring Integration JdbcLockRegistry over the same pool, default settings: expiry of 10 s,"
            + " again after 100 ms",
        (uri, ttl) -> SqlLibraries.spring(uri));
    engine(
        Engine.POSTGRESQL,
        "shedlock",
        "ShedLock JdbcTemplateLockProvider over the same pool, with the database's time, at most"
            + " 30 s; it never waits",
        (uri, ttl) -> SqlLibraries.shedLock(uri));
    engine(
        Engine.POSTGRESQL,
        "raw-pg",
        "floor: over the same pool, one INSERT ... ON CONFLICT DO UPDATE that returns a token, one"
            + " UPDATE, each committed by itself; nobody else may want the lock",
        (uri, ttl) -> SqlLibraries.postgresqlFloor(uri));
    engine(
        Engine.SQLITE,
        "sluice-sqlite",
        OURS + ", jdbc:sqlite: of one file",
        SluiceLibrary::connect);
    engine(
        Engine.SQLITE,
        "raw-sqlite",
        "floor: BEGIN IMMEDIATE, UPDATE of a token, COMMIT with synchronous FULL; the same to give"
            + " it back, with synchronous NORMAL; nobody else may want the lock",
        (uri, ttl) -> SqlLibraries.sqliteFloor(uri));
    engine(Engine.MARIADB, "sluice-mariadb", pooled, SluiceLibrary::overPool);
    engine(
        Engine.H2, "sluice-h2", OURS + ", jdbc:h2:mem: in its own process", SluiceLibrary::connect);
    engine(Engine.REDIS, "sluice-redis", OURS + ", redis://", SluiceLibrary::connect);
    engine(Engine.MEMORY, "sluice-memory", OURS + ", memory:", SluiceLibrary::connect);

    inProcess("sluice", OURS + ", memory:");
    inProcess("ReentrantLock", "floor: java.util.concurrent.locks.ReentrantLock");
    inProcess("caffeine", "floor: Caffeine alone, getIfPresent, as large, expireAfterWrite");
    inProcess("bare", "floor: the least that the same decision takes, see each workload");

    redis("scale", "one server", OURS + ", on one Redis", (uri, ttl) -> new SluiceCrowd(uri));
    for (int masters : List.of(1, 2, 3, 6)) {
      String id = masters + (masters == 1 ? " master" : " masters");
      add(
          "scale",
          id,
          OURS + ", on a cluster without replicas, " + id,
          Engine.REDIS,
          masters,
          (uri, ttl) -> new SluiceCrowd(uri));
    }
  }

  private Candidates() {}

  private static void add(
      String chapter,
      String id,
      String description,
      Engine engine,
      int masters,
      Candidate.Opener open) {
    TABLE
        .computeIfAbsent(chapter, key -> new ArrayList<>())
        .add(new Candidate(chapter, id, description, engine, masters, open));
  }

  private static void redis(String chapter, String id, String description, Candidate.Opener open) {
    add(chapter, id, description, Engine.REDIS, 0, open);
  }

  private static void engine(Engine engine, String id, String description, Candidate.Opener open) {
    add("engines", id, description, engine, 0, open);
  }

  private static void inProcess(String id, String description) {
    add("in-process", id, description, Engine.MEMORY, 0, NO_PROCESS);
  }

  /** {@return all that take part in a chapter, in the order of its tables} */
  public static List<Candidate> of(String chapter) {
    return List.copyOf(TABLE.getOrDefault(chapter, List.of()));
  }

  /**
   * {@return one of them}
   *
   * @throws IllegalArgumentException if no candidate of the chapter is called so, in any case
   */
  public static Candidate of(String chapter, String id) {
    return of(chapter).stream()
        .filter(each -> each.id().equalsIgnoreCase(id))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no system '"
                        + id
                        + "' in "
                        + chapter
                        + "; there are "
                        + of(chapter).stream().map(Candidate::id).toList()));
  }
}
