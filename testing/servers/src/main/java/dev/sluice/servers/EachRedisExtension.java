package dev.sluice.servers;

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

/** The extension of {@link EachRedis}. */
final class EachRedisExtension implements ClassTemplateInvocationContextProvider {
  /** Which of the programs. */
  private static final String PROGRAMS = System.getProperty("sluice.redis.programs", "first");

  @Override
  public boolean supportsClassTemplate(ExtensionContext context) {
    return true;
  }

  @Override
  public Stream<ClassTemplateInvocationContext> provideClassTemplateInvocationContexts(
      ExtensionContext context) {
    RedisBinary.any(); // says what is missing where there is none
    return chosen(RedisBinary.all(), PROGRAMS).stream().map(Run::new);
  }

  static List<RedisBinary> chosen(List<RedisBinary> found, String which) {
    return switch (which) {
      case "all" -> found;
      case "first" -> found.subList(0, 1);
      case "rest" -> found.size() > 1 ? found.subList(1, found.size()) : found;
      default -> {
        if (!which.contains("/")) {
          throw new IllegalArgumentException(
              "sluice.redis.programs is first, rest, all, or a list of paths; got " + which);
        }
        yield found; // those paths
      }
    };
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
        server = RedisServer.startWithClock(binary);
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
