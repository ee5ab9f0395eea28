package io.policyscheduler.cmd.extender.client;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.preemption.PreemptionResult.Victims;
import io.policyscheduler.framework.extender.ExtenderException;
import io.policyscheduler.framework.extender.PreemptRules;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * The bodies of requests. Keys are Go field names, and what is not used is written as null. Mirrors
 * {@code pkg/scheduler/apis/extender/v1/types.go}.
 */
final class ExtenderRequest {
    private interface Content {
        void write(JsonGenerator json) throws IOException;
    }

    private final RawObjects objects;
    private final boolean namesOnly;
    private final JsonFactory factory = new JsonFactory();

    /** @param namesOnly nodes are named ({@code nodeCacheCapable}), and victims given by their UID */
    ExtenderRequest(RawObjects objects, boolean namesOnly) {
        this.objects = objects;
        this.namesOnly = namesOnly;
    }

    byte[] nodes(PodInfo pod, List<String> nodes) throws ExtenderException {
        return body(json -> {
            json.writeFieldName("Pod");
            json.writeRawValue(objects.pod(pod));
            if (namesOnly) {
                json.writeNullField("Nodes");
                json.writeArrayFieldStart("NodeNames");
                for (String node : nodes) {
                    json.writeString(node);
                }
                json.writeEndArray();
            } else {
                json.writeObjectFieldStart("Nodes");
                json.writeObjectFieldStart("metadata");
                json.writeEndObject();
                json.writeArrayFieldStart("items");
                for (String node : nodes) {
                    json.writeRawValue(objects.node(node));
                }
                json.writeEndArray();
                json.writeEndObject();
                json.writeNullField("NodeNames");
            }
        });
    }

    byte[] victims(PodInfo pod, SortedMap<String, Victims> candidates, PreemptRules rules) throws ExtenderException {
        return body(json -> {
            json.writeFieldName("Pod");
            json.writeRawValue(objects.pod(pod));
            if (namesOnly) {
                json.writeNullField("NodeNameToVictims");
            }
            json.writeObjectFieldStart(namesOnly ? "NodeNameToMetaVictims" : "NodeNameToVictims");
            for (Map.Entry<String, Victims> candidate : candidates.entrySet()) {
                json.writeObjectFieldStart(candidate.getKey());
                writeVictims(json, candidate.getValue(), !namesOnly || rules.countsInShortForm());
                json.writeEndObject();
            }
            json.writeEndObject();
            if (!namesOnly) {
                json.writeNullField("NodeNameToMetaVictims");
            }
        });
    }

    private void writeVictims(JsonGenerator json, Victims victims, boolean counts) throws IOException {
        json.writeArrayFieldStart("Pods");
        for (PodInfo victim : victims.pods()) {
            if (namesOnly) {
                json.writeStartObject();
                json.writeStringField("UID", victim.uid());
                json.writeEndObject();
            } else {
                json.writeRawValue(objects.pod(victim));
            }
        }
        json.writeEndArray();
        json.writeNumberField("NumPDBViolations", counts ? victims.budgetViolations() : 0);
    }

    byte[] binding(PodInfo pod, String node) throws ExtenderException {
        return body(json -> {
            json.writeStringField("PodName", pod.name());
            json.writeStringField("PodNamespace", pod.namespace());
            json.writeStringField("PodUID", pod.uid());
            json.writeStringField("Node", node);
        });
    }

    private byte[] body(Content content) throws ExtenderException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator json = factory.createGenerator(bytes)) {
            json.writeStartObject();
            content.write(json);
            json.writeEndObject();
        } catch (IOException e) {
            throw ExtenderException.refused(String.valueOf(e.getMessage()));
        }
        return bytes.toByteArray();
    }
}
