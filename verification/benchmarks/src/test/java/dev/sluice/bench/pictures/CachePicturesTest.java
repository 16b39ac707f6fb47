package dev.sluice.bench.pictures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.servers.SourceTree;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

class CachePicturesTest {
  private static final Path PUBLISHED = SourceTree.path("docs/images/cache");
  private static CachePictures pictures;

  @BeforeAll
  static void play() throws InterruptedException {
    pictures = CachePictures.play();
  }

  @Test
  void livesThatDifferSpreadWhatExpires() {
    double[] plain = pictures.avalanche().plain();
    double[] guarded = pictures.avalanche().guarded();
    assertThat(sum(plain)).as("every key is loaded once").isGreaterThan(0.9 * 4 * Avalanche.KEYS);
    assertThat(sum(guarded)).isGreaterThan(0.9 * 4 * Avalanche.KEYS);
    assertThat(CachePictures.peak(guarded)).isLessThan(CachePictures.peak(plain) / 3);
  }

  private static double sum(double[] rates) {
    return Arrays.stream(rates).sum();
  }

  @Test
  void theGuardAnswersWhatDoesNotExist() {
    var plain = pictures.penetration().get(0);
    var absent = pictures.penetration().get(1);
    var guarded = pictures.penetration().get(2);
    assertThat(plain.random()).isEqualTo(Penetration.ASKED);
    assertThat(plain.repeated()).isEqualTo(Penetration.ASKED);
    assertThat(absent.random()).isEqualTo(Penetration.ASKED);
    assertThat(absent.repeated()).isEqualTo(100);
    assertThat(guarded.random()).isBetween(1L, Penetration.ASKED / 50L);
    assertThat(guarded.repeated()).isLessThan(20);
  }

  @Test
  void oneReaderOfAllLoadsAHotKey() {
    var plain = pictures.breakdown().plain();
    var guarded = pictures.breakdown().guarded();
    assertThat(plain.most()).isGreaterThan(8);
    assertThat(guarded.most()).isEqualTo(1);
    assertThat(guarded.loads()).isBetween(1, 6);
  }

  @Test
  void everyPictureIsWellFormedAndPublished() throws Exception {
    for (var picture : pictures.draw().entrySet()) {
      Element root =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(new ByteArrayInputStream(picture.getValue().getBytes(StandardCharsets.UTF_8)))
              .getDocumentElement();
      assertThat(root.getNodeName()).isEqualTo("svg");
      assertThat(root.getElementsByTagName("rect").getLength()).isGreaterThan(4);
      assertThat(PUBLISHED.resolve(picture.getKey())).exists();
    }
  }
}
