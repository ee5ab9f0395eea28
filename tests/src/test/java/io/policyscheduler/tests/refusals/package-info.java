/** Objects that API servers reject, with the same messages in every reader. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.tests.refusals;
