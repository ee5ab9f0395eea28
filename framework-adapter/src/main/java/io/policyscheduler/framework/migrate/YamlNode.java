package io.policyscheduler.framework.migrate;

/** A value of a YAML document. */
sealed interface YamlNode permits YamlMap, YamlList, YamlScalar {}
