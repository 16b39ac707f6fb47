package dev.sluice.spring.internal;

import java.util.Map;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches if the settings contain a rule for HTTP requests, complete or not.
 *
 * @since 0.1
 */
public abstract class RulesCondition extends SpringBootCondition {
  private final String property;

  protected RulesCondition(String property) {
    this.property = property;
  }

  @Override
  public ConditionOutcome getMatchOutcome(
      ConditionContext context, AnnotatedTypeMetadata metadata) {
    boolean any =
        Binder.get(context.getEnvironment())
            .bind(property, Bindable.listOf(Map.class))
            .map(rules -> !rules.isEmpty())
            .orElse(false);
    ConditionMessage.Builder because = ConditionMessage.forCondition(property);
    return new ConditionOutcome(any, any ? because.because("set") : because.because("not set"));
  }
}
