package io.policyscheduler.framework.modern.device;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.document.GoDuration;
import java.time.Duration;

/**
 * The arguments of {@link DynamicResources}.
 *
 * @param filterTimeout how long the search for devices may take on a node; zero for as long as it takes
 */
record DynamicResourcesArgs(Duration filterTimeout) {
    private static final Duration DEFAULT = Duration.ofSeconds(10);

    static DynamicResourcesArgs of(JsonNode args) {
        JsonNode text = args.path("filterTimeout");
        return new DynamicResourcesArgs(text.isTextual() ? GoDuration.parse(text.asText()) : DEFAULT);
    }
}
