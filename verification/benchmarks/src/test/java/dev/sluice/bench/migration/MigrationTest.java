package dev.sluice.bench.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.servers.DocumentBlocks;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.redisson.config.Config;

/** The code of other libraries in docs/migration.md compiles with them, in both languages. */
class MigrationTest {

  /** Blocks of Sluice alone, which run or compile where there is no other library. */
  private static final List<String> AFTER = List.of("java", "java spring", "java curator");

  @TempDir Path folder;

  private record Shown(MigrationPage page, Peer peer, DocumentBlocks.Block block) {}

  private static Stream<Shown> shown(String fence) {
    return MigrationPage.both().stream()
        .flatMap(
            page ->
                Peer.ALL.stream()
                    .filter(peer -> page.text().contains("```java " + fence + peer.word() + "\n"))
                    .flatMap(
                        peer ->
                            DocumentBlocks.of(page.file(), fence + peer.word()).stream()
                                .map(block -> new Shown(page, peer, block))));
  }

  /** A block that both pages show is compiled once. */
  @TestFactory
  Stream<DynamicTest> everyBlockOfAnotherLibraryCompiles() {
    Set<String> codes = new HashSet<>();
    return Stream.of("before ", "both ", "")
        .flatMap(MigrationTest::shown)
        .filter(shown -> codes.add(MigrationPage.withoutComments(shown.block.code())))
        .map(
            shown ->
                DynamicTest.dynamicTest(
                    shown.page + " " + shown.peer + " " + shown.block,
                    () -> shown.peer.compile(shown.block, folder)));
  }

  @TestFactory
  Stream<DynamicTest> aBlockWithANameThatTheLibraryDoesNotHaveIsRefused() {
    return shown("before ")
        .filter(shown -> shown.page.equals(MigrationPage.both().get(0)))
        .map(shown -> DynamicTest.dynamicTest(shown.peer.name(), () -> refuses(shown)));
  }

  private void refuses(Shown shown) {
    String called = shown.peer.called();
    String code = shown.block.code().replaceAll("\\b" + called + "\\b", called + "Gone");
    assertThat(code).isNotEqualTo(shown.block.code());
    DocumentBlocks.Block planted =
        new DocumentBlocks.Block(shown.block.file(), shown.block.line(), code);

    assertThatThrownBy(() -> shown.peer.compile(planted, folder))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("cannot find symbol")
        .hasMessageContaining(called + "Gone");
  }

  @Test
  void bothLanguagesShowTheSameCode() {
    List<MigrationPage> pages = MigrationPage.both();

    assertThat(MigrationPage.blocks(pages.get(1).text()))
        .isEqualTo(MigrationPage.blocks(pages.get(0).text()));
  }

  @TestFactory
  Stream<DynamicTest> everyLibraryHasAPairAndAWayToRunBoth() {
    return MigrationPage.both().stream()
        .flatMap(
            page ->
                Peer.ALL.stream()
                    .map(
                        peer ->
                            DynamicTest.dynamicTest(
                                page + " " + peer, () -> complete(page, peer))));
  }

  private static void complete(MigrationPage page, Peer peer) {
    String section = page.section(peer.name());
    List<String> fences =
        MigrationPage.blocks(section).stream().map(MigrationPage.Fenced::words).toList();
    assertThat(fences).first().isEqualTo("java before " + peer.word());
    assertThat(fences.get(1)).as("what follows on the block before").isIn(AFTER);
    assertThat(section).contains(page.sideBySide());
  }

  @Test
  void noBlockIsLeftOut() {
    List<String> compiled =
        Stream.concat(
                AFTER.stream(),
                Peer.ALL.stream()
                    .flatMap(
                        peer ->
                            Stream.of("java before " + peer.word(), "java both " + peer.word())))
            .toList();

    assertThat(MigrationPage.blocks(MigrationPage.both().get(0).text()))
        .extracting(MigrationPage.Fenced::words)
        .hasSizeGreaterThan(12)
        .isSubsetOf(compiled);
  }

  @TestFactory
  Stream<DynamicTest> everyNameInTheFirstColumnExists() {
    return MigrationPage.both().stream()
        .flatMap(
            page ->
                Peer.ALL.stream()
                    .map(
                        peer ->
                            DynamicTest.dynamicTest(page + " " + peer, () -> exist(page, peer))));
  }

  private static void exist(MigrationPage page, Peer peer) {
    PeerNames names = new PeerNames(peer.api());
    List<String> cells = MigrationPage.firstCells(page.section(peer.name()));
    assertThat(cells).hasSizeGreaterThan(4);
    assertThat(cells).flatMap(names::unknown).isEmpty();
  }

  @Test
  void aNameThatTheLibraryDoesNotHaveIsNoticed() {
    PeerNames names = new PeerNames(Peer.ALL.get(0).api());

    assertThat(names.unknown("`lock.lock()`, `getMultiLock(a, b)`, `checkLockSyncedSlaves`"))
        .isEmpty();
    assertThat(
            names.unknown(
                "`lock.lockForever()`, `seize(a)`, `checkAll`, `pace = 3`, `RLocks.class`, plain"))
        .containsExactly("lockForever", "seize", "checkAll", "pace", "RLocks");
  }

  @Test
  void thePageNamesTheVersionsOfTheBuild() throws IOException {
    for (MigrationPage page : MigrationPage.both()) {
      for (Peer peer : Peer.ALL) {
        assertThat(
                Pattern.compile(peer.name() + " (\\d[\\w.]*\\w)")
                    .matcher(page.text())
                    .results()
                    .map(found -> found.group(1)))
            .as("versions of %s in %s", peer, page)
            .isNotEmpty()
            .containsOnly(peer.version());
      }
    }
  }

  @Test
  void redissonHasTheDefaultsOfThePage() {
    Config config = new Config();

    assertThat(config.isCheckLockSyncedSlaves()).isTrue();
    assertThat(config.getSlavesSyncTimeout()).isEqualTo(1_000);
    assertThat(config.getLockWatchdogTimeout()).isEqualTo(30_000);
  }
}
