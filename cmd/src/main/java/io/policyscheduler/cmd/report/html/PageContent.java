package io.policyscheduler.cmd.report.html;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * What a page shows.
 *
 * @param view which scripts show it
 * @param title in a few words
 * @param conclusion what came of it, in sentences
 * @param data what the scripts of the view show
 */
public record PageContent(View view, String title, List<String> conclusion, JsonNode data) {
    public PageContent {
        conclusion = List.copyOf(conclusion);
    }

    /** Kinds of pages. */
    public enum View {
        /** Several ways of deciding. */
        COMPARE("flow.js", "pod-detail.js", "compare.js"),
        /** Pending pods, and what if. */
        SIMULATE("pod-detail.js", "simulate.js"),
        /** One pod. */
        EXPLAIN("pod-detail.js", "explain.js"),
        /** Running pods where they are. */
        AUDIT("audit.js"),
        /** A policy and its configuration, compared where that was asked for. */
        MIGRATE("flow.js", "pod-detail.js", "compare.js", "migrate.js"),
        /** Placements of another scheduler. */
        SHADOW("shadow.js");

        private final List<String> scripts;

        View(String... scripts) {
            this.scripts = List.of(scripts);
        }

        /** The files with its scripts; the last one begins. */
        List<String> scripts() {
            return scripts;
        }
    }
}
