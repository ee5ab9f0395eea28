package io.policyscheduler.cmd.embedded.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.admission.Defaults.NewerPodFields;
import org.junit.jupiter.api.Test;

class NewerPodFieldsTest {
    private static final String TERM = "{'topologyKey':'zone','labelSelector':{'matchLabels':{'a':'b'}},"
            + "'namespaceSelector':{},'matchLabelKeys':['app','absent'],'mismatchLabelKeys':['tier']}";

    private static ObjectNode json(String text) throws JsonProcessingException {
        return (ObjectNode) new ObjectMapper().readTree(text.replace('\'', '"'));
    }

    @Test
    void whatV117DidNotKnowIsDropped() throws JsonProcessingException {
        ObjectNode spec = json("{'topologySpreadConstraints':[],'overhead':{},'preemptionPolicy':'Never',"
                + "'schedulingGates':[],'resourceClaims':[],'resources':{},'os':{},'nodeName':'n',"
                + "'containers':[{'name':'a','resizePolicy':[],'resources':{'requests':{'cpu':'1'}}}],"
                + "'initContainers':[{'name':'i','restartPolicy':'Always'}],"
                + "'volumes':[{'name':'v','ephemeral':{}},{'name':'w','emptyDir':{}}],"
                + "'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[" + TERM + "]},"
                + "'podAntiAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':"
                + "[{'weight':1,'podAffinityTerm':" + TERM + "}]}}}");
        NewerPodFields.drop(spec);
        String kept = "{'topologyKey':'zone','labelSelector':{'matchLabels':{'a':'b'}}}";
        assertEquals(
                json("{'nodeName':'n','containers':[{'name':'a','resources':{'requests':{'cpu':'1'}}}],"
                        + "'initContainers':[{'name':'i'}],'volumes':[{'name':'v'},{'name':'w','emptyDir':{}}],"
                        + "'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[" + kept
                        + "]},'podAntiAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':"
                        + "[{'weight':1,'podAffinityTerm':" + kept + "}]}}}"),
                spec);
    }
}
