package io.policyscheduler.cmd.page;

import com.google.common.collect.ImmutableMap;
import com.google.common.io.Resources;
import io.policyscheduler.cmd.report.HtmlReport.PlotLibrary;
import io.policyscheduler.cmd.server.Exchange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** Files for the browser among the resources, with headers that block content from other origins. */
public final class PageFiles {
    /** The browser loads and runs only content of this origin. */
    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
                    + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private static final String HTML = "text/html; charset=utf-8";
    private static final String SCRIPT = "text/javascript; charset=utf-8";
    private static final String STYLE = "text/css; charset=utf-8";
    private static final ImmutableMap<String, String> TYPES =
            ImmutableMap.of("html", HTML, "js", SCRIPT, "css", STYLE, "svg", "image/svg+xml");
    /** Placeholder in the page. */
    private static final String ADDITION = "ADDITION";

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

    private final ImmutableMap<String, File> files;

    private PageFiles(Map<String, File> files) {
        this.files = ImmutableMap.copyOf(files);
    }

    /**
     * Those of the page: its own, and those of the library that draws the plots.
     *
     * @param addition name of the additional view, whose script is {@code /NAME/NAME.js}; empty for none
     */
    static PageFiles ofPage(String addition) {
        ImmutableMap.Builder<String, File> all = ImmutableMap.builder();
        File index = file(resource("index.html"), "index.html");
        String text = new String(index.content(), StandardCharsets.UTF_8);
        all.put("/", new File(index.type(), text.replace(ADDITION, addition).getBytes(StandardCharsets.UTF_8)));
        all.putAll(of("/ui/", PageFiles.class, List.of(OWN)).files);
        for (String name : new String[] {PlotLibrary.SCRIPT, PlotLibrary.STYLE}) {
            all.put("/ui/" + name, file(PlotLibrary.file(name), name));
        }
        return new PageFiles(all.buildOrThrow());
    }

    /**
     * Others.
     *
     * @param folder path in front of the names, with slashes
     * @param beside a class in the package of the files
     */
    public static PageFiles of(String folder, Class<?> beside, List<String> names) {
        ImmutableMap.Builder<String, File> all = ImmutableMap.builder();
        for (String name : names) {
            all.put(folder + name, file(Resources.getResource(beside, name), name));
        }
        return new PageFiles(all.buildOrThrow());
    }

    private static URL resource(String name) {
        return Resources.getResource(PageFiles.class, name);
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

    /** Responds with a file; returns false if there is none at the path. */
    public boolean answer(Exchange exchange) {
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
