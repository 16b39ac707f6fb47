package dev.sluice.spring.cache;

import dev.sluice.cache.Codec;
import dev.sluice.cache.JacksonCodec;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/**
 * Converts values to JSON with the application's mapper. The type is declared, or is that of the
 * annotated methods, found at the first use. Safe for use by many threads.
 */
final class JsonValues implements Codec<Object> {
  private final String cache;
  private final ValueTypes types;
  private final ObjectMapper mapper;
  private @Nullable JavaType declared;
  private volatile @Nullable Codec<Object> codec;

  JsonValues(String cache, BeanFactory beans, ValueTypes types) {
    this.cache = cache;
    this.types = types;
    ObjectMapper theirs = beans.getBeanProvider(ObjectMapper.class).getIfUnique(JsonMapper::shared);
    // Default typing would believe class names in the data.
    this.mapper = theirs.rebuild().deactivateDefaultTyping().build();
  }

  /**
   * Sets the type of values.
   *
   * @param type a class, with its parameters
   * @throws IllegalArgumentException if there is none
   */
  void declare(String type) {
    declared = mapper.getTypeFactory().constructFromCanonical(type);
  }

  private Codec<Object> codec() {
    Codec<Object> known = codec;
    if (known == null) {
      JavaType type = declared == null ? mapper.constructType(types.of(cache)) : declared;
      known = JacksonCodec.of(mapper, type);
      codec = known;
    }
    return known;
  }

  @Override
  public byte[] encode(Object value) {
    return codec().encode(value);
  }

  @Override
  public Object decode(byte[] bytes) {
    return codec().decode(bytes);
  }
}
