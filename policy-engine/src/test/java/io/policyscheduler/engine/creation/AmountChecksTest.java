package io.policyscheduler.engine.creation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.creation.ObjectCreation.RejectedException.InvalidField;
import io.policyscheduler.engine.creation.ObjectCreation.Rules;
import java.io.IOException;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AmountChecksTest {
    private static String problems(String spec, Release release) throws IOException {
        ObjectNode pod = new YAMLMapper().readValue("spec: " + spec, ObjectNode.class);
        return new AmountChecks(Rules.of(FeatureGates.defaults().at(release)))
                .of(pod).stream().map(InvalidField::toString).collect(Collectors.joining(", "));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            nullValues = "-",
            value = {
                "requests: {cpu: 1, memory: 1Gi}, limits: {cpu: 1000m} | -",
                "requests: {cpu: 2}, limits: {cpu: 1} | spec.containers[0].resources.requests: Invalid value: \"2\": must be less"
                        + " than or equal to cpu limit of 1",
                "requests: {a.b/c: 1}, limits: {a.b/c: 1} | -",
                "requests: {a.b/c: 1}, limits: {a.b/c: 2} | spec.containers[0].resources.requests: Invalid value: \"1\": must be"
                        + " equal to a.b/c limit of 2",
                "requests: {a.b/c: 1} | spec.containers[0].resources.limits: Required value: Limit must be set for non"
                        + " overcommitable resources",
                "requests: {kubernetes.io/c: 1} | -",
                "limits: {a.b/c: 500m} | spec.containers[0].resources.limits[a.b/c]: Invalid value: \"500m\": must be an integer",
                "limits: {cpu: -1} | spec.containers[0].resources.limits[cpu]: Invalid value: \"-1\": must be greater than or"
                        + " equal to 0",
                "requests: {pods: 1} | spec.containers[0].resources.requests[pods]: Invalid value: \"pods\": must be a standard"
                        + " resource for containers",
                "limits: {hugepages-2Mi: 2Mi}, requests: {hugepages-2Mi: 2Mi} | spec.containers[0].resources: Forbidden:"
                        + " HugePages require cpu or memory",
            })
    void ofAContainer(String resources, String expected) throws IOException {
        assertEquals(
                expected == null ? "" : expected,
                problems("{containers: [{resources: {" + resources + "}}]}", Release.NEWEST));
    }

    /** As recorded from kube-apiserver 1.20.2. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1500m | value:1500, scale:-3 | 1500m | DecimalSI",
                "1.5   | value:15, scale:-1   | ''    | DecimalSI",
                "5e-1  | value:5, scale:-1    | ''    | DecimalExponent"
            })
    void oldReleasesPrintStructures(String amount, String number, String text, String format) throws IOException {
        assertEquals(
                "spec.containers[0].resources.limits[a.b/c]: Invalid value: resource.Quantity{i:resource.int64Amount{"
                        + number
                        + "}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:\"" + text + "\", Format:\"" + format
                        + "\"}: must be an integer",
                problems("{containers: [{resources: {limits: {a.b/c: '" + amount + "'}}}]}", new Release(20)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            nullValues = "-",
            value = {
                "requests: {cpu: 2} | -",
                "requests: {cpu: 1} | spec.resources.requests[cpu]: Invalid value: \"1\": must be greater than or equal to"
                        + " aggregate container requests of 2",
                "limits: {cpu: 2} | spec.resources.containers[0][cpu].limits: Invalid value: \"3\": must be less than or equal to"
                        + " pod limits of 2",
                "requests: {ephemeral-storage: 1} | spec.resources.requests[ephemeral-storage]: Unsupported value:"
                        + " \"ephemeral-storage\": supported values: \"cpu\", \"hugepages-\", \"memory\"",
            })
    void ofAPodAsAWhole(String resources, String expected) throws IOException {
        String spec =
                "{resources: {" + resources + "}, containers: [{resources: {requests: {cpu: 2}, limits: {cpu: 3}}}]}";
        assertEquals(expected == null ? "" : expected, problems(spec, Release.NEWEST));
        assertEquals("", problems(spec, Release.parse("1.33")));
    }
}
