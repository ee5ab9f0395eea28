/** Tables: values by key that rules read and that come from outside of pods and nodes. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.rules.table;
