package io.policyscheduler.framework.config.setting;

/** Where a {@code v1alpha1} configuration takes predicates and priorities from. Mirrors {@code SchedulerAlgorithmSource}. */
public sealed interface AlgorithmSource {
    /** A registered set such as {@code DefaultProvider}. */
    record Provider(String name) implements AlgorithmSource {}

    /**
     * A Policy file.
     *
     * @param path as in the configuration; empty if the file does not say it
     */
    record PolicyFile(String path) implements AlgorithmSource {}

    /** A Policy under the key {@code policy.cfg} of a ConfigMap. */
    record PolicyConfigMap(String namespace, String name) implements AlgorithmSource {}

    /** {@code policy: {}}, which v1.17 takes for a Policy without any entry. */
    record EmptyPolicy() implements AlgorithmSource {}
}
