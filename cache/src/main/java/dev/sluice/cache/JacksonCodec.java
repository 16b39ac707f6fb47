package dev.sluice.cache;

import static java.util.Objects.requireNonNull;

import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;

/**
 * Encodes values as JSON with the application's Jackson 3. Only the type that was named is made of
 * what is read; no class name in the data is believed.
 *
 * @param <V> values
 * @since 0.1
 */
public final class JacksonCodec<V> implements Codec<V> {
  private final ObjectReader reader;
  private final ObjectWriter writer;

  private JacksonCodec(ObjectMapper mapper, JavaType type) {
    this.reader = mapper.readerFor(type);
    this.writer = mapper.writerFor(type);
  }

  /**
   * A codec.
   *
   * @param mapper the application's
   * @param type what values are
   * @param <V> values
   * @return the codec
   */
  public static <V> JacksonCodec<V> of(ObjectMapper mapper, Class<V> type) {
    requireNonNull(mapper, "mapper must not be null");
    return new JacksonCodec<>(
        mapper, mapper.constructType(requireNonNull(type, "type must not be null")));
  }

  /**
   * A codec for values of a generic type.
   *
   * @param mapper the application's
   * @param type what values are, with its parameters
   * @param <V> values
   * @return the codec
   */
  public static <V> JacksonCodec<V> of(ObjectMapper mapper, JavaType type) {
    return new JacksonCodec<>(
        requireNonNull(mapper, "mapper must not be null"),
        requireNonNull(type, "type must not be null"));
  }

  @Override
  public byte[] encode(V value) {
    return writer.writeValueAsBytes(value);
  }

  @Override
  public V decode(byte[] bytes) {
    return reader.readValue(bytes);
  }
}
