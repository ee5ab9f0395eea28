package io.policyscheduler.tests.faults;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.tests.e2e.Manifest;
import java.util.List;

/** Changes of nodes and pods for which pending pods wait. In no step can the scheduler choose between equal nodes. */
final class NodeScenario {
    private static final String N0 = "/api/v1/nodes/n0";
    private static final String TAINT = "[{'key':'k','value':'v','effect':'NoSchedule'}]";

    private final FaultServer server;
    private final ScenarioSteps steps;

    NodeScenario(FaultServer server) {
        this.server = server;
        this.steps = new ScenarioSteps(server);
    }

    /** Takes all steps. Returns the state after each one. */
    List<String> run() {
        server.load(ScenarioSteps.node("n0", "2", "{}"));
        labels();
        taints();
        cordon();
        neighbours();
        ports();
        size();
        nodeGone();
        return steps.lines();
    }

    private void labels() {
        server.load(Manifest.podWithSelector("l", "100m", "disk", "ssd"));
        steps.step("a pod waits for a label of the node", () -> steps.waits("l"));
        steps.merge(N0, "{'metadata':{'labels':{'disk':'ssd'}}}");
        steps.step("and is placed when it has it", () -> steps.isBound("l"));
    }

    private void taints() {
        taint(TAINT, "t");
        server.load(Manifest.podWithSelector("t", "100m", "for", "t"));
        steps.step("a pod does not tolerate a taint", () -> steps.waits("t") && steps.says("t", "untolerated taint"));
        taint("null", "t");
        steps.step("until that goes", () -> steps.isBound("t"));
        taint(TAINT, "o");
        ObjectNode tolerant = Manifest.podWithSelector("o", "100m", "for", "o");
        ((ObjectNode) tolerant.path("spec"))
                .putArray("tolerations")
                .add(Manifest.json("{'key':'other','operator':'Exists'}"));
        server.load(tolerant);
        steps.step("another one does not, either", () -> steps.waits("o") && steps.says("o", "untolerated taint"));
        steps.call(
                "PATCH",
                ScenarioSteps.PODS + "o",
                "application/json-patch+json",
                "[{'op':'add','path':'/spec/tolerations/-','value':{'key':'k','operator':'Exists'}}]");
        steps.step("but learns to", () -> steps.isBound("o"));
        taint("null", "o");
    }

    /** The label shows that the scheduler has seen the taint. */
    private void taint(String taints, String pod) {
        steps.merge(N0, "{'spec':{'taints':" + taints + "},'metadata':{'labels':{'for':'" + pod + "'}}}");
    }

    private void cordon() {
        steps.merge(N0, "{'spec':{'unschedulable':true},'metadata':{'labels':{'for':'c'}}}");
        server.load(Manifest.podWithSelector("c", "100m", "for", "c"));
        steps.step("a node is cordoned", () -> steps.waits("c") && steps.says("c", "unschedulable"));
        steps.merge(N0, "{'spec':{'unschedulable':false}}");
        steps.step("and opened again", () -> steps.isBound("c"));
    }

    /** They wait because of the labels of a pod. */
    private void neighbours() {
        affine("near", "podAffinity", "db");
        steps.step("a pod waits for company", () -> steps.waits("near"));
        label("db");
        steps.step("which another one becomes", () -> steps.isBound("near"));
        affine("far", "podAntiAffinity", "db");
        steps.step("a pod shuns it", () -> steps.waits("far"));
        label("other");
        steps.step("until it is that no more", () -> steps.isBound("far"));
    }

    private void label(String app) {
        steps.merge(ScenarioSteps.PODS + "l", "{'metadata':{'labels':{'app':'" + app + "'}}}");
    }

    private void affine(String name, String kind, String app) {
        ObjectNode pod = Manifest.pod(name, "100m");
        pod.withObject("/spec")
                .set(
                        "affinity",
                        Manifest.json("{'" + kind + "':{'requiredDuringSchedulingIgnoredDuringExecution':[{"
                                + "'topologyKey':'name','labelSelector':{'matchLabels':{'app':'" + app + "'}}}]}}"));
        server.load(pod);
    }

    private void ports() {
        portPod("h0");
        steps.await("h0 is placed", () -> steps.isBound("h0"));
        portPod("h1");
        steps.step("a port is taken", () -> steps.waits("h1"));
        steps.delete("h0");
        steps.step("until its pod is gone", () -> steps.isBound("h1"));
    }

    private void portPod(String name) {
        ObjectNode pod = Manifest.pod(name, "100m");
        ((ObjectNode) pod.at("/spec/containers/0"))
                .putArray("ports")
                .add(Manifest.json("{'containerPort':8080,'hostPort':8080}"));
        server.load(pod);
    }

    private void size() {
        server.load(Manifest.pod("big", "5"));
        steps.step("a pod is larger than the node", () -> steps.waits("big"));
        steps.merge(N0 + "/status", "{'status':{'allocatable':{'cpu':'8'},'capacity':{'cpu':'8'}}}");
        steps.step("which grows", () -> steps.isBound("big"));
    }

    /** A full node keeps pods with topology spread constraints from the nodes with room. */
    private void nodeGone() {
        server.load(ScenarioSteps.node("n1", "50m", "{}"));
        server.load(Manifest.podWithSelector("w1", "10m", "name", "n1"));
        steps.await("the node is known", () -> steps.isBound("w1"));
        spread("s0");
        steps.await("s0 is placed", () -> steps.isBound("s0"));
        spread("s1");
        steps.step("a pod would have to go where no room is", () -> steps.waits("s1"));
        steps.call("DELETE", "/api/v1/nodes/n1", "application/json", "");
        steps.step("unless that node is gone", () -> steps.isBound("s1"));
    }

    private void spread(String name) {
        ObjectNode pod = Manifest.pod(name, "100m");
        pod.withObject("/metadata/labels").put("app", "s");
        ((ObjectNode) pod.path("spec"))
                .putArray("topologySpreadConstraints")
                .add(Manifest.json("{'maxSkew':1,'topologyKey':'name','whenUnsatisfiable':'DoNotSchedule',"
                        + "'labelSelector':{'matchLabels':{'app':'s'}}}"));
        server.load(pod);
    }
}
