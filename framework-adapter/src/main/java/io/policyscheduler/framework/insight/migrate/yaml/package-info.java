/** YAML as it is written, with comments. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.insight.migrate.yaml;
