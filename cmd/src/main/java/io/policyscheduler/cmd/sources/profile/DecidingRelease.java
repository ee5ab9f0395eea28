package io.policyscheduler.cmd.sources.profile;

import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.framework.config.ConfigVersion;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Whose decisions a profile makes: those of the kube-scheduler of a release.
 *
 * @param name of what decides, for messages
 * @param release as it was asked for; may be newer than what is known here
 */
public record DecidingRelease(String name, Release release) {
    /** The first release of which there are default plugins, and that carried out policies by plugins alone. */
    private static final Release FIRST = new Release(18);

    private static final Release LAST_OF_POLICIES = new Release(22);

    /** @throws InputException when the release is older than those that have default plugins */
    public DecidingRelease {
        if (release.compareTo(FIRST) < 0) {
            throw new InputException("\"" + name + "\": the plugins of " + release
                    + " are unsupported; use provider:DefaultProvider for 1.17, or modern@1.18 and later");
        }
    }

    /** The one whose rules are taken: the newest one known for what is newer. */
    public Release rules() {
        return release.compareTo(Release.NEWEST) > 0 ? Release.NEWEST : release;
    }

    /**
     * Tells what is otherwise than in that release.
     *
     * @param cluster the release by whose rules pods are read
     */
    public void tell(Release cluster, Consumer<String> warnings) {
        if (!release.equals(rules())) {
            warnings.accept(
                    "W303 " + name + ": the newest supported release is " + Release.NEWEST + ", which is used instead");
        }
        String open = SchedulerChange.notCarriedOut(rules()).stream()
                .map(change -> change.key() + " (" + change.since() + ")")
                .collect(Collectors.joining(", "));
        if (!open.isEmpty()) {
            warnings.accept("W301 " + name + ": unsupported differences of " + release + ": " + open
                    + "; docs/releases.md describes them");
        }
        if (cluster.compareTo(rules()) > 0) {
            warnings.accept("W302 " + name + ": pods are read as on a cluster of " + cluster + "; --release=" + release
                    + " reads them as on a cluster of " + release);
        }
    }

    /** @throws InputException when the release does not read that version of configurations */
    public void requireReads(ConfigVersion version) {
        if (!version.isReadBy(rules())) {
            throw new InputException("\"" + name + "\": Kubernetes " + release + " does not read " + version.version()
                    + " ("
                    + (version == ConfigVersion.V1
                            ? "since " + version.first()
                            : version.first() + " to " + version.last())
                    + "); it reads " + ConfigVersion.usual(rules()).version());
        }
    }

    /** @throws InputException when the release reads no policies */
    public void requireReadsPolicies() {
        if (release.compareTo(LAST_OF_POLICIES) > 0) {
            throw new InputException("\"" + name + "\": the policies of kube-scheduler are supported from "
                    + FIRST + " to " + LAST_OF_POLICIES + ", and for 1.17 (strict:); later releases have no"
                    + " policies, see policy-scheduler migrate");
        }
    }
}
