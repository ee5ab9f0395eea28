/** Tables of policies: how they are declared, and how their texts are read. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.policy.table;
