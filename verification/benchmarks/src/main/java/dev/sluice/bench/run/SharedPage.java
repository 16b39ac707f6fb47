package dev.sluice.bench.run;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * One page of memory that all processes of a measurement map. The plain fields are written under
 * the lock that is measured and nothing else, so a lock that lets two in loses updates.
 */
public final class SharedPage {
  private static final int SIZE = 4096;
  private static final int COUNTER = 0;
  private static final int RELEASED_AT = 256;
  private static final int RELEASED_BY = 264;
  private static final int TURN = 512;
  private static final int LOADS = 768;
  private static final int LOADER = 776;
  private static final int LOADED_AT = 1024;

  private static final VarHandle LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private final ByteBuffer page;

  private SharedPage(ByteBuffer page) {
    this.page = page.order(ByteOrder.nativeOrder());
  }

  /** Maps a file, making it where it does not exist. */
  public static SharedPage map(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return new SharedPage(channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE));
    }
  }

  /** Read, add, write: not atomic, on purpose. */
  public void increment() {
    page.putLong(COUNTER, page.getLong(COUNTER) + 1);
  }

  long count() {
    return (long) LONG.getVolatile(page, COUNTER);
  }

  /** Notes who is about to release, and when. Process numbers start at 1. */
  public void releasing(int process, long nanos) {
    page.putLong(RELEASED_AT, nanos);
    page.putLong(RELEASED_BY, process);
  }

  /** {@return when the last holder was about to release, 0 for none so far} */
  public long releasedAt() {
    return page.getLong(RELEASED_AT);
  }

  long releasedBy() {
    return page.getLong(RELEASED_BY);
  }

  /** Whose turn it is, outside of the lock; 0 until a process has set it. */
  long turn() {
    return (long) LONG.getVolatile(page, TURN);
  }

  void turn(long process) {
    LONG.setVolatile(page, TURN, process);
  }

  /** Notes that a load begins; {@return which one it is, from 1} */
  public long loadBegins(long process) {
    LONG.compareAndSet(page, LOADER, 0L, process);
    return (long) LONG.getAndAdd(page, LOADS, 1L) + 1;
  }

  /** Notes when a load ends; the first one counts. */
  public void loadEnds(long nanos) {
    LONG.compareAndSet(page, LOADED_AT, 0L, nanos);
  }

  /** {@return how many loads have begun} */
  public long loads() {
    return (long) LONG.getVolatile(page, LOADS);
  }

  /** {@return who loaded first; 0 for none so far} */
  public long loader() {
    return (long) LONG.getVolatile(page, LOADER);
  }

  /** {@return when the first load ended; 0 for none so far} */
  public long loadedAt() {
    return (long) LONG.getVolatile(page, LOADED_AT);
  }

  /** Begins to count loads again. */
  public void forgetLoads() {
    LONG.setVolatile(page, LOADED_AT, 0L);
    LONG.setVolatile(page, LOADER, 0L);
    LONG.setVolatile(page, LOADS, 0L);
  }
}
