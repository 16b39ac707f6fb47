package dev.sluice.bench.migration;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of a library that a table may use: types, methods, attributes of annotations, constants
 * and settings.
 */
final class PeerNames {
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  /** Of a variable or an argument the table may choose the name. */
  private static final Pattern NAME =
      Pattern.compile(
          "\\b[A-Z]\\w*|\\b[a-z]\\w*(?=\\()|\\b[a-z]\\w*(?= = )|(?<=\\.)[a-z]\\w*|^[a-z]\\w*$");

  private final Set<String> known = new HashSet<>(Set.of("class"));

  PeerNames(List<Class<?>> api) {
    for (Class<?> type : api) {
      known.add(type.getSimpleName());
      for (Field field : type.getFields()) {
        known.add(field.getName());
      }
      for (Method method : type.getMethods()) {
        known.add(method.getName());
        if (method.getName().matches("set[A-Z].*")) {
          known.add(setting(method.getName()));
        }
      }
    }
  }

  private static String setting(String setter) {
    return Character.toLowerCase(setter.charAt(3)) + setter.substring(4);
  }

  /**
   * The names that the library does not have.
   *
   * @param cell the text of a cell, with code between backquotes
   * @return the names, empty when the library has all
   */
  List<String> unknown(String cell) {
    List<String> unknown = new ArrayList<>();
    Matcher code = CODE.matcher(cell);
    while (code.find()) {
      NAME.matcher(code.group(1).replaceAll("\"[^\"]*\"", "\"\""))
          .results()
          .map(name -> name.group())
          .filter(name -> !known.contains(name))
          .forEach(unknown::add);
    }
    return unknown;
  }
}
