package io.policyscheduler.framework.insight.migrate;

import com.google.common.collect.ImmutableList;
import java.util.List;

/**
 * A reduced policy that an extender of this program serves beside the migrated configuration.
 *
 * @param file what to call the file, as the findings name it
 * @param text the policy, JSON
 * @param urlPrefix where the configuration expects the extender
 * @param entry the entry of {@code extenders} in one line
 * @param command how to start the extender
 * @param items the entries of the policy that it serves
 */
public record KeptPolicy(String file, String text, String urlPrefix, String entry, String command, List<String> items) {
    public KeptPolicy {
        items = ImmutableList.copyOf(items);
    }
}
