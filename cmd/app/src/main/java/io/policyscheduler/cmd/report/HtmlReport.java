package io.policyscheduler.cmd.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.ImmutableMap;
import com.google.common.hash.Hashing;
import com.google.common.html.HtmlEscapers;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A report as one self-contained HTML file with its scripts and data. Its Content-Security-Policy allows only these scripts, so
 * that data cannot run code.
 */
public final class HtmlReport {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern SLOT = Pattern.compile("\\{\\{(\\w+)}}");
    private static final List<String> COMMON = List.of("dom.js", "table.js", "plots.js", "frame.js");

    private HtmlReport() {}

    /**
     * Writes the file.
     *
     * @throws IOException when the file cannot be written
     */
    public static void write(Path file, PageContent content, Origin origin) throws IOException {
        Files.writeString(file, text(content, origin));
    }

    /** The page. */
    static String text(PageContent content, Origin origin) throws IOException {
        String style = text(PlotLibrary.file(PlotLibrary.STYLE)) + "\n" + resource("report.css");
        String script = script(content.view());
        String conclusion = content.conclusion().stream()
                .map(sentence -> "<p>" + escaped(sentence) + "</p>")
                .collect(Collectors.joining("\n"));
        Map<String, String> values = ImmutableMap.<String, String>builder()
                .put("policy", policy(style, script))
                .put("title", escaped(content.title()))
                .put("conclusion", conclusion)
                .put("origin", origin(origin))
                .put("style", style)
                .put("data", data(content.data()))
                .put("script", script)
                .buildOrThrow();
        // In one pass, so that a placeholder in an inserted text is not replaced.
        return SLOT.matcher(resource("report.html"))
                .replaceAll(slot -> Matcher.quoteReplacement(values.getOrDefault(slot.group(1), "")));
    }

    /** Escapes the data, so that it cannot close its element. */
    private static String data(JsonNode data) throws IOException {
        return JSON.writeValueAsString(data).replace("<", "\\u003c");
    }

    private static String script(PageContent.View view) throws IOException {
        List<String> names = new ArrayList<>(COMMON);
        names.addAll(view.scripts());
        StringBuilder own = new StringBuilder();
        for (String name : names) {
            own.append(resource(name));
        }
        return text(PlotLibrary.file(PlotLibrary.SCRIPT)) + "\n(() => {\n\"use strict\";\n" + own + "})();\n";
    }

    private static String policy(String style, String script) {
        return "default-src 'none'; script-src '" + hash(script) + "'; style-src '" + hash(style)
                + "'; img-src data:; base-uri 'none'; form-action 'none'";
    }

    private static String hash(String text) {
        byte[] hash = Hashing.sha256().hashString(text, StandardCharsets.UTF_8).asBytes();
        return "sha256-" + Base64.getEncoder().encodeToString(hash);
    }

    private static String origin(Origin origin) {
        StringBuilder text = new StringBuilder("<dl class=\"origin\">\n");
        String when = origin.when().truncatedTo(ChronoUnit.SECONDS).toString();
        entry(
                text,
                "Created",
                "<time datetime=\"" + when + "\">" + when.replace('T', ' ').replace("Z", " UTC") + "</time> by "
                        + escaped(origin.version()));
        entry(text, "Command", "<code>" + escaped(origin.command()) + "</code>");
        if (!origin.files().isEmpty()) {
            StringBuilder files = new StringBuilder("<details><summary>")
                    .append(
                            origin.files().size() == 1
                                    ? "1 file"
                                    : origin.files().size() + " files")
                    .append(" read, with SHA-256</summary><ul>\n");
            for (Origin.Source file : origin.files()) {
                files.append("<li><code>").append(escaped(file.name())).append("</code><br><code class=\"soft\">");
                files.append(escaped(file.sha256())).append("</code></li>\n");
            }
            entry(text, "Files", files.append("</ul></details>").toString());
        }
        return text.append("</dl>").toString();
    }

    private static void entry(StringBuilder text, String name, String markup) {
        text.append("<dt>").append(name).append("</dt><dd>").append(markup).append("</dd>\n");
    }

    private static String escaped(String text) {
        return HtmlEscapers.htmlEscaper().escape(text);
    }

    private static String resource(String name) throws IOException {
        return text(Resources.getResource(HtmlReport.class, "html/" + name));
    }

    private static String text(URL resource) throws IOException {
        return Resources.toString(resource, StandardCharsets.UTF_8);
    }

    /**
     * The command and inputs of a report, to reproduce it.
     *
     * @param when when it was made
     * @param version program and version
     * @param command the command line
     * @param files input files, in the order of the command line
     */
    public record Origin(Instant when, String version, String command, List<Source> files) {
        public Origin {
            files = List.copyOf(files);
        }

        /**
         * A file that was read.
         *
         * @param name as on the command line
         * @param sha256 of its content, in hexadecimal digits
         */
        public record Source(String name, String sha256) {}
    }

    /**
     * The content of a page.
     *
     * @param view which scripts show it
     * @param title a few words
     * @param conclusion the answer in sentences
     * @param data content for the scripts of the view
     */
    public record PageContent(View view, String title, List<String> conclusion, JsonNode data) {
        public PageContent {
            conclusion = List.copyOf(conclusion);
        }

        /** Kinds of pages. */
        public enum View {
            /** A comparison of schedulers. */
            COMPARE("flow.js", "pod-detail.js", "compare.js"),
            /** A simulation. */
            SIMULATE("pod-detail.js", "simulate.js"),
            /** An explanation of one pod. */
            EXPLAIN("pod-detail.js", "explain.js"),
            /** Running pods where they are. */
            AUDIT("audit.js"),
            /** A policy and its configuration, with a comparison if it was requested. */
            MIGRATE("flow.js", "pod-detail.js", "compare.js", "migrate.js"),
            /** Placements of another scheduler. */
            SHADOW("shadow.js"),
            /** Runs of a trace under one or several schedulers. */
            LAB("lab-parts.js", "lab.js"),
            /** Runs of a sweep. */
            LAB_SWEEP("lab-parts.js", "lab-sweep.js"),
            /** A search for weights. */
            LAB_TUNE("lab-parts.js", "lab-tune.js");

            private final List<String> scripts;

            View(String... scripts) {
                this.scripts = List.of(scripts);
            }

            /** The script files; the last one is the entry point. */
            List<String> scripts() {
                return scripts;
            }
        }
    }

    /** The library that draws plots in pages, as it comes with this program. */
    public static final class PlotLibrary {
        /** Name of the script, which defines {@code uPlot}. */
        public static final String SCRIPT = "uPlot.iife.min.js";
        /** Name of the style. */
        public static final String STYLE = "uPlot.min.css";

        private PlotLibrary() {}

        /** The resource of a file. */
        public static URL file(String name) {
            return Resources.getResource("META-INF/resources/webjars/uplot/" + version() + "/dist/" + name);
        }

        private static String version() {
            Properties versions = new Properties();
            try (InputStream in = Resources.getResource(PlotLibrary.class, "html/libraries.properties")
                    .openStream()) {
                versions.load(in);
            } catch (IOException e) {
                throw new UncheckedIOException("this program is incomplete", e);
            }
            return versions.getProperty("uplot", "");
        }
    }
}
