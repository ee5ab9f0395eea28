/** Plugins of current releases that look at what nodes have and what pods ask for. */
@NullMarked
package io.policyscheduler.framework.modern.resource;

import org.jspecify.annotations.NullMarked;
