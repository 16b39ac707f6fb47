package dev.sluice.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles what documents show, in a package, since nobody scans the default one. */
final class Sources {
  private Sources() {}

  static void compile(
      String name, List<String> imports, String code, Path folder, String classPath) {
    String source =
        "package com.example;\n"
            + imports.stream().map(each -> "import " + each + ";\n").collect(Collectors.joining())
            + code;
    JavaFileObject file =
        new SimpleJavaFileObject(
            URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return source;
          }
        };
    StringWriter complaints = new StringWriter();
    // as Spring Boot's parent POM does: a key's #product is a parameter's name
    List<String> options =
        List.of("-d", folder.toString(), "-cp", classPath, "-nowarn", "-parameters");
    boolean compiled =
        ToolProvider.getSystemJavaCompiler()
            .getTask(complaints, null, null, options, null, List.of(file))
            .call();
    assertThat(compiled).as(complaints.toString()).isTrue();
  }
}
