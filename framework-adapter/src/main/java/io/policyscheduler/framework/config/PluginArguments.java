package io.policyscheduler.framework.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.document.SourcePosition;

/**
 * Arguments of a plugin.
 *
 * @param name the plugin
 * @param position where in the file, unknown for a default
 */
public record PluginArguments(String name, JsonNode args, SourcePosition position) {
    /** Arguments, copied. */
    public PluginArguments {
        args = args.deepCopy();
    }

    /** The arguments with the defaults of their version filled in, a copy; null if the file gives null. */
    @Override
    public JsonNode args() {
        return args.deepCopy();
    }

    /** Whether the file says them. */
    public boolean given() {
        return position.known();
    }

    PluginArguments with(String field, JsonNode value) {
        JsonNode changed = args();
        if (changed instanceof ObjectNode object) {
            object.set(field, value);
        }
        return new PluginArguments(name, changed, position);
    }
}
