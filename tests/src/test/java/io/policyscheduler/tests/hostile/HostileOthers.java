package io.policyscheduler.tests.hostile;

import static io.policyscheduler.tests.hostile.HostileObject.times;

import java.util.ArrayList;
import java.util.List;

/** Nodes, volumes, and other objects that scheduling reads. */
final class HostileOthers {
    private static final String MAX = "9223372036854775807";
    private static final String MIN = "-9223372036854775808";

    private final List<HostileObject> rows = new ArrayList<>();

    private HostileOthers() {}

    static List<HostileObject> all() {
        HostileOthers others = new HostileOthers();
        others.nodes();
        others.storage();
        others.workloads();
        return others.rows;
    }

    private HostileObject add(String resource, String name, String fields) {
        HostileObject row = HostileObject.of(resource, name, fields);
        rows.add(row);
        return row;
    }

    private static String room(String cpu, String memory, String pods) {
        return "'allocatable':{'cpu':'" + cpu + "','memory':'" + memory + "','pods':'" + pods + "'}";
    }

    /** Normal pods must not be placed on any of them. */
    private static final String NO_ROOM = room("0", "0", "0");

    private void nodes() {
        add(
                "nodes",
                HostileObject.NODE,
                "{'metadata':{'labels':{'name':'hostage'}},'spec':{'unschedulable':true},'status':{"
                        + room("4", "8Gi", "110") + "}}");
        add("nodes", "node-of-nothing", "{}");
        add("nodes", "node-of-nulls", "{'spec':null,'status':null}");
        add("nodes", "node-of-wrong-types", "{'spec':[],'status':'fine'}");
        add("nodes", "node-without-quantity", "{'status':{" + room("many", "8Gi", "110") + "}}");
        add("nodes", "node-of-negative-amounts", "{'status':{" + room("-1", "-8Gi", "-110") + "}}");
        add(
                "nodes",
                "node-of-absurd-amounts",
                "{'spec':{'unschedulable':true},'status':{" + room(MAX, "1e40", MAX) + "}}");
        add(
                "nodes",
                "node-of-taints",
                "{'spec':{'taints':[" + times(10_000, "{'key':'k#','value':'v','effect':'NoSchedule'}")
                        + "]},'status':{" + NO_ROOM + "}}");
        add(
                "nodes",
                "node-of-labels",
                "{'metadata':{'labels':{" + times(10_000, "'l#':'v'") + "}},'status':{" + NO_ROOM + "}}");
        add(
                "nodes",
                "node-of-images",
                "{'status':{'images':[" + times(10_000, "{'names':['i#'],'sizeBytes':" + MAX + "}") + "]," + NO_ROOM
                        + "}}");
        add(
                "nodes",
                "node-of-negative-images",
                "{'status':{'images':[{'names':['i'],'sizeBytes':" + MIN + "},{'names':null,'sizeBytes':1},null],"
                        + NO_ROOM + "}}");
        add(
                "nodes",
                "node-of-annotations",
                "{'metadata':{'annotations':{'scheduler.alpha.kubernetes.io/preferAvoidPods':'" + "[".repeat(20_000)
                        + "'}},'status':{" + NO_ROOM + "}}");
        add("nodes", "node-that-is-deep", "{'status':{" + NO_ROOM + "}}")
                .withRaw("deep", "[".repeat(5_000) + "]".repeat(5_000));
        add(
                "nodes",
                "node-of-odd-zones",
                "{'metadata':{'labels':{'topology.kubernetes.io/zone':'a\\u0000:\\u0000b',"
                        + "'failure-domain.beta.kubernetes.io/region':'\\u202e'}},'status':{" + NO_ROOM + "}}");
        add(
                "csinodes",
                "n1",
                "{'spec':{'drivers':[{'name':'d','allocatable':{'count':-2147483648}},"
                        + "{'name':'e','allocatable':{'count':2147483647}},{'name':null}]}}");
        add("csinodes", "n2", "{'spec':{'drivers':[{'name':'d','allocatable':{'count':" + MAX + "}}]}}");
        add("csinodes", "node-of-nothing", "{'spec':{'drivers':null}}");
    }

    private void storage() {
        add(
                "persistentvolumes",
                "absurd-affinity",
                "{'spec':{'capacity':{'storage':'" + MAX + "'},'storageClassName':'loop',"
                        + "'claimRef':{'namespace':'hostile','name':'loop'},'nodeAffinity':{'required':{'nodeSelectorTerms':["
                        + times(3_000, "{'matchExpressions':[{'key':'k#','operator':'Near','values':[]}]}") + "]}}}}");
        add(
                "persistentvolumes",
                "negative-capacity",
                "{'spec':{'capacity':{'storage':'-1e40'},'storageClassName':'slow'}}");
        add("persistentvolumes", "no-capacity", "{'spec':{'capacity':null,'accessModes':[null],'nodeAffinity':{}}}");
        add(
                "persistentvolumeclaims",
                "loop",
                "{'metadata':{'annotations':{'pv.kubernetes.io/bind-completed':'yes'}},"
                        + "'spec':{'volumeName':'absurd-affinity','storageClassName':'loop'}}");
        add(
                "persistentvolumeclaims",
                "of-itself",
                "{'spec':{'storageClassName':'slow','dataSource':{'kind':"
                        + "'PersistentVolumeClaim','name':'of-itself'},'resources':{'requests':{'storage':'1e40'}}}}");
        add("persistentvolumeclaims", "of-nothing", "{}");
        add("persistentvolumeclaims", "no-quantity", "{'spec':{'resources':{'requests':{'storage':'much'}}}}");
        add(
                "storageclasses",
                "loop",
                "{'provisioner':'loop','volumeBindingMode':'Never','allowedTopologies':[{"
                        + "'matchLabelExpressions':[{'key':'','values':null}]}]}");
        add(
                "storageclasses",
                "slow",
                "{'provisioner':'kubernetes.io/no-provisioner','volumeBindingMode':" + "'WaitForFirstConsumer'}");
        add("csidrivers", "driver", "{'spec':{'storageCapacity':'maybe'}}");
        add(
                "csistoragecapacities",
                "capacity",
                "{'storageClassName':'slow','capacity':'" + MAX
                        + "','maximumVolumeSize':'-1e40','nodeTopology':{'matchExpressions':[{'key':'a','operator':'Near'}]}}");
        add("volumeattachments", "nowhere", "{'spec':{'nodeName':'gone','source':{'persistentVolumeName':null}}}");
        String volume = "{'name':'v','persistentVolumeClaim':{'claimName':'#'}}";
        for (String claim : List.of("loop", "of-itself", "of-nothing", "no-quantity", "gone")) {
            add(
                    "pods",
                    "pod-with-claim-" + claim,
                    "{'spec':{'schedulerName':'policy-scheduler','volumes':[" + volume.replace("#", claim) + "]}}");
        }
    }

    private void workloads() {
        add("services", "selects-everything", "{'spec':{'selector':{}}}");
        add("services", "selects-null", "{'spec':{'selector':null}}");
        add("services", "selects-by-long-labels", "{'spec':{'selector':{" + times(5_000, "'k#':'v'") + "}}}");
        add("services", "of-wrong-types", "{'spec':{'selector':[1]}}");
        add("replicationcontrollers", "selects-everything", "{'spec':{'selector':{}}}");
        add(
                "replicasets",
                "unknown-operator",
                "{'spec':{'replicas':-2147483648,'selector':{'matchExpressions':[{'key':'a b',"
                        + "'operator':'Near','values':['x']}]}}}");
        add("statefulsets", "selects-everything", "{'spec':{'replicas':2147483647,'selector':{}}}");
        add(
                "poddisruptionbudgets",
                "allows-nothing",
                "{'spec':{'maxUnavailable':0,'minAvailable':'100%','selector':{}},"
                        + "'status':{'disruptionsAllowed':-2147483648}}");
        add(
                "poddisruptionbudgets",
                "allows-all",
                "{'spec':{'selector':{}},'status':{'disruptionsAllowed':2147483647," + "'disruptedPods':{"
                        + times(5_000, "'p#':'0000-01-01T00:00:00Z'") + "}}}");
        add("poddisruptionbudgets", "beyond", "{'spec':{'selector':{}},'status':{'disruptionsAllowed':" + MAX + "}}");
        add("namespaces", "odd", "{'metadata':{'labels':{'\\u202e':'\\u0000'}}}");
    }
}
