package dev.sluice.testkit;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterClassTemplateInvocationCallback;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContext;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContextProvider;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** What stands behind {@link EachRedis}. */
final class EachRedisExtension implements ClassTemplateInvocationContextProvider {
  /** How many of the programs; the first ones, and at least one. */
  private static final int PROGRAMS =
      Integer.getInteger("sluice.redis.programs", Integer.MAX_VALUE);

  @Override
  public boolean supportsClassTemplate(ExtensionContext context) {
    return true;
  }

  @Override
  public Stream<ClassTemplateInvocationContext> provideClassTemplateInvocationContexts(
      ExtensionContext context) {
    RedisBinary.any(); // says what is missing where there is none
    return RedisBinary.all().stream().limit(Math.max(1, PROGRAMS)).map(Run::new);
  }

  /** All tests of one class on one program. */
  private static final class Run
      implements ClassTemplateInvocationContext,
          ParameterResolver,
          AfterClassTemplateInvocationCallback {
    private final RedisBinary binary;
    private @Nullable RedisServer server;

    Run(RedisBinary binary) {
      this.binary = binary;
    }

    @Override
    public String getDisplayName(int invocationIndex) {
      return binary.toString();
    }

    @Override
    public List<Extension> getAdditionalExtensions() {
      return List.of(this);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      Class<?> type = parameter.getParameter().getType();
      return type == RedisServer.class || type == RedisBinary.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      return parameter.getParameter().getType() == RedisBinary.class ? binary : server();
    }

    private synchronized RedisServer server() {
      if (server == null) {
        server = RedisServer.start(binary);
      }
      return server;
    }

    @Override
    public synchronized void afterClassTemplateInvocation(ExtensionContext context) {
      if (server != null) {
        server.close();
        server = null;
      }
    }
  }
}
