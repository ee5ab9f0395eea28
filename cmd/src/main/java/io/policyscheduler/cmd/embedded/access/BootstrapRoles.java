package io.policyscheduler.cmd.embedded.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The roles and bindings that a cluster begins with, as far as they matter to schedulers and to those who ask them. */
public final class BootstrapRoles {
    private static final String FILE = "bootstrap-roles.yaml";

    private BootstrapRoles() {}

    /** The objects, as manifests. */
    public static List<JsonNode> manifests() {
        try {
            String text = Resources.toString(Resources.getResource(BootstrapRoles.class, FILE), StandardCharsets.UTF_8);
            try (MappingIterator<JsonNode> documents =
                    new YAMLMapper().readerFor(JsonNode.class).readValues(text)) {
                return List.copyOf(documents.readAll());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
