package dev.sluice.bench.migration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.servers.DocumentBlocks;
import dev.sluice.shedlock.SluiceLockProvider;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The provider of docs/migration.md that takes the locks of two providers. */
class BothProvidersTest {
  @TempDir Path folder;

  private final Sluice oldStore = Sluice.connect("memory:");
  private final Sluice newStore = Sluice.connect("memory:");
  private final LockProvider former = new SluiceLockProvider(oldStore);
  private final LockProvider next = new SluiceLockProvider(newStore);
  private LockProvider both;

  @BeforeEach
  void compileTheProvider() throws Exception {
    Peer shedLock =
        Peer.ALL.stream().filter(peer -> peer.name().equals("ShedLock")).findFirst().orElseThrow();
    DocumentBlocks.Block block =
        DocumentBlocks.of(MigrationPage.both().get(0).file(), "both shedlock").get(0);
    DocumentBlocks.Block named =
        new DocumentBlocks.Block(Path.of("both.md"), block.line(), block.code());
    shedLock.compile(named, folder);
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {folder.toUri().toURL()}, getClass().getClassLoader())) {
      Class<?> type = loader.loadClass("Block_both_md_" + block.line());
      Method method = type.getDeclaredMethod("both", LockProvider.class, Sluice.class);
      method.setAccessible(true);
      both =
          (LockProvider)
              method.invoke(type.getDeclaredConstructor().newInstance(), former, newStore);
    }
  }

  @AfterEach
  void close() {
    oldStore.close();
    newStore.close();
  }

  private static Optional<SimpleLock> lock(LockProvider provider) {
    return provider.lock(
        new LockConfiguration(
            ClockProvider.now(), "report", Duration.ofMinutes(20), Duration.ZERO));
  }

  @Test
  void aRunExcludesInstancesOfBothVersions() {
    SimpleLock run = lock(both).orElseThrow();

    assertThat(lock(former)).isEmpty();
    assertThat(lock(next)).isEmpty();
    run.unlock();
    lock(former).orElseThrow().unlock();
    lock(next).orElseThrow().unlock();
  }

  @Test
  void aRunOfAnInstanceOfTheOldVersionIsRespected() {
    SimpleLock run = lock(former).orElseThrow();

    assertThat(lock(both)).isEmpty();
    run.unlock();
    assertThat(lock(both)).isPresent();
  }

  @Test
  void aRunOfAnInstanceOfTheNewVersionIsRespectedAndTheOldLockIsReleased() {
    SimpleLock run = lock(next).orElseThrow();

    assertThat(lock(both)).isEmpty();
    lock(former).orElseThrow().unlock();
    run.unlock();
    assertThat(lock(both)).isPresent();
  }
}
