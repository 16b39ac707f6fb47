package dev.sluice.build;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds links and images of Markdown pages that lead to no file, or to no heading of it. */
final class DocumentLinks {
  private static final Pattern FENCED = Pattern.compile("(?ms)^ *```.*?^ *```");
  private static final Pattern INLINE_CODE = Pattern.compile("(?s)(`+)(?!`)[^\n]*?(?<!`)\\1(?!`)");
  private static final Pattern LINK =
      Pattern.compile(
          "\\]\\(<?([^()\\s>]*)>?(?:\\s+\"[^\"]*\")?\\)"
              + "|(?m:^ {0,3}\\[[^\\]]+\\]:\\s*(\\S+))"
              + "|(?i:\\b(?:href|src)=\"([^\"]+)\")");
  private static final Pattern HEADING = Pattern.compile("(?m)^ {0,3}#{1,6}[ \\t]+(.*?)[ \\t#]*$");
  private static final Pattern NAMED = Pattern.compile("(?i)<a\\s+(?:id|name)=\"([^\"]+)\"");
  private static final Pattern LABEL = Pattern.compile("!?\\[([^\\]]*)\\]\\([^)]*\\)");
  private static final Set<String> GENERATED = Set.of("target", "node_modules", "build");

  private final Path root;
  private final Map<Path, Set<String>> anchors = new HashMap<>();

  DocumentLinks(Path root) {
    this.root = root;
  }

  /** {@return all Markdown pages of the tree, in order of their paths} */
  static List<Path> pages(Path root) throws IOException {
    List<Path> pages = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            String name = folder.getFileName().toString();
            boolean hidden = name.startsWith(".") && !name.equals(".github");
            return !folder.equals(root) && (hidden || GENERATED.contains(name))
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.toString().endsWith(".md")) {
              pages.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    pages.sort(null);
    return pages;
  }

  /** {@return the broken links of a page, each as a sentence; empty if there are none} */
  List<String> broken(Path page) throws IOException {
    List<String> found = new ArrayList<>();
    String from = root.relativize(page).toString().replace('\\', '/');
    for (String link : links(page)) {
      if (link.contains("://") || link.startsWith("mailto:")) {
        continue;
      }
      int hash = link.indexOf('#');
      String target = decoded(hash < 0 ? link : link.substring(0, hash));
      Path to = (target.isEmpty() ? page : page.resolveSibling(target)).normalize();
      if (!Files.exists(to)) {
        found.add(from + " links to " + target + ", which is not there");
      } else if (hash >= 0 && to.toString().endsWith(".md")) {
        String anchor = decoded(link.substring(hash + 1));
        if (!anchors(to).contains(anchor)) {
          found.add(from + " links to " + target + "#" + anchor + ", which is no heading");
        }
      }
    }
    return found;
  }

  /** {@return the files that a page links to, without anchors} */
  static Set<Path> targets(Path page) throws IOException {
    Set<Path> targets = new HashSet<>();
    for (String link : links(page)) {
      String target = decoded(link.replaceFirst("#.*", ""));
      if (!link.contains("://") && !target.isEmpty()) {
        targets.add(page.resolveSibling(target).normalize());
      }
    }
    return targets;
  }

  private static List<String> links(Path page) throws IOException {
    String prose = FENCED.matcher(Files.readString(page)).replaceAll("");
    Matcher link = LINK.matcher(INLINE_CODE.matcher(prose).replaceAll("code"));
    List<String> links = new ArrayList<>();
    while (link.find()) {
      for (int group = 1; group <= link.groupCount(); group++) {
        if (link.group(group) != null) {
          links.add(link.group(group));
        }
      }
    }
    return links;
  }

  private Set<String> anchors(Path page) throws IOException {
    Set<String> known = anchors.get(page);
    if (known == null) {
      known = anchorsOf(Files.readString(page));
      anchors.put(page, known);
    }
    return known;
  }

  /** {@return the anchors of a text: those GitHub makes of its headings, and named ones} */
  static Set<String> anchorsOf(String text) {
    String prose = FENCED.matcher(text).replaceAll("");
    Set<String> found = new HashSet<>();
    Map<String, Integer> uses = new HashMap<>();
    Matcher heading = HEADING.matcher(prose);
    while (heading.find()) {
      String slug = slug(heading.group(1));
      int before = uses.merge(slug, 1, Integer::sum) - 1;
      found.add(before == 0 ? slug : slug + "-" + before);
    }
    Matcher named = NAMED.matcher(prose);
    while (named.find()) {
      found.add(named.group(1));
    }
    return found;
  }

  /** Letters, digits, marks, hyphens and underscores stay; each space becomes a hyphen. */
  private static String slug(String heading) {
    String text = LABEL.matcher(heading).replaceAll("$1").strip().toLowerCase(Locale.ROOT);
    return text.replaceAll("[^\\p{L}\\p{N}\\p{M}\\p{Pc} -]", "").replace(' ', '-');
  }

  private static String decoded(String text) {
    return text.contains("%")
        ? URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8)
        : text;
  }
}
