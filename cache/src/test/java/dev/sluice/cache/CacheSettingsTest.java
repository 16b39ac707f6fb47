package dev.sluice.cache;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.Sluice;
import org.junit.jupiter.api.Test;

class CacheSettingsTest {

  /** Half a gigabyte is not made for this: the check is asked itself. */
  @Test
  void valueAboveWhatTheStoreHoldsIsRefused() {
    try (Sluice sluice = Sluice.connect("memory:")) {
      CacheSettings<Long, byte[]> settings =
          new CacheSettings<>(
              sluice, "products", CacheOptions.of(Long.class, Codec.bytes()).checked(), null);
      settings.checkSize(511L << 20, 7L);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> settings.checkSize(512L << 20, 7L))
          .withMessageContaining("at most 512 MB")
          .withMessageContaining("'7' of cache 'products'");
    }
  }
}
