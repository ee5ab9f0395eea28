package io.policyscheduler.cmd.embedded.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.Manifests;
import io.policyscheduler.cmd.embedded.api.SelectionPredicate.FieldSelector;
import io.policyscheduler.engine.cluster.release.Release;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FieldSelectorTest {
    private static final ResourceType PODS = new ResourceCatalog(Release.V1_34).named("pods");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "\"\"|true",
                "spec.nodeName=n1|true",
                "spec.nodeName==n1|true",
                "spec.nodeName!=n1|false",
                "spec.nodeName=|false",
                "spec.nodeName!=|true",
                "status.nominatedNodeName=|true",
                "spec.hostNetwork=false|true",
                "metadata.name=web,metadata.namespace=default|true",
                "metadata.name=web,metadata.namespace=other|false",
                "status.phase!=Succeeded,status.phase!=Failed|true",
                "spec.schedulerName=custom|true",
            })
    void selects(String selector, boolean expected) {
        ObjectNode pod = Manifests.json("{'metadata':{'name':'web','namespace':'default'},"
                + "'spec':{'nodeName':'n1','schedulerName':'custom'},'status':{'phase':'Running'}}");
        assertEquals(expected, FieldSelector.parse(PODS, selector).matches(pod));
    }

    @ParameterizedTest
    @ValueSource(strings = {"spec.nodeName", "=x", "spec.priority=1", "involvedObject.name=web"})
    void refuses(String selector) {
        StatusError error = assertThrows(StatusError.class, () -> FieldSelector.parse(PODS, selector));
        assertEquals(400, error.code());
        assertEquals("BadRequest", error.reason());
    }

    @Test
    void namesTheUnsupportedField() {
        StatusError error = assertThrows(StatusError.class, () -> FieldSelector.parse(PODS, "spec.priority=1"));
        assertEquals("field label not supported: spec.priority", error.getMessage());
    }
}
