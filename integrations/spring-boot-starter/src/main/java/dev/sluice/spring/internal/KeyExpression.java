package dev.sluice.spring.internal;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
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

/**
 * The parsed key expression of an annotation.
 *
 * @since 0.1
 */
public final class KeyExpression {
  private static final SpelExpressionParser PARSER = new SpelExpressionParser();
  private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

  private final String place;
  private final Method method;
  private final Expression key;
  private final BeanFactoryResolver beans;

  /**
   * @param place the annotation, as messages name it
   * @throws SettingException if the text is no expression, or names no parameter
   */
  public KeyExpression(String place, String text, Method method, BeanFactory beans) {
    this.place = place;
    this.method = method;
    this.beans = new BeanFactoryResolver(beans);
    this.key = parse(text);
  }

  private Expression parse(String text) {
    SpelExpression parsed;
    try {
      parsed = PARSER.parseRaw(text);
    } catch (ParseException | IllegalStateException | IllegalArgumentException e) {
      throw new SettingException(
          place, "key '" + text + "' is not an expression: " + e.getMessage());
    }
    checkVariables(parsed.getAST());
    return parsed;
  }

  /** A misspelt parameter would be null in every call. */
  private void checkVariables(SpelNode node) {
    if (node instanceof VariableReference variable) {
      String name = variable.toStringAST().substring(1);
      Set<String> known = variables();
      if (!known.contains(name)) {
        throw new SettingException(
            place, "key has no variable #" + name + ": there are " + String.join(", ", known));
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

  /**
   * {@return the key of a call}
   *
   * @throws IllegalArgumentException if it is null
   */
  public String of(Object target, @Nullable Object[] arguments) {
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
}
