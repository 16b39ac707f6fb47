package dev.sluice.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.servers.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The documentation of the types that users meet first answers the same questions. {@link
 * DocumentsTest} compiles their examples.
 */
class MainTypesTest {
  private static final Pattern TYPE =
      Pattern.compile(
          "(?s)/\\*\\*((?:(?!\\*/).)*)\\*/\\s*(?:@\\w+\\s*)*public (?:final )?\\w+ \\w+");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "core/src/main/java/dev/sluice/Sluice.java",
        "core/src/main/java/dev/sluice/Inspector.java",
        "core/src/main/java/dev/sluice/lock/LeaseLock.java",
        "core/src/main/java/dev/sluice/lock/DistributedLock.java",
        "core/src/main/java/dev/sluice/lock/Lease.java",
        "core/src/main/java/dev/sluice/lock/MultiLock.java",
        "core/src/main/java/dev/sluice/lock/MultiLease.java",
        "core/src/main/java/dev/sluice/lock/DistributedSemaphore.java",
        "core/src/main/java/dev/sluice/lock/DistributedReadWriteLock.java",
        "core/src/main/java/dev/sluice/lock/LeaderElection.java",
        "core/src/main/java/dev/sluice/latch/DistributedLatch.java",
        "core/src/main/java/dev/sluice/limit/RateLimiter.java",
        "core/src/main/java/dev/sluice/bloom/BloomFilter.java",
        "core/src/main/java/dev/sluice/inventory/Inventory.java",
        "core/src/main/java/dev/sluice/guard/Guard.java",
        "cache/src/main/java/dev/sluice/cache/GuardedCache.java"
      })
  void primitiveSaysHowItBlocksAndWhatThrows(String file) throws IOException {
    String source = Files.readString(SourceTree.path(file));
    assertThat(words(source))
        .contains("<pre>{@code")
        .containsIgnoringCase("safe for use by many threads")
        .containsPattern("block|wait")
        .containsIgnoringCase("interrupt")
        .contains("@since 0.1");
    assertThat(source).containsPattern("@throws|[Tt]hrows? ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "core/src/main/java/dev/sluice/lock/LockOptions.java",
        "core/src/main/java/dev/sluice/limit/Limit.java",
        "core/src/main/java/dev/sluice/limit/RateLimiterOptions.java",
        "core/src/main/java/dev/sluice/bloom/BloomSpec.java",
        "core/src/main/java/dev/sluice/inventory/Sale.java",
        "cache/src/main/java/dev/sluice/cache/CacheOptions.java"
      })
  void valueSaysThatItIsImmutableAndWhatItRefuses(String file) throws IOException {
    String source = Files.readString(SourceTree.path(file));
    assertThat(words(source))
        .contains("<pre>{@code")
        .containsIgnoringCase("immutable")
        .contains("IllegalArgumentException")
        .contains("@since 0.1");
    assertThat(source).containsPattern("@param \\w+ [^@]*(?: to |at least|at most|zero)");
  }

  /** The documentation of the type, on one line. */
  private static String words(String source) {
    Matcher type = TYPE.matcher(source);
    assertThat(type.find()).isTrue();
    return type.group(1).replaceAll("\\s*\\n\\s*\\* ?", " ");
  }
}
