package io.policyscheduler.framework.insight.migrate;

import io.policyscheduler.engine.document.SourcePosition;

/**
 * An entry of a policy, or what a provider or the program put there.
 *
 * @param name as in the file
 * @param key the algorithm that it stands for; differs from the name for entries with arguments
 * @param position unknown if it is not in the file
 * @param place for people: file and line, the provider, or that it is mandatory
 */
record PolicyItem(String name, String key, SourcePosition position, String place) {
    /** For comments: {@code HostName policy.json:7}. */
    String remark() {
        return place.isEmpty() ? name : name + " " + place;
    }
}
