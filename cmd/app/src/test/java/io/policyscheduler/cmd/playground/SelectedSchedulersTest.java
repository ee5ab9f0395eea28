package io.policyscheduler.cmd.playground;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.playground.Playground.PlaygroundException;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import org.junit.jupiter.api.Test;

class SelectedSchedulersTest {
    private static final FeatureGates GATES = FeatureGates.defaults().at(Release.NEWEST);

    private static ArrayNode choices(String... deciders) {
        ArrayNode choices = JsonNodeFactory.instance.arrayNode();
        for (String decider : deciders) {
            choices.addObject().put("decider", decider).put("name", "").put("text", "");
        }
        return choices;
    }

    private static String refused(ArrayNode choices) {
        return String.valueOf(assertThrows(PlaygroundException.class, () -> SelectedSchedulers.read(choices, GATES))
                .getMessage());
    }

    @Test
    void aClusterHasTheDefaultsOfItsRelease() {
        assertEquals(
                "modern", SelectedSchedulers.standard(GATES).choices().get(0).decider());
        assertEquals(
                "provider:DefaultProvider",
                SelectedSchedulers.standard(FeatureGates.defaults().at(Release.parse("1.17")))
                        .choices()
                        .get(0)
                        .decider());
    }

    @Test
    void theOrderIsKept() {
        SelectedSchedulers chosen =
                SelectedSchedulers.read(choices("provider:ClusterAutoscalerProvider", "modern"), GATES);
        assertEquals(
                "provider:ClusterAutoscalerProvider", chosen.first().source().name());
        assertEquals(2, chosen.deciders().size());
    }

    @Test
    void tooFewTooManyAndUnknownOnesAreRefused() {
        assertEquals("1 to 6 schedulers can be selected, not 0", refused(choices()));
        assertEquals(
                "1 to 6 schedulers can be selected, not 7",
                refused(choices("modern", "modern", "modern", "modern", "modern", "modern", "modern")));
        assertEquals("no text named p", refused(choices("policy:p")));
        assertEquals("configmap:kube-system/p needs a cluster", refused(choices("configmap:p")));
        ArrayNode twice = choices("policy:p", "strict:policy:p");
        twice.forEach(one -> ((ObjectNode) one).put("name", "p"));
        ((ObjectNode) twice.get(1)).put("text", "other");
        assertEquals("two schedulers have the name p", refused(twice));
    }

    @Test
    void theExtendersOfAPolicyAreNotCalled() {
        ArrayNode one = choices("policy:p");
        ((ObjectNode) one.get(0))
                .put("name", "p")
                .put(
                        "text",
                        "{\"kind\": \"Policy\", \"apiVersion\": \"v1\", \"extenders\": [{\"urlPrefix\":"
                                + " \"http://127.0.0.1:1/\", \"filterVerb\": \"filter\"}]}");
        assertEquals(
                "p: warning W036: the extenders are not called",
                SelectedSchedulers.read(one, GATES).warnings().get(0));
    }
}
