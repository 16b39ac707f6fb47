package dev.sluice.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.servers.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * An object that Sluice hands out can do what its type has. {@link UnsupportedOperationException}
 * is left for a store that lacks a primitive or an option as a whole, and for methods that an
 * interface of the JDK or of a framework asks for.
 */
class UnsupportedVerbsTest {

  /** Where one is made, and why no type could say it. */
  private static final Set<String> ALLOWED =
      Set.of(
          "Backend", // a store without a primitive: the URI chooses the store at run time
          "GrantEngine", // a store without forced release, resize, or WRITERS_FIRST
          "GrantStore", // a store without delayed release; reaches no caller
          "SqlDialect", // an unknown database
          "CacheEngine", // a store that cannot give STRONG
          "Failures", // the same again, for another thread
          "ReentrantView", // java.util.concurrent.locks.Lock
          "SluiceLock", // java.util.concurrent.locks.Lock
          "Call", // io.lettuce.core.protocol.RedisCommand
          "SluiceCache"); // org.springframework.cache.Cache

  @Test
  void noTypeHasAVerbThatItCannotDo() throws IOException {
    Set<String> found = new TreeSet<>();
    for (String part : List.of("core", "cache", "stores", "integrations")) {
      try (Stream<Path> files = Files.walk(SourceTree.path(part))) {
        for (Path file :
            files.filter(each -> each.toString().matches(".*/src/main/.*[.]java")).toList()) {
          if (Files.readString(file).contains("new UnsupportedOperationException(")) {
            found.add(String.valueOf(file.getFileName()).replace(".java", ""));
          }
        }
      }
    }
    assertThat(found).isEqualTo(new TreeSet<>(ALLOWED));
  }
}
