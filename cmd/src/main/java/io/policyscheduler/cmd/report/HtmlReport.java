package io.policyscheduler.cmd.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.io.Resources;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A report as one HTML file that loads nothing from elsewhere: the page, its script and the data all in it. */
public final class HtmlReport {
    private static final ObjectMapper JSON = new ObjectMapper();

    private HtmlReport() {}

    /**
     * Writes the file.
     *
     * @param data what the page's script shows: a comparison or a what-if simulation
     * @throws IOException when the file cannot be written
     */
    public static void write(Path file, JsonNode data) throws IOException {
        Files.writeString(file, text(data));
    }

    /** The page. */
    static String text(JsonNode data) throws IOException {
        // Nothing in the data can end the element that it stands in.
        String json = JSON.writeValueAsString(data).replace("<", "\\u003c");
        return resource("report.html")
                .replace("/*STYLE*/", resource("report.css").strip())
                .replace("/*SCRIPT*/", resource("report.js").strip())
                .replace("/*DATA*/", json);
    }

    private static String resource(String name) throws IOException {
        return Resources.toString(Resources.getResource(HtmlReport.class, name), StandardCharsets.UTF_8);
    }
}
