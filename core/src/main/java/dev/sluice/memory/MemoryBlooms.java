package dev.sluice.memory;

import dev.sluice.SluiceException;
import dev.sluice.spi.BloomBackend;
import dev.sluice.spi.BloomHeader;
import dev.sluice.spi.BloomPart;
import dev.sluice.spi.BloomReply;
import dev.sluice.spi.BloomTouch;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The Bloom filters of a {@link MemoryBackend}, with the same bytes as on a server. */
final class MemoryBlooms implements BloomBackend {
  private final LongSupplier clock;
  private final Map<BloomPart, Bits> parts = new ConcurrentHashMap<>();

  /** Read: bits of one string, under its own lock. Write: which strings there are, and headers. */
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

  /** The last time that became an epoch; guarded by the write lock. */
  private long lastOpened;

  MemoryBlooms(LongSupplier clock) {
    this.clock = clock;
  }

  /** One string, in pages that are allocated when one of their bits is set. */
  private static final class Bits {
    private static final int PAGE_BYTES = 1 << 15;

    final BloomHeader header;
    final long expiresAt;
    private byte[][] pages;

    Bits(BloomHeader header, long expiresAt) {
      this.header = header;
      this.expiresAt = expiresAt;
      this.pages = new byte[1][];
    }

    /** Returns the same bits with another header or expiry. */
    Bits with(BloomHeader newHeader, long newExpiresAt) {
      Bits copy = new Bits(newHeader, newExpiresAt);
      copy.pages = pages;
      return copy;
    }

    boolean get(long bit) {
      return (at(bit >>> 3) & 0x80 >>> (bit & 7)) != 0;
    }

    void set(long bit) {
      page(bit >>> 3)[(int) ((bit >>> 3) % PAGE_BYTES)] |= (byte) (0x80 >>> (bit & 7));
    }

    int at(long at) {
      int number = (int) (at / PAGE_BYTES);
      byte[] page = number < pages.length ? pages[number] : null;
      return page == null ? 0 : page[(int) (at % PAGE_BYTES)];
    }

    void or(long at, byte value) {
      if (value != 0) {
        page(at)[(int) (at % PAGE_BYTES)] |= value;
      }
    }

    private byte[] page(long at) {
      int number = (int) (at / PAGE_BYTES);
      if (number >= pages.length) {
        pages = Arrays.copyOf(pages, Math.max(number + 1, 2 * pages.length));
      }
      if (pages[number] == null) {
        pages[number] = new byte[PAGE_BYTES];
      }
      return pages[number];
    }
  }

  private static <T> CompletionStage<T> done(T value) {
    return CompletableFuture.completedFuture(value);
  }

  private @Nullable Bits live(BloomPart part) {
    Bits bits = parts.get(part);
    return bits == null || bits.expiresAt <= clock.getAsLong() ? null : bits;
  }

  private <T> CompletionStage<T> look(Supplier<T> step) {
    lock.readLock().lock();
    try {
      return done(step.get());
    } finally {
      lock.readLock().unlock();
    }
  }

  private <T> CompletionStage<T> change(Supplier<T> step) {
    lock.writeLock().lock();
    try {
      return done(step.get());
    } catch (SluiceException e) {
      return CompletableFuture.failedFuture(e);
    } finally {
      lock.writeLock().unlock();
    }
  }

  @Override
  public CompletionStage<BloomReply> touch(BloomTouch touch) {
    return look(
        () -> {
          boolean[] full = new boolean[touch.elements()];
          Bits bits = live(touch.part());
          if (bits == null) {
            return new BloomReply(0, 0, full); // there is nothing to set them in
          }
          int k = touch.hashes();
          synchronized (bits) {
            for (int i = 0; i < full.length; i++) {
              boolean all = true;
              for (int j = i * k; j < (i + 1) * k; j++) {
                long bit = BloomHeader.FIRST_BIT + touch.bits()[j];
                all &= bits.get(bit);
                if (touch.set()) {
                  bits.set(bit);
                }
              }
              full[i] = all;
            }
          }
          return new BloomReply(bits.header.format(), bits.header.epoch(), full);
        });
  }

  @Override
  public CompletionStage<@Nullable BloomHeader> header(BloomPart part) {
    return look(
        () -> {
          Bits bits = live(part);
          return bits == null ? null : bits.header;
        });
  }

  @Override
  public CompletionStage<Opened> open(
      BloomPart part, BloomHeader.Opening opening, BloomHeader wanted) {
    return change(
        () -> {
          if (opening != BloomHeader.Opening.PART) {
            sweepExpired();
          }
          Bits stored = live(part);
          lastOpened = Math.max(lastOpened + 1, clock.getAsLong()); // a clock may stand still
          BloomHeader header =
              BloomHeader.open(stored == null ? null : stored.header, opening, wanted, lastOpened);
          if (header == null && stored != null) {
            return new Opened(false, stored.header);
          }
          BloomHeader written = header == null ? wanted : header;
          parts.put(part, new Bits(written, stored == null ? Long.MAX_VALUE : stored.expiresAt));
          return new Opened(true, written);
        });
  }

  @Override
  public CompletionStage<Long> mark(BloomPart part, long epoch, BloomHeader.State state) {
    return change(
        () -> {
          Bits bits = live(part);
          if (bits == null) {
            return 0L;
          }
          BloomHeader header = bits.header.mark(epoch, state, clock.getAsLong());
          parts.put(part, bits.with(header, bits.expiresAt));
          return header.epoch();
        });
  }

  @Override
  public CompletionStage<Boolean> promote(
      String filter, long partition, long nextEpoch, long presentEpoch) {
    BloomPart part = BloomPart.of(filter, partition);
    BloomPart nextPart = new BloomPart(filter, partition, true);
    return change(
        () -> {
          Bits next = live(nextPart);
          Bits present = live(part);
          if (next == null
              || next.header.epoch() != nextEpoch
              || (present == null
                  ? partition == 0 && presentEpoch != 0
                  : present.header.epoch() != presentEpoch)) {
            return false;
          }
          parts.remove(nextPart);
          parts.put(
              part, next.with(next.header, present == null ? next.expiresAt : present.expiresAt));
          return true;
        });
  }

  @Override
  public CompletionStage<Void> abandon(String filter, long partition, long nextEpoch) {
    BloomPart nextPart = new BloomPart(filter, partition, true);
    return change(
            () -> {
              Bits next = live(nextPart);
              if (next != null && next.header.epoch() == nextEpoch) {
                parts.remove(nextPart);
                parts.computeIfPresent(
                    BloomPart.of(filter, partition),
                    (part, bits) -> bits.with(bits.header.alone(), bits.expiresAt));
              }
              return true;
            })
        .thenAccept(done -> {});
  }

  @Override
  public CompletionStage<Void> reserve(BloomPart part, long bytes) {
    return CompletableFuture.completedFuture(null); // pages come when they are needed
  }

  @Override
  public CompletionStage<Long> count(BloomPart part, long fromByte, long toByte) {
    return look(
        () -> {
          Bits bits = live(part);
          long count = 0;
          if (bits != null) {
            synchronized (bits) {
              for (long at = fromByte; at < toByte; at++) {
                count += Integer.bitCount(bits.at(at) & 0xFF);
              }
            }
          }
          return count;
        });
  }

  @Override
  public CompletionStage<byte[]> read(BloomPart part, long fromByte, long toByte) {
    return look(
        () -> {
          Bits bits = live(part);
          if (bits == null) {
            return new byte[0];
          }
          byte[] bytes = new byte[(int) (toByte - fromByte)];
          byte[] header = headerBytes(part, bits.header);
          synchronized (bits) {
            for (int i = 0; i < bytes.length; i++) {
              long at = fromByte + i;
              bytes[i] = at < BloomHeader.BYTES ? header[(int) at] : (byte) bits.at(at);
            }
          }
          return bytes;
        });
  }

  private static byte[] headerBytes(BloomPart part, BloomHeader header) {
    ByteBuffer bytes = ByteBuffer.allocate(BloomHeader.BYTES);
    for (long word : header.words(part.filter())) {
      bytes.putLong(word);
    }
    return bytes.array();
  }

  @Override
  public CompletionStage<Boolean> merge(BloomPart part, long epoch, long fromByte, byte[] bytes) {
    return change(
        () -> {
          Bits target = live(part);
          if (target == null
              || target.header.epoch() != epoch
              || target.header.state() != BloomHeader.State.READY) {
            return false;
          }
          for (int i = 0; i < bytes.length; i++) {
            target.or(fromByte + i, bytes[i]);
          }
          return true;
        });
  }

  @Override
  public CompletionStage<Void> sweep(BloomPart part) {
    return CompletableFuture.completedFuture(null); // no string is ever without a header
  }

  @Override
  public CompletionStage<Boolean> drop(BloomPart part) {
    return change(
        () -> {
          boolean there = live(part) != null;
          parts.remove(part);
          return there;
        });
  }

  @Override
  public CompletionStage<Boolean> expire(BloomPart part, long millis) {
    return change(
        () -> {
          Bits bits = live(part);
          if (bits != null) {
            parts.put(part, bits.with(bits.header, clock.getAsLong() + millis * 1000));
          }
          return bits != null;
        });
  }

  @Override
  public CompletionStage<Long> timeToLive(BloomPart part) {
    return look(
        () -> {
          Bits bits = live(part);
          return bits == null
              ? -2L
              : bits.expiresAt == Long.MAX_VALUE
                  ? -1L
                  : (bits.expiresAt - clock.getAsLong() + 999) / 1000;
        });
  }

  /** Drops everything, as a flushed server does. */
  void clear() {
    parts.clear();
  }

  /** Drops expired filters when a generation begins, which is rare; nothing else grows. */
  private void sweepExpired() {
    long now = clock.getAsLong();
    parts.values().removeIf(bits -> bits.expiresAt <= now);
  }

  /** {@return strings that are remembered} */
  int size() {
    return parts.size();
  }
}
