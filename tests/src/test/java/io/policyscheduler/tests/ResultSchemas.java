package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;

/** Checks results that only a running cluster produces against {@code docs/schemas}. */
public final class ResultSchemas {
    private static final ObjectMapper JSON = new ObjectMapper();

    private ResultSchemas() {}

    /** Fails unless a result conforms to its schema. */
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
