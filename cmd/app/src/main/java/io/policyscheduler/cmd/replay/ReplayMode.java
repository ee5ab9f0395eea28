package io.policyscheduler.cmd.replay;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How the scenarios of a recording are decided. */
public enum ReplayMode {
    /** Predicates and priorities as plain functions. */
    FUNCTIONS("legacy"),
    /** The same names as framework plugins. */
    FRAMEWORK("framework"),
    /** The plugins of current releases, for recordings of such a release. */
    MODERN("modern"),
    /** As the release decided that the scenario names. */
    RELEASE("release");

    /** The recorded release of scenarios in {@link #MODERN} that name none. */
    static final Release MODERN_RECORDINGS = new Release(34);

    private static final Release LAST_OF_POLICIES = new Release(22);

    private final String key;

    ReplayMode(String key) {
        this.key = key;
    }

    /** Name of the mode, and key of the recorded outcome in scenarios that name no release. */
    public String key() {
        return key;
    }

    /**
     * The mode that decides a scenario: for {@link #RELEASE} without a release in the scenario, the mode of the older recordings.
     *
     * @param hasPolicy whether a policy or a provider decides the scenario
     * @throws IOException if the release of the scenario is not one, or is older than 1.17
     */
    ReplayMode of(JsonNode scenario, boolean hasPolicy) throws IOException {
        if (this != RELEASE) {
            return this;
        }
        Release release = recorded(scenario);
        if (release == null) {
            return hasPolicy ? FRAMEWORK : MODERN;
        }
        if (!release.atLeast(Release.V1_17.minor())) {
            throw new IOException("release " + release + " is older than " + Release.V1_17);
        }
        return release.equals(Release.V1_17) ? FRAMEWORK : RELEASE;
    }

    /** The key in {@code expected} of the outcome that this mode compares with, which also names the form of outcomes. */
    String outcomeKey(JsonNode scenario) {
        if (this != RELEASE) {
            return key;
        }
        JsonNode expected = scenario.path("expected");
        return Stream.of(RELEASE, MODERN, FRAMEWORK)
                .map(mode -> mode.key)
                .filter(expected::has)
                .findFirst()
                .orElse(key);
    }

    /** The recorded outcome; missing if there is none. */
    JsonNode expected(JsonNode scenario) {
        return scenario.path("expected").path(outcomeKey(scenario));
    }

    /**
     * Whether an outcome of a release has the form of {@code expected.release}, without preemption, and not that of
     * {@code expected.modern}.
     */
    static boolean withoutPreemption(JsonNode scenario, Release release) {
        JsonNode expected = scenario.path("expected");
        return expected.has(RELEASE.key) || (!expected.has(MODERN.key) && release.compareTo(LAST_OF_POLICIES) <= 0);
    }

    /** The release that a scenario was recorded from; null if it does not say. */
    static @Nullable Release recorded(JsonNode scenario) throws IOException {
        JsonNode release = scenario.path("release");
        if (release.isMissingNode()) {
            return null;
        }
        try {
            return Release.parse(release.asText());
        } catch (IllegalArgumentException e) {
            throw new IOException("release: " + e.getMessage(), e);
        }
    }
}
