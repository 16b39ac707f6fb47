package dev.sluice.bench.scale;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The limits of a machine.
 *
 * @param openFiles of one process
 * @param freeBytes memory that can be had without hurting anybody
 */
record Limits(long openFiles, long freeBytes) {
  private static final String AVAILABLE = "MemAvailable:";

  static Limits ofThisMachine() {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long files =
        system instanceof UnixOperatingSystemMXBean unix
            ? unix.getMaxFileDescriptorCount()
            : Long.MAX_VALUE;
    return new Limits(files, available(system));
  }

  /** Free memory does not count the caches that Linux gives up when asked. */
  private static long available(OperatingSystemMXBean system) {
    try {
      return Files.readAllLines(Path.of("/proc/meminfo")).stream()
          .filter(line -> line.startsWith(AVAILABLE))
          .map(line -> line.replaceAll("\\D", ""))
          .mapToLong(kib -> Long.parseLong(kib) << 10)
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      return system.getFreeMemorySize();
    }
  }
}
