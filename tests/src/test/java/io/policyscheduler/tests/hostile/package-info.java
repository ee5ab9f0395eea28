/** Objects and rules that one tenant may create, by mistake or on purpose, and that must not affect others. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.tests.hostile;
