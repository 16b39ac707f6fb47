package dev.sluice.bench.pictures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.limit.Limit;
import dev.sluice.servers.SourceTree;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;

class LimitPicturesTest {
  private static final Path DOCS = SourceTree.path("docs");
  private static final Duration SECOND = Duration.ofSeconds(1);

  @Test
  void whatIsPublishedIsWhatTheArithmeticDoes() throws IOException {
    Path folder = DOCS.resolve("images/limits");
    LimitPictures.draw()
        .forEach(
            (file, picture) ->
                assertThat(folder.resolve(file))
                    .as("stale: run ./sluice bench limit-pictures")
                    .hasContent(picture));
    try (Stream<Path> published = Files.list(folder)) {
      assertThat(published.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(LimitPictures.draw().keySet());
    }
    assertThat(Files.readString(DOCS.resolve("limit-algorithms.md")))
        .as("its table of numbers: run ./sluice bench limit-pictures")
        .contains(LimitPictures.table());
  }

  @Test
  void everyPictureIsWellFormed() throws Exception {
    for (String picture : LimitPictures.draw().values()) {
      var root =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(new ByteArrayInputStream(picture.getBytes(StandardCharsets.UTF_8)))
              .getDocumentElement();
      assertThat(root.getNodeName()).isEqualTo("svg");
      assertThat(root.getElementsByTagName("path").getLength()).isEqualTo(4);
    }
  }

  @Test
  void noWindowHoldsMoreThanItsBound() {
    assertThat(most(Limit.slidingLog(10, SECOND))).isEqualTo(10);
    assertThat(most(Limit.slidingWindow(10, SECOND))).isEqualTo(10);
    assertThat(most(Limit.leakyQueue(10, SECOND).places(10))).isEqualTo(10);
    assertThat(most(Limit.fixedWindow(10, SECOND))).isBetween(11, 20);
    assertThat(most(Limit.expiringWindow(10, SECOND))).isBetween(11, 20);
    assertThat(most(Limit.tokenBucket(10, SECOND))).isBetween(11, 19);
  }

  @Test
  void threeNamesOfOneArithmetic() {
    Trace bucket = Trace.of(Limit.tokenBucket(10, SECOND));
    assertThat(List.of(Limit.leakyBucket(10, SECOND), Limit.gcra(10, SECOND)))
        .allSatisfy(limit -> assertThat(Trace.of(limit)).isEqualTo(bucket));
  }

  private static int most(Limit limit) {
    return Trace.of(limit).worst().count();
  }
}
