package io.policyscheduler.framework.insight.migrate.yaml;

/** A value of a YAML document. */
public sealed interface YamlNode permits YamlMap, YamlList, YamlScalar {}
