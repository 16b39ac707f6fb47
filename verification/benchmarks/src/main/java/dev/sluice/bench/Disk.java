package dev.sluice.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Locale;

/** The cost of a forced write where the servers keep their data: it bounds every durable write. */
final class Disk {
  private static final int WRITES = 300;
  private static final int BYTES = 512;

  private Disk() {}

  static String describe() {
    try {
      Path file = Files.createTempFile("sluice-bench", ".disk");
      try {
        return Files.getFileStore(file).type()
            + ", "
            + BYTES
            + " bytes appended and forced to the disk in "
            + median(file)
            + " us (median of "
            + WRITES
            + ", after the run)";
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      return "unknown: " + e.getMessage();
    }
  }

  private static String median(Path file) throws IOException {
    long[] nanos = new long[WRITES];
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.APPEND)) {
      for (int i = 0; i < WRITES; i++) {
        long began = System.nanoTime();
        channel.write(ByteBuffer.allocate(BYTES));
        channel.force(false);
        nanos[i] = System.nanoTime() - began;
      }
    }
    Arrays.sort(nanos);
    return String.format(Locale.ROOT, "%.0f", nanos[WRITES / 2] / 1e3);
  }
}
