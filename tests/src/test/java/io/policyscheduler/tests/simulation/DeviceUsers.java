package io.policyscheduler.tests.simulation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** Random actions of users and drivers with devices and claims. */
final class DeviceUsers {
    private static final int CLAIMS = 4;
    private static final int TEMPLATES = 3;
    private static final String PATH = "/apis/resource.k8s.io/v1/";

    private final SimulationRun simulation;
    private final RandomChoices random;
    private int generation = 1;

    DeviceUsers(SimulationRun simulation) {
        this.simulation = simulation;
        this.random = simulation.random();
    }

    void start() {
        for (String name : List.of("any", "x", "y")) {
            putClass(name);
        }
        for (int i = 0; i < TEMPLATES; i++) {
            putTemplate("t" + i);
        }
        for (int i = 0; i < simulation.scenario().nodes(); i++) {
            if (random.percent(80)) {
                putSlice("n" + i);
            }
        }
        if (random.percent(40)) {
            putSharedSlice();
        }
    }

    /** Adds a claim to a new pod, or not. */
    void equip(ObjectNode pod) {
        if (!random.percent(50)) {
            return;
        }
        int entries = random.percent(20) ? 2 : 1;
        for (int i = 0; i < entries; i++) {
            if (random.percent(60)) {
                DeviceManifests.wantTemplate(pod, "e" + i, "t" + random.between(0, TEMPLATES - 1));
            } else {
                String claim = "s" + random.between(0, CLAIMS - 1);
                DeviceManifests.wantClaim(pod, "e" + i, claim);
                if (random.percent(90)) {
                    putClaim(claim);
                }
            }
        }
    }

    void act() {
        int choice = random.between(0, 99);
        if (choice < 25) {
            putClaim("s" + random.between(0, CLAIMS - 1));
        } else if (choice < 50) {
            deleteClaim();
        } else if (choice < 60) {
            toggle(DeviceManifests.TEMPLATES, Manifests.NAMESPACE, "t" + random.between(0, TEMPLATES - 1));
        } else if (choice < 70) {
            toggle(DeviceManifests.CLASSES, "", random.of("any", "x", "y"));
        } else {
            changeSlices();
        }
    }

    private void changeSlices() {
        if (random.percent(15)) {
            if (simulation.cluster().get(DeviceManifests.SLICES, "", "shared").isPresent()) {
                delete("resourceslices/shared");
            } else {
                putSharedSlice();
            }
            return;
        }
        String node = "n" + random.between(0, 7);
        boolean isThere = simulation
                .cluster()
                .get(DeviceManifests.SLICES, "", "of-" + node)
                .isPresent();
        if (isThere) {
            delete("resourceslices/of-" + node);
        }
        if (!isThere || random.percent(50)) {
            putSlice(node);
        }
    }

    /** Deletes a claim, also one from a template. */
    private void deleteClaim() {
        List<ObjectNode> all = simulation.cluster().list(DeviceManifests.CLAIMS);
        if (!all.isEmpty()) {
            delete("namespaces/" + Manifests.NAMESPACE + "/resourceclaims/" + Manifests.name(random.of(all)));
        }
    }

    private void toggle(String resource, String namespace, String name) {
        if (simulation.cluster().get(resource, namespace, name).isEmpty()) {
            if (namespace.isEmpty()) {
                putClass(name);
            } else {
                putTemplate(name);
            }
        } else {
            String plural = resource.substring(0, resource.indexOf('.'));
            delete((namespace.isEmpty() ? "" : "namespaces/" + namespace + "/") + plural + "/" + name);
        }
    }

    private void putClass(String name) {
        load(DeviceManifests.deviceClass(name, name.equals("any") ? null : name));
    }

    private void putTemplate(String name) {
        load(DeviceManifests.template(name, DeviceManifests.claimSpec(random)));
    }

    private void putClaim(String name) {
        if (simulation
                .cluster()
                .get(DeviceManifests.CLAIMS, Manifests.NAMESPACE, name)
                .isEmpty()) {
            load(DeviceManifests.claim(name, DeviceManifests.claimSpec(random)));
        }
    }

    private void putSlice(String node) {
        load(DeviceManifests.slice(node, generation++, models(random.between(1, 3))));
    }

    private void putSharedSlice() {
        List<String> nodes = List.of("n" + random.between(0, 3), "n" + random.between(0, 5));
        load(DeviceManifests.sharedSlice(nodes, generation++, models(random.between(1, 2))));
    }

    private List<String> models(int count) {
        List<String> models = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            models.add(random.of("x", "y"));
        }
        return models;
    }

    private void load(ObjectNode object) {
        simulation
                .trace()
                .add("* put " + object.path("kind").asText() + " " + Manifests.name(object) + " "
                        + object.path("spec"));
        simulation.cluster().load(object);
    }

    private void delete(String path) {
        simulation.trace().add("* delete " + path);
        simulation.cluster().call("DELETE", PATH + path, "", new byte[0]);
    }
}
