package io.policyscheduler.cmd.run;

import io.policyscheduler.engine.cluster.release.FeatureGates;
import java.util.ArrayList;
import java.util.List;

/**
 * The feature gates of a command line of any release: those of 1.17's scheduling, which mean something here, and the others.
 *
 * @param known as {@link FeatureGates#parse} reads them
 * @param unknown the names of the others, in their order
 */
record GateNames(String known, List<String> unknown) {
    /** Gates of components are {@code kube:NAME=BOOL} from 1.32 on. */
    private static final String COMPONENT = "kube:";

    GateNames {
        unknown = List.copyOf(unknown);
    }

    /** @param gates each {@code NAME=BOOL} */
    static GateNames of(List<String> gates) {
        List<String> known = new ArrayList<>();
        List<String> unknown = new ArrayList<>();
        for (String gate : gates) {
            String plain = gate.startsWith(COMPONENT) ? gate.substring(COMPONENT.length()) : gate;
            int equals = plain.indexOf('=');
            String name = (equals < 0 ? plain : plain.substring(0, equals)).strip();
            if (equals < 0 || FeatureGates.names().contains(name)) {
                known.add(plain);
            } else if (!unknown.contains(name)) {
                unknown.add(name);
            }
        }
        return new GateNames(String.join(",", known), unknown);
    }

    /** A line for each gate that means nothing here. */
    List<String> warnings() {
        return unknown.stream()
                .map(name -> "W143 --feature-gates: " + name
                        + " has no effect: it is not a scheduling gate of 1.17; remove it")
                .toList();
    }
}
