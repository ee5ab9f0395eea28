/** HTTP extenders on the wire: calling them, and being one. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.extender;
