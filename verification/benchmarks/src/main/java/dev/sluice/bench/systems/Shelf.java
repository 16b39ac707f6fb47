package dev.sluice.bench.systems;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** One cache of a library, shared by the threads of a process. */
public interface Shelf {
  /** {@return the value, loaded where it is not cached; null for absent} */
  byte @Nullable [] get(String key);

  /** Stores one value under all keys. */
  void stock(Collection<String> keys, byte[] value) throws Exception;

  /** Drops a key everywhere, so that the next reader has to load it. */
  void drop(String key);
}
