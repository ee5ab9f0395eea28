package io.policyscheduler.tests.simulation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** Random actions of users and drivers with devices and claims. */
final class DeviceUsers {
    private static final int CLAIMS = 4;
    private static final int TEMPLATES = 3;
    private static final String PATH = "/apis/resource.k8s.io/v1/";

    private final World world;
    private final Luck luck;
    private int generation = 1;

    DeviceUsers(World world) {
        this.world = world;
        this.luck = world.luck();
    }

    void start() {
        for (String name : List.of("any", "x", "y")) {
            putClass(name);
        }
        for (int i = 0; i < TEMPLATES; i++) {
            putTemplate("t" + i);
        }
        for (int i = 0; i < world.scenario().nodes(); i++) {
            if (luck.percent(80)) {
                putSlice("n" + i);
            }
        }
        if (luck.percent(40)) {
            putSharedSlice();
        }
    }

    /** Adds a claim to a new pod, or not. */
    void equip(ObjectNode pod) {
        if (!luck.percent(50)) {
            return;
        }
        int entries = luck.percent(20) ? 2 : 1;
        for (int i = 0; i < entries; i++) {
            if (luck.percent(60)) {
                DeviceManifests.wantTemplate(pod, "e" + i, "t" + luck.between(0, TEMPLATES - 1));
            } else {
                String claim = "s" + luck.between(0, CLAIMS - 1);
                DeviceManifests.wantClaim(pod, "e" + i, claim);
                if (luck.percent(90)) {
                    putClaim(claim);
                }
            }
        }
    }

    void act() {
        int dice = luck.between(0, 99);
        if (dice < 25) {
            putClaim("s" + luck.between(0, CLAIMS - 1));
        } else if (dice < 50) {
            deleteClaim();
        } else if (dice < 60) {
            toggle(DeviceManifests.TEMPLATES, Manifests.NAMESPACE, "t" + luck.between(0, TEMPLATES - 1));
        } else if (dice < 70) {
            toggle(DeviceManifests.CLASSES, "", luck.of("any", "x", "y"));
        } else {
            changeSlices();
        }
    }

    private void changeSlices() {
        if (luck.percent(15)) {
            if (world.cluster().get(DeviceManifests.SLICES, "", "shared").isPresent()) {
                delete("resourceslices/shared");
            } else {
                putSharedSlice();
            }
            return;
        }
        String node = "n" + luck.between(0, 7);
        boolean isThere =
                world.cluster().get(DeviceManifests.SLICES, "", "of-" + node).isPresent();
        if (isThere) {
            delete("resourceslices/of-" + node);
        }
        if (!isThere || luck.percent(50)) {
            putSlice(node);
        }
    }

    /** Deletes a claim, also one from a template. */
    private void deleteClaim() {
        List<ObjectNode> all = world.cluster().list(DeviceManifests.CLAIMS);
        if (!all.isEmpty()) {
            delete("namespaces/" + Manifests.NAMESPACE + "/resourceclaims/" + Manifests.name(luck.of(all)));
        }
    }

    private void toggle(String resource, String namespace, String name) {
        if (world.cluster().get(resource, namespace, name).isEmpty()) {
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
        load(DeviceManifests.template(name, DeviceManifests.claimSpec(luck)));
    }

    private void putClaim(String name) {
        if (world.cluster()
                .get(DeviceManifests.CLAIMS, Manifests.NAMESPACE, name)
                .isEmpty()) {
            load(DeviceManifests.claim(name, DeviceManifests.claimSpec(luck)));
        }
    }

    private void putSlice(String node) {
        load(DeviceManifests.slice(node, generation++, models(luck.between(1, 3))));
    }

    private void putSharedSlice() {
        List<String> nodes = List.of("n" + luck.between(0, 3), "n" + luck.between(0, 5));
        load(DeviceManifests.sharedSlice(nodes, generation++, models(luck.between(1, 2))));
    }

    private List<String> models(int count) {
        List<String> models = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            models.add(luck.of("x", "y"));
        }
        return models;
    }

    private void load(ObjectNode object) {
        world.trace()
                .add("* put " + object.path("kind").asText() + " " + Manifests.name(object) + " "
                        + object.path("spec"));
        world.cluster().load(object);
    }

    private void delete(String path) {
        world.trace().add("* delete " + path);
        world.cluster().call("DELETE", PATH + path, "", new byte[0]);
    }
}
