package io.policyscheduler.cmd.page;

import com.google.common.collect.ImmutableMap;
import com.google.common.io.Resources;
import io.policyscheduler.cmd.server.Exchange;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Map;
import java.util.Properties;

/** The files of the page: its own, and those of the library that draws the plots. */
final class PageFiles {
    /** Nothing is run, shown or asked that does not come from here. */
    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
                    + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private static final String HTML = "text/html; charset=utf-8";
    private static final String SCRIPT = "text/javascript; charset=utf-8";
    private static final String STYLE = "text/css; charset=utf-8";
    private static final ImmutableMap<String, String> TYPES =
            ImmutableMap.of("html", HTML, "js", SCRIPT, "css", STYLE, "svg", "image/svg+xml");
    private static final String[] OWN = {
        "page.css",
        "icon.svg",
        "main.js",
        "dom.js",
        "route.js",
        "stream.js",
        "overview.js",
        "plots.js",
        "nodes.js",
        "node-canvas.js",
        "pending.js",
        "decisions.js",
        "pod.js",
        "policy.js",
        "amounts.js"
    };

    private record File(String type, byte[] content) {}

    private final Map<String, File> files;

    PageFiles() {
        ImmutableMap.Builder<String, File> all = ImmutableMap.builder();
        all.put("/", file(resource("index.html"), "index.html"));
        for (String name : OWN) {
            all.put("/ui/" + name, file(resource(name), name));
        }
        String plots = "META-INF/resources/webjars/uplot/" + version("uplot") + "/dist/";
        for (String name : new String[] {"uPlot.iife.min.js", "uPlot.min.css"}) {
            all.put("/ui/" + name, file(Resources.getResource(plots + name), name));
        }
        files = all.buildOrThrow();
    }

    private static URL resource(String name) {
        return Resources.getResource(PageFiles.class, name);
    }

    private static String version(String library) {
        Properties versions = new Properties();
        try (InputStream in = resource("libraries.properties").openStream()) {
            versions.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException("this program is incomplete", e);
        }
        return versions.getProperty(library, "");
    }

    private static File file(URL resource, String name) {
        String type = TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), HTML);
        try {
            return new File(type, Resources.toByteArray(resource));
        } catch (IOException e) {
            throw new UncheckedIOException("this program is incomplete", e);
        }
    }

    /** How long all files are together, in bytes. */
    int bytes() {
        return files.values().stream().mapToInt(file -> file.content().length).sum();
    }

    /** Answers with a file; false when there is none at the path. */
    boolean answer(Exchange exchange) {
        File file = files.get(exchange.path());
        if (file == null) {
            return false;
        }
        exchange.responseHeader("Content-Security-Policy", POLICY);
        exchange.responseHeader("X-Content-Type-Options", "nosniff");
        exchange.responseHeader("Referrer-Policy", "no-referrer");
        exchange.responseHeader("Cross-Origin-Resource-Policy", "same-origin");
        exchange.answer(200, file.type(), file.content());
        return true;
    }
}
