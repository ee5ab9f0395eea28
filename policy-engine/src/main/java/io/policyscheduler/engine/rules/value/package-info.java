/** The values of rules: their types, what operations on them come to, and the meter that is charged for work. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.rules.value;
