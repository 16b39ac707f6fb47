package dev.sluice.spring.cache;

import dev.sluice.cache.Codec;
import dev.sluice.cache.JacksonCodec;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/**
 * Values as JSON by the application's mapper, of a type that was declared or that annotated methods
 * return; found out at the first use, when those are known. Safe for use by many threads.
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
   * Says what values are.
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
