package io.policyscheduler.cmd.embedded.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.Manifests;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import io.policyscheduler.engine.cluster.release.Release;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EventValidationTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1.20 | events.k8s.io/v1 | involvedObject.namespace, reportingController, type",
                "1.22 | events.k8s.io/v1 | reportingController, type",
                "1.26 | v1 | reportingComponent",
                "1.25 | v1 | reportingController",
                "1.20 | events.k8s.io/v1beta1 | involvedObject.namespace, reportingController"
            })
    void aNewEvent(String release, String apiVersion, String fields) {
        ObjectNode event = event();
        event.remove("type");
        event.put("reportingComponent", "Not a name!");
        event.withObject("involvedObject").remove("namespace");
        assertEquals(fields, fields(EventValidation.create(event, apiVersion, Release.parse(release))));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1.23 | events.k8s.io/v1 | ''",
                "1.24 | events.k8s.io/v1 | involvedObject, message, reportingController",
                "1.24 | v1               | ''"
            })
    void fieldsOfAnEventAreImmutableSince124(String release, String apiVersion, String fields) {
        ObjectNode changed = event();
        changed.withObject("involvedObject").put("name", "q");
        changed.put("message", "other");
        changed.put("reportingComponent", "other");
        assertEquals(fields, fields(EventValidation.update(event(), changed, apiVersion, Release.parse(release))));
    }

    private static ObjectNode event() {
        return Manifests.json("{'metadata':{'name':'e','namespace':'default'},"
                + "'involvedObject':{'namespace':'default','name':'p'},'eventTime':'2024-01-01T00:00:00.000000Z',"
                + "'type':'Normal','reason':'r','action':'a','reportingComponent':'c','reportingInstance':'i'}");
    }

    private static String fields(List<Cause> causes) {
        return String.join(", ", causes.stream().map(Cause::field).toList());
    }
}
