package io.policyscheduler.framework.config.setting;

/**
 * Where a KubeSchedulerConfiguration has a setting.
 *
 * @param path keys from the top, joined by dots
 * @param first the first version of the file that has it
 * @param last the last version of the file that has it
 * @param byDefault what a file means that leaves it out; empty for nothing
 * @param before {@code byDefault} of the versions before {@code v1beta1}
 * @param zeroIsDefault whether an empty or zero value in the file counts as left out
 */
public record FileField(
        String path, ConfigVersion first, ConfigVersion last, String byDefault, String before, boolean zeroIsDefault) {

    /** Whether a version of the file has it. */
    public boolean isIn(ConfigVersion version) {
        return version.atLeast(first) && last.atLeast(version);
    }

    /** What a file of a version means that leaves it out; empty for nothing. */
    public String byDefault(ConfigVersion version) {
        return version.atLeast(ConfigVersion.V1BETA1) ? byDefault : before;
    }
}
