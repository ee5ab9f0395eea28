package io.policyscheduler.cmd.embedded.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.admission.Defaults.NewerPodFields;
import io.policyscheduler.engine.cluster.release.Release;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class NewerPodFieldsTest {
    private static final String TERM = "{'topologyKey':'zone','labelSelector':{'matchLabels':{'a':'b'}},"
            + "'namespaceSelector':{},'matchLabelKeys':['app','absent'],'mismatchLabelKeys':['tier']}";

    private static ObjectNode json(String text) throws JsonProcessingException {
        return (ObjectNode) new ObjectMapper().readTree(text.replace('\'', '"'));
    }

    private static final String SPEC = "{'topologySpreadConstraints':[{'maxSkew':1,'minDomains':2}],'overhead':{},"
            + "'preemptionPolicy':'Never','schedulingGates':[],'resourceClaims':[],'resources':{},'os':{},'nodeName':'n',"
            + "'containers':[{'name':'a','resizePolicy':[],'resources':{'requests':{'cpu':'1'}}}],"
            + "'initContainers':[{'name':'i','restartPolicy':'Always'}],"
            + "'volumes':[{'name':'v','ephemeral':{}},{'name':'w','emptyDir':{}}],"
            + "'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[" + TERM + "]},"
            + "'podAntiAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':"
            + "[{'weight':1,'podAffinityTerm':" + TERM + "}]}}}";

    private static String affinity(String more) {
        String kept = "{'topologyKey':'zone','labelSelector':{'matchLabels':{'a':'b'}}" + more + "}";
        return "'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[" + kept
                + "]},'podAntiAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':"
                + "[{'weight':1,'podAffinityTerm':" + kept + "}]}}";
    }

    static Stream<Arguments> kept() {
        String container = "'containers':[{'name':'a','resources':{'requests':{'cpu':'1'}}}],";
        return Stream.of(
                Arguments.of(
                        17,
                        "{'nodeName':'n'," + container + "'initContainers':[{'name':'i'}],"
                                + "'volumes':[{'name':'v'},{'name':'w','emptyDir':{}}]," + affinity("") + "}"),
                Arguments.of(
                        24,
                        "{'topologySpreadConstraints':[{'maxSkew':1}],'overhead':{},'preemptionPolicy':'Never','os':{},"
                                + "'nodeName':'n'," + container + "'initContainers':[{'name':'i'}],"
                                + "'volumes':[{'name':'v','ephemeral':{}},{'name':'w','emptyDir':{}}],"
                                + affinity(",'namespaceSelector':{}") + "}"),
                Arguments.of(34, SPEC));
    }

    @ParameterizedTest
    @MethodSource("kept")
    void aReleaseDropsTheFieldsThatItDoesNotHave(int minor, String expected) throws JsonProcessingException {
        ObjectNode spec = json(SPEC);
        NewerPodFields.drop(spec, new Release(minor));
        assertEquals(json(expected), spec);
    }
}
