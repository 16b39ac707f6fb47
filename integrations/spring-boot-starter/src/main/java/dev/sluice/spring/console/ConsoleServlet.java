package dev.sluice.spring.console;

import dev.sluice.console.Console;
import dev.sluice.console.http.ConsoleRequest;
import dev.sluice.console.http.ConsoleResponse;
import dev.sluice.spring.internal.IpAddresses;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;

/**
 * The console inside a servlet application, behind the filters of the application. A page that is
 * watched holds one thread of the server; the console bounds their number.
 */
final class ConsoleServlet extends HttpServlet {
  private static final long serialVersionUID = 1L;

  private final transient Console console;

  ConsoleServlet(Console console) {
    this.console = console;
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    String path = request.getPathInfo();
    if (path == null) { // without the slash, the page would look for its files beside it
      String mapped = request.getServletPath();
      response.setStatus(HttpServletResponse.SC_FOUND);
      // relative: a proxy may have changed the scheme, the port and the start of the path
      response.setHeader("Location", mapped.substring(mapped.lastIndexOf('/') + 1) + "/");
      return;
    }
    ConsoleResponse answer = console.handle(request(request, path));
    response.setStatus(answer.status());
    answer.headers().forEach(response::setHeader);
    ConsoleResponse.Stream stream = answer.stream();
    boolean wantsBody = !request.getMethod().equals("HEAD");
    if (stream != null) {
      stream.writeTo(wantsBody ? response.getOutputStream() : new Nobody());
    } else {
      response.setContentLength(answer.body().length);
      if (wantsBody) {
        response.getOutputStream().write(answer.body());
      }
    }
  }

  /** The client has disconnected: the stream must still run, to end its sampling. */
  private static final class Nobody extends OutputStream {
    @Override
    public void write(int b) throws IOException {
      throw new IOException("the client has disconnected");
    }
  }

  private static ConsoleRequest request(HttpServletRequest request, String path)
      throws IOException {
    String remote = request.getRemoteAddr();
    return new ConsoleRequest(
        request.getMethod(),
        path,
        request.getQueryString(),
        request::getHeader,
        request.getInputStream(),
        remote == null ? null : IpAddresses.parse(remote));
  }
}
