/** The plugin that gives devices to claims. */
@NullMarked
package io.policyscheduler.framework.modern.device;

import org.jspecify.annotations.NullMarked;
