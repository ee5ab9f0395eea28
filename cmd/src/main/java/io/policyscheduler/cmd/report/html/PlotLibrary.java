package io.policyscheduler.cmd.report.html;

import com.google.common.io.Resources;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Properties;

/** The library that draws plots in pages, as it comes with this program. */
public final class PlotLibrary {
    /** Name of the script, which defines {@code uPlot}. */
    public static final String SCRIPT = "uPlot.iife.min.js";
    /** Name of the style. */
    public static final String STYLE = "uPlot.min.css";

    private PlotLibrary() {}

    /** Where one of the two files is. */
    public static URL file(String name) {
        return Resources.getResource("META-INF/resources/webjars/uplot/" + version() + "/dist/" + name);
    }

    private static String version() {
        Properties versions = new Properties();
        try (InputStream in =
                Resources.getResource(PlotLibrary.class, "libraries.properties").openStream()) {
            versions.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException("this program is incomplete", e);
        }
        return versions.getProperty("uplot", "");
    }
}
