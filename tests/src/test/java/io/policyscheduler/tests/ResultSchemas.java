package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;

/** The schemas of {@code docs/schemas} for what only a cluster at work brings about. */
public final class ResultSchemas {
    private static final ObjectMapper JSON = new ObjectMapper();

    private ResultSchemas() {}

    /** Fails unless a result is as its schema says. */
    public static void assertValid(String name, String result) throws IOException {
        Path schema = RepositoryFiles.root().resolve("docs/schemas/" + name + ".schema.json");
        JsonNode rules = JSON.readTree(schema.toFile());
        assertEquals(
                Set.of(),
                JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
                        .getSchema(rules)
                        .validate(JSON.readTree(result)),
                result);
    }
}
