package dev.sluice.bench.migration;

import dev.sluice.servers.DocumentBlocks;
import dev.sluice.servers.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A library that docs/migration.md says how to leave.
 *
 * @param name its name in the headings of the page
 * @param members whether its blocks are methods, and not the statements of one
 * @param blocks how its blocks are compiled
 * @param called a name of its API in its first block
 * @param api the types that its table may name
 */
public record Peer(
    String name, boolean members, DocumentBlocks blocks, String called, List<Class<?>> api) {

  @SuppressWarnings("deprecation") // the page names deprecated types too
  static final List<Peer> ALL =
      List.of(
          new Peer(
              "Redisson",
              false,
              new DocumentBlocks(
                  "Sluice sluice, RedissonClient redisson, Orders orders",
                  Orders.class.getCanonicalName(),
                  "org.redisson.api.RLock",
                  "org.redisson.api.RedissonClient"),
              "tryLock",
              List.of(
                  org.redisson.api.RedissonClient.class,
                  org.redisson.api.RLock.class,
                  org.redisson.api.RLockAsync.class,
                  org.redisson.api.RFencedLock.class,
                  org.redisson.api.RRateLimiter.class,
                  org.redisson.api.RBloomFilter.class,
                  org.redisson.RedissonRedLock.class,
                  org.redisson.config.Config.class)),
          new Peer(
              "ShedLock",
              true,
              new DocumentBlocks(
                  Reports.class.getCanonicalName() + " reports",
                  "dev.sluice.shedlock.SluiceLockProvider",
                  "net.javacrumbs.shedlock.core.*",
                  "net.javacrumbs.shedlock.spring.annotation.SchedulerLock",
                  "org.springframework.scheduling.annotation.Scheduled"),
              "lockAtLeastFor",
              List.of(
                  net.javacrumbs.shedlock.core.LockProvider.class,
                  net.javacrumbs.shedlock.core.LockAssert.class,
                  net.javacrumbs.shedlock.core.LockExtender.class,
                  net.javacrumbs.shedlock.support.KeepAliveLockProvider.class,
                  net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider.class,
                  net.javacrumbs.shedlock.spring.annotation.SchedulerLock.class)),
          new Peer(
              "Bucket4j",
              false,
              new DocumentBlocks(
                  "ProxyManager<String> proxyManager, Bucket bucket, RateLimiter api",
                  "dev.sluice.limit.RateLimiter",
                  "io.github.bucket4j.*",
                  "io.github.bucket4j.distributed.proxy.ProxyManager"),
              "getProxy",
              List.of(
                  io.github.bucket4j.Bucket.class,
                  io.github.bucket4j.BlockingBucket.class,
                  io.github.bucket4j.BucketConfiguration.class,
                  io.github.bucket4j.BandwidthBuilder.BandwidthBuilderRefillStage.class,
                  io.github.bucket4j.BandwidthBuilder.BandwidthBuilderBuildStage.class,
                  io.github.bucket4j.distributed.proxy.ProxyManager.class)),
          new Peer(
              "lock4j",
              true,
              new DocumentBlocks(
                  Accounts.class.getCanonicalName() + " accounts",
                  "com.baomidou.lock.annotation.Lock4j"),
              "acquireTimeout",
              List.of(
                  com.baomidou.lock.annotation.Lock4j.class,
                  com.baomidou.lock.LockTemplate.class,
                  com.baomidou.lock.LockFailureStrategy.class,
                  com.baomidou.lock.executor.RedissonLockExecutor.class)),
          new Peer(
              "JetCache",
              true,
              new DocumentBlocks(
                  Products.class.getCanonicalName() + " products", "com.alicp.jetcache.anno.*"),
              "cacheType",
              List.of(
                  com.alicp.jetcache.CacheManager.class,
                  com.alicp.jetcache.anno.CacheInvalidate.class,
                  com.alicp.jetcache.anno.CachePenetrationProtect.class,
                  com.alicp.jetcache.anno.CacheRefresh.class,
                  com.alicp.jetcache.anno.CacheType.class,
                  com.alicp.jetcache.anno.CacheUpdate.class,
                  com.alicp.jetcache.anno.Cached.class,
                  com.alicp.jetcache.anno.CreateCache.class,
                  com.alicp.jetcache.anno.SerialPolicy.class,
                  com.alicp.jetcache.anno.config.EnableCreateCacheAnnotation.class,
                  com.alicp.jetcache.anno.config.EnableMethodCache.class)),
          new Peer(
              "Curator",
              false,
              new DocumentBlocks(
                  "CuratorFramework curator, Orders orders",
                  Orders.class.getCanonicalName(),
                  "dev.sluice.zookeeper.ZooKeeperBackend",
                  "org.apache.curator.framework.CuratorFramework",
                  "org.apache.curator.framework.recipes.locks.InterProcessMutex"),
              "release",
              List.of(
                  org.apache.curator.framework.recipes.leader.LeaderLatch.class,
                  org.apache.curator.framework.recipes.leader.LeaderSelector.class,
                  org.apache.curator.framework.recipes.locks.InterProcessMultiLock.class,
                  org.apache.curator.framework.recipes.locks.InterProcessMutex.class,
                  org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock.class,
                  org.apache.curator.framework.recipes.locks.InterProcessSemaphoreMutex.class,
                  org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2.class)));

  /** The resource that a lock of the page protects. */
  public interface Orders {
    void write(long id);

    void write(long id, long token);
  }

  /** The target of a scheduled task of the page. */
  public interface Reports {
    void write();
  }

  /** The target of a method of the page that takes a lock. */
  public interface Accounts {
    String withdraw(long id, int amount);
  }

  /** The target of a cached method of the page. */
  public interface Products {
    String find(long id);

    void rename(long id, String name);
  }

  /** The word of its fences. */
  String word() {
    return name.toLowerCase(Locale.ROOT);
  }

  /** Its version in the POM of this module, or else in that of the parent. */
  String version() throws IOException {
    Pattern property = Pattern.compile("<" + word() + "\\.version>([^<]+)<");
    for (String pom : List.of("verification/benchmarks/pom.xml", "pom.xml")) {
      Matcher found = property.matcher(Files.readString(SourceTree.path(pom)));
      if (found.find()) {
        return found.group(1);
      }
    }
    throw new IllegalStateException("no version of " + name + " in the POMs");
  }

  void compile(DocumentBlocks.Block block, Path folder) {
    // a variable of a block may have the name of what another block is given
    String method = "void run() throws Exception {\n" + block.code() + "}\n";
    String code = members ? block.code() : method;
    blocks.compileMembers(new DocumentBlocks.Block(block.file(), block.line(), code), folder);
  }

  @Override
  public String toString() {
    return name;
  }
}
