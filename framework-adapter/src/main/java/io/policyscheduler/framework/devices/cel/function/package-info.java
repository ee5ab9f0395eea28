/** Values and functions that Kubernetes adds to the language of selectors, each with its texts of failures and its cost. */
@NullMarked
package io.policyscheduler.framework.devices.cel.function;

import org.jspecify.annotations.NullMarked;
