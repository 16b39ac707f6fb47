package dev.sluice.flashsale.desk;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The Lua scripts beside these classes. */
final class Scripts {
  private Scripts() {}

  static String read(String file) {
    try (InputStream text = Scripts.class.getResourceAsStream(file)) {
      return new String(requireNonNull(text, file).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
