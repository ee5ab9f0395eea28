/** Extenders as policies and configurations declare them. */
@NullMarked
package io.policyscheduler.engine.extender;

import org.jspecify.annotations.NullMarked;
