package dev.sluice.build;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/**
 * The dependencies between boxes.
 *
 * @param uses names of boxes, and those whose classes they name
 * @param finds those that their POM brings along and no class names: found at run time
 */
record ArchitectureGraph(
    SortedMap<String, SortedSet<String>> uses, SortedMap<String, SortedSet<String>> finds) {

  static ArchitectureGraph empty() {
    return new ArchitectureGraph(new TreeMap<>(), new TreeMap<>());
  }

  void box(String name) {
    uses.computeIfAbsent(name, none -> new TreeSet<>());
    finds.computeIfAbsent(name, none -> new TreeSet<>());
  }

  void uses(String from, String to) {
    box(from);
    box(to);
    if (!from.equals(to)) {
      uses.get(from).add(to);
    }
  }

  void finds(String from, String to) {
    box(from);
    box(to);
    if (!uses.get(from).contains(to)) {
      finds.get(from).add(to);
    }
  }

  SortedSet<String> targets(String from) {
    SortedSet<String> all = new TreeSet<>(uses.get(from));
    all.addAll(finds.get(from));
    return all;
  }

  /**
   * The graph as a Mermaid flow chart. An arrow is left out if others lead to the same box; a
   * dashed one is {@link #finds found at run time}.
   *
   * @throws IllegalStateException if arrows form a circle
   */
  String toMermaid() {
    StringBuilder chart = new StringBuilder("flowchart TD\n");
    for (String from : uses.keySet()) {
      SortedSet<String> near = targets(from);
      SortedSet<String> far = new TreeSet<>();
      near.forEach(to -> reach(to, List.of(from), far));
      if (near.isEmpty() && uses.keySet().stream().noneMatch(box -> targets(box).contains(from))) {
        chart.append("  ").append(from).append('\n');
      }
      arrows(chart, from, " --> ", uses.get(from), far);
      arrows(chart, from, " -.-> ", finds.get(from), far);
    }
    return chart.toString();
  }

  private static void arrows(
      StringBuilder chart, String from, String arrow, SortedSet<String> to, SortedSet<String> far) {
    to.stream()
        .filter(box -> !far.contains(box))
        .forEach(box -> chart.append("  ").append(from).append(arrow).append(box).append('\n'));
  }

  /** Collects what can be reached from a box. */
  private void reach(String box, List<String> path, SortedSet<String> reached) {
    if (path.contains(box)) {
      throw new IllegalStateException("a circle of arrows: " + path + ", " + box);
    }
    List<String> longer = new ArrayList<>(path);
    longer.add(box);
    for (String to : targets(box)) {
      if (reached.add(to) || path.contains(to)) {
        reach(to, longer, reached);
      }
    }
  }

  /** The classes of modules, as they were compiled. */
  static JavaClasses classes(Path root, List<String> modules) {
    return new ClassFileImporter()
        .importPaths(
            modules.stream()
                .map(module -> root.resolve(module).resolve("target/classes"))
                .toList());
  }

  /** Arrows between modules. */
  static ArchitectureGraph ofModules(Path root, List<String> modules, JavaClasses classes)
      throws Exception {
    Map<String, String> homes = new HashMap<>();
    for (JavaClass each : classes) {
      for (String module : modules) {
        if (isOf(module, each)) {
          homes.put(each.getPackageName(), name(module));
        }
      }
    }
    ArchitectureGraph graph = empty();
    modules.forEach(module -> graph.box(name(module)));
    for (Dependency each : dependencies(classes)) {
      String to = homes.get(packageOf(each.getTargetClass()));
      if (to != null) {
        graph.uses(homes.get(packageOf(each.getOriginClass())), to);
      }
    }
    for (String module : modules) {
      for (String to : brought(root.resolve(module).resolve("pom.xml"))) {
        if (graph.uses.containsKey(to)) {
          graph.finds(name(module), to);
        }
      }
    }
    return graph;
  }

  /** What a module is called: its artifact without the {@code sluice-}. */
  private static String name(String folder) {
    return folder.substring(folder.lastIndexOf('/') + 1).replaceFirst("^sluice-", "");
  }

  /** Arrows between packages of core. All throw the exceptions of the root, which is left out. */
  static ArchitectureGraph ofCore(JavaClasses classes) {
    ArchitectureGraph graph = empty();
    for (Dependency each : dependencies(classes)) {
      String to = packageOf(each.getTargetClass());
      if (to.startsWith("dev.sluice.") && isOf("core", each.getOriginClass())) {
        graph.uses(inCore(packageOf(each.getOriginClass())), inCore(to));
      }
    }
    return graph;
  }

  private static String inCore(String name) {
    return name.replaceFirst("^dev\\.sluice\\.?", "").replaceFirst("^$", "root");
  }

  private static boolean isOf(String module, JavaClass type) {
    String file = type.getSource().orElseThrow().getUri().toString();
    return file.contains("/" + module + "/target/classes/");
  }

  private static List<Dependency> dependencies(JavaClasses classes) {
    return classes.stream().flatMap(each -> each.getDirectDependenciesFromSelf().stream()).toList();
  }

  private static String packageOf(JavaClass type) {
    return type.getBaseComponentType().getPackageName();
  }

  /** Modules of ours that a POM names outside of test scope. */
  private static SortedSet<String> brought(Path pom) throws Exception {
    Element project =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(pom.toFile())
            .getDocumentElement();
    SortedSet<String> found = new TreeSet<>();
    NodeList all = project.getElementsByTagName("dependency");
    for (int i = 0; i < all.getLength(); i++) {
      Element each = (Element) all.item(i);
      boolean direct = each.getParentNode().getParentNode().equals(project);
      String artifact = text(each, "artifactId");
      if (direct && artifact.startsWith("sluice-") && !text(each, "scope").equals("test")) {
        found.add(artifact.substring("sluice-".length()));
      }
    }
    return found;
  }

  private static String text(Element parent, String child) {
    Node found = parent.getElementsByTagName(child).item(0);
    return found == null ? "" : found.getTextContent().strip();
  }
}
