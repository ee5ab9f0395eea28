/** Tables of policies whose values change while a scheduler runs. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.table;
