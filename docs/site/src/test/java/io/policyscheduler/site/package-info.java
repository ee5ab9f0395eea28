/** Tests of the site's generator. */
@NullMarked
package io.policyscheduler.site;

import org.jspecify.annotations.NullMarked;
