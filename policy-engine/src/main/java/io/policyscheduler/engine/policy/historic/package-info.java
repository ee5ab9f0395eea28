/** What policies of the releases 1.0 to 1.22 could say, and what it says today. */
@NullMarked
package io.policyscheduler.engine.policy.historic;

import org.jspecify.annotations.NullMarked;
