package dev.sluice.spring;

import dev.sluice.limit.Decision;
import dev.sluice.limit.RateLimiter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ReflectionUtils;

/** One annotated method, read once: checked, its expression parsed, its fallback found. */
final class RateLimitedCall {
  private static final SpelExpressionParser PARSER = new SpelExpressionParser();
  private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

  final RateLimiter limiter;
  final long permits;
  final boolean async;
  private final String place;
  private final Method method;
  private final Expression key;
  private final BeanFactoryResolver beans;
  private final @Nullable Method fallback;

  /**
   * @throws SettingException if the annotation cannot work
   */
  RateLimitedCall(
      RateLimited annotation,
      Method method,
      Class<?> type,
      RateLimiters limiters,
      BeanFactory beans) {
    this.place = "@RateLimited at " + type.getSimpleName() + "." + method.getName();
    this.method = method;
    this.permits = annotation.permits();
    this.beans = new BeanFactoryResolver(beans);
    Class<?> result = method.getReturnType();
    this.async =
        CompletionStage.class.isAssignableFrom(result)
            && result.isAssignableFrom(CompletableFuture.class);
    try {
      this.limiter = limiters.get(annotation.limiter());
    } catch (IllegalArgumentException e) {
      throw wrong(String.valueOf(e.getMessage()));
    }
    limiters.checkCost(place, annotation.limiter(), permits);
    this.key = parse(annotation.key());
    this.fallback = annotation.fallback().isEmpty() ? null : fallback(annotation.fallback(), type);
  }

  private SettingException wrong(String problem) {
    return new SettingException(place, problem);
  }

  private Expression parse(String text) {
    SpelExpression parsed;
    try {
      parsed = PARSER.parseRaw(text);
    } catch (ParseException | IllegalStateException | IllegalArgumentException e) {
      throw wrong("key '" + text + "' is no expression: " + e.getMessage());
    }
    checkVariables(parsed.getAST());
    return parsed;
  }

  /** A misspelt parameter would be null at every call. */
  private void checkVariables(SpelNode node) {
    if (node instanceof VariableReference variable) {
      String name = variable.toStringAST().substring(1);
      Set<String> known = variables();
      if (!known.contains(name)) {
        throw wrong("key knows no #" + name + ": there are " + String.join(", ", known));
      }
    }
    for (int i = 0; i < node.getChildCount(); i++) {
      checkVariables(node.getChild(i));
    }
  }

  private Set<String> variables() {
    Set<String> known = new TreeSet<>(Set.of("root", "this"));
    for (int i = 0; i < method.getParameterCount(); i++) {
      known.add("p" + i);
      known.add("a" + i);
    }
    String[] names = NAMES.getParameterNames(method);
    if (names != null) {
      known.addAll(Arrays.asList(names));
    }
    return known;
  }

  private Method fallback(String name, Class<?> type) {
    Class<?>[] same = method.getParameterTypes();
    Class<?>[] more = Arrays.copyOf(same, same.length + 1);
    more[same.length] = Decision.class;
    Method found = ReflectionUtils.findMethod(type, name, more);
    if (found == null) {
      found = ReflectionUtils.findMethod(type, name, same);
    }
    if (found == null || !method.getReturnType().isAssignableFrom(found.getReturnType())) {
      throw wrong(
          "fallback '"
              + name
              + "' must be a method of "
              + type.getSimpleName()
              + " that takes the same parameters, and a Decision last if it wants one, and returns "
              + method.getReturnType().getSimpleName());
    }
    ReflectionUtils.makeAccessible(found);
    return found;
  }

  String key(Object target, @Nullable Object[] arguments) {
    MethodBasedEvaluationContext context =
        new MethodBasedEvaluationContext(target, method, arguments, NAMES);
    context.setBeanResolver(beans);
    Object value = key.getValue(context);
    if (value == null) {
      throw new IllegalArgumentException(
          place + ": key '" + key.getExpressionString() + "' is null");
    }
    return value.toString();
  }

  /** Answers a refused call: by the fallback, or by an exception. */
  @Nullable Object refused(Object target, @Nullable Object[] arguments, Decision decision)
      throws Throwable {
    if (fallback == null) {
      throw new RateLimitedException(limiter.name(), decision);
    }
    @Nullable Object[] all = Arrays.copyOf(arguments, fallback.getParameterCount());
    if (all.length > arguments.length) {
      all[arguments.length] = decision;
    }
    try {
      return fallback.invoke(target, all);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }
}
