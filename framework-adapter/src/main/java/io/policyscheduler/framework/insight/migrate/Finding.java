package io.policyscheduler.framework.insight.migrate;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.document.SourcePosition;
import java.util.List;

/**
 * The result of the migration for one item of a policy.
 *
 * @param items the entries or the setting, e.g. {@code SameRegion}; empty if the finding is about the whole policy
 * @param position of the first item in the policy, unknown if the file does not contain it
 * @param plugins that replace the items in the configuration; empty if there is none
 * @param texts the effect and the fix
 */
public record Finding(
        FindingCode code,
        Level level,
        Fidelity fidelity,
        List<String> items,
        SourcePosition position,
        List<String> plugins,
        FindingTexts texts) {
    public Finding {
        items = ImmutableList.copyOf(items);
        plugins = ImmutableList.copyOf(plugins);
    }

    /** The names of the items, separated by commas. */
    public String item() {
        return String.join(", ", items);
    }

    /** The full description of the effect. */
    public String text() {
        return texts.details();
    }

    /** The full description of the fix; empty if no fix is needed. */
    public String wayOut() {
        return texts.fix();
    }
}
