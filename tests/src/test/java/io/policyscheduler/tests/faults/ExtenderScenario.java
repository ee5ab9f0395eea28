package io.policyscheduler.tests.faults;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.tests.e2e.Manifest;
import java.util.List;

/** Two extenders, one of them ignorable, that filter pods and victims. In no step can the scheduler choose between equal nodes. */
final class ExtenderScenario {
    private final FaultServer server;
    private final ScriptedExtenders extenders;
    private final ScenarioSteps steps;

    ExtenderScenario(FaultServer server, ScriptedExtenders extenders) {
        this.server = server;
        this.extenders = extenders;
        this.steps = new ScenarioSteps(server);
    }

    /** Takes all steps. Returns the state after each one. */
    List<String> run() {
        server.load(Manifest.priorityClass("scheduling.k8s.io/v1", "low", 10));
        server.load(Manifest.priorityClass("scheduling.k8s.io/v1", "middle", 20));
        server.load(Manifest.priorityClass("scheduling.k8s.io/v1", "high", 1000));
        for (String node : List.of("n0", "n1", "n2")) {
            server.load(ScenarioSteps.node(node, "2", "{}"));
        }
        filtering();
        failing();
        preempting();
        return steps.lines();
    }

    private void filtering() {
        extenders.on("filter", "one", "{'NodeNames':['n1'],'FailedNodes':{'n0':'no licence','n2':'no licence'}}");
        server.load(Manifest.pod("one", "100m"));
        steps.step("one node is left", () -> steps.isBound("one"));
        extenders.on(
                "prioritize", "best", "[{'Host':'n0','Score':0},{'Host':'n1','Score':1},{'Host':'n2','Score':10}]");
        server.load(Manifest.pod("best", "100m"));
        steps.step("one node is the best", () -> steps.isBound("best"));
        extenders.on(
                "filter",
                "nobody",
                "{'NodeNames':[],'FailedNodes':{'n0':'busy','n1':'busy'},'FailedAndUnresolvableNodes':{'n2':'never'}}");
        server.load(Manifest.pod("nobody", "100m"));
        steps.step("no node is left", () -> steps.waits("nobody"));
        extenders.on("filter", "nobody", "{'NodeNames':['n0']}");
        steps.merge("/api/v1/nodes/n0", "{'metadata':{'labels':{'any':'change'}}}");
        steps.step("any change has it asked again", () -> steps.isBound("nobody"));
        extenders.on("filter", "nothing", "{}");
        server.load(Manifest.pod("nothing", "100m"));
        steps.step("an answer says nothing", () -> steps.waits("nothing"));
        extenders.on("filter", "nothing", "{'NodeNames':['n0']}");
        steps.merge("/api/v1/nodes/n0", "{'metadata':{'labels':{'any':'other'}}}");
        steps.step("the next one does", () -> steps.isBound("nothing"));
    }

    private void failing() {
        extenders.on("filter", "broken", ScriptedExtenders.FAILURE);
        server.load(Manifest.pod("broken", "100m"));
        steps.await("a call fails", () -> steps.saysWith("broken", "SchedulerError", "code 500"));
        extenders.on("filter", "broken", "{'NodeNames':['n0']}");
        steps.step("the next one does not", () -> steps.isBound("broken"));
        extenders.on("filter", "refused", "{'Error':'out of licences'}");
        server.load(Manifest.pod("refused", "100m"));
        steps.step("an extender refuses", () -> steps.saysWith("refused", "SchedulerError", "licences"));
        extenders.on("filter", "refused", "{'NodeNames':['n0']}");
        steps.step("and thinks better of it", () -> steps.isBound("refused"));
        extenders.on("filter", "spared", "{'NodeNames':['n2']}");
        extenders.on("spare-filter", "spared", ScriptedExtenders.FAILURE);
        server.load(Manifest.pod("spared", "100m"));
        steps.step("one that is not needed fails", () -> steps.isBound("spared"));
        for (String pod : List.of("one", "best", "nobody", "nothing", "broken", "refused", "spared")) {
            steps.delete(pod);
            steps.awaitGone(pod);
        }
    }

    private void preempting() {
        extenders.on("preempt", "chosen", request -> only(request, "n2"));
        fill();
        preemptor("chosen");
        steps.step("an extender leaves one node", () -> steps.hasEvicted("chosen", "v2"));
        steps.delete("v2");
        steps.step("where the pod goes then", () -> steps.isBound("chosen"));
        empty("chosen");
        fill();
        extenders.on("preempt", "violating", request -> violations(request, "n1"));
        preemptor("violating");
        steps.step("an extender knows of budgets", () -> steps.hasEvicted("violating", "v1"));
        empty("violating");
        fill();
        extenders.on("preempt", "hopeless", "{'NodeNameToMetaVictims':{}}");
        preemptor("hopeless");
        steps.step("no node is left to make room", () -> steps.waits("hopeless"));
        empty("hopeless");
        fill();
        extenders.on("preempt", "failing", ScriptedExtenders.FAILURE);
        preemptor("failing");
        steps.await("nobody says whom to evict", () -> steps.waits("failing"));
        empty("failing");
        fill();
        extenders.on("preempt", "skipping", request -> only(request, "n0"));
        extenders.on("spare-preempt", "skipping", ScriptedExtenders.FAILURE);
        preemptor("skipping");
        steps.step("one that is not needed does not", () -> steps.hasEvicted("skipping", "v0"));
        empty("skipping");
        fill();
        extenders.on(
                "preempt", "stranger", "{'NodeNameToMetaVictims':{'n9':{'Pods':[{'UID':'x'}],'NumPDBViolations':0}}}");
        preemptor("stranger");
        steps.step("an extender names a node that is none", () -> steps.waits("stranger"));
        empty("stranger");
        fill();
        extenders.on("preempt", "free", "{'NodeNameToMetaVictims':{'n1':{'Pods':[],'NumPDBViolations':0}}}");
        preemptor("free");
        steps.step("an extender says that nobody need go", () -> steps.waits("free"));
    }

    /** One pod on each node, with the lowest priority on the first. */
    private void fill() {
        for (int i = 0; i < 3; i++) {
            ObjectNode pod = Manifest.podWithPriority("v" + i, "2", i == 0 ? "low" : "middle");
            pod.withObject("/spec").put("terminationGracePeriodSeconds", 45);
            pod.withObject("/spec/nodeSelector").put("name", "n" + i);
            server.load(pod);
            String name = "v" + i;
            steps.await(name + " is placed", () -> steps.isBound(name));
        }
    }

    private void empty(String preemptor) {
        for (String pod : List.of(preemptor, "v0", "v1", "v2")) {
            if (server.get("pods", "default", pod).isPresent()) {
                steps.delete(pod);
                steps.awaitGone(pod);
            }
        }
    }

    private void preemptor(String name) {
        server.load(Manifest.podWithPriority(name, "2", "high"));
    }

    private static JsonNode only(JsonNode request, String node) {
        ObjectNode answer = Manifest.json("{}");
        answer.putObject(ScriptedExtenders.VICTIMS)
                .set(node, request.path(ScriptedExtenders.VICTIMS).path(node));
        return answer;
    }

    /** Returns all nodes; all except one would violate a budget. */
    private static JsonNode violations(JsonNode request, String spared) {
        ObjectNode answer = Manifest.json("{}");
        ObjectNode victims = answer.putObject(ScriptedExtenders.VICTIMS);
        request.path(ScriptedExtenders.VICTIMS).properties().forEach(entry -> {
            ObjectNode there = entry.getValue().deepCopy();
            victims.set(
                    entry.getKey(), there.put("NumPDBViolations", entry.getKey().equals(spared) ? 0 : 1));
        });
        return answer;
    }
}
