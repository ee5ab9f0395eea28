/** Which plugins run for which scheduler name, and how an algorithm provider becomes plugins. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.profile;
